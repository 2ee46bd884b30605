"""Record what happens inside a Runnable from its callbacks: models, tools, retrievers, nested graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult

from proctor.agents.framework import plain
from proctor.agents.langchain.output import Ending
from proctor.agents.notes import Kind, Notes, Work
from proctor.codec.replies import is_cut_off
from proctor.errors import InputError
from proctor.failures import short_message
from proctor.telemetry.messages import parse_embedded_json
from proctor.transcript import Reply
from proctor.usage import Usage

_KINDS = ("delegate", "plan", "re-plan")
_UNNAMED = "LangGraph"  # default name of a graph
_TASK = 500


def step_kinds(given: Mapping[str, Any]) -> dict[str, Kind]:
    """Validate the option `steps`: node → kind of orchestrator step."""
    for node, kind in given.items():
        if kind not in _KINDS:
            raise InputError(f"steps.{node}={kind!r} is not known; expected {', '.join(_KINDS)}")
    return cast("dict[str, Kind]", dict(given))


@dataclass(slots=True, kw_only=True)
class _Run:
    """A LangChain run, nested in its parent run."""

    name: str
    parent: _Run | None
    is_node: bool = False
    """Whether it is a graph node."""
    is_graph: bool = False
    given: Any = None
    work: Work | None = None
    """The work noted for it, or None if it only contains other runs."""


@dataclass(slots=True, kw_only=True)
class _RequestedCall:
    """A tool call requested by a model."""

    id: str
    name: str
    arguments: dict[str, Any]
    time: float
    by: Work | None
    """The sub-agent whose model requested it."""
    answer: ToolMessage | None = None
    ran: bool = False


class Watcher(BaseCallbackHandler):
    """Notes everything that happens in one invocation, at any depth and in any thread or task."""

    run_inline = True  # a thread pool would change the order of events

    def __init__(self, notes: Notes, steps: Mapping[str, Kind]) -> None:
        self._notes = notes
        self._steps = steps
        self._runs: dict[UUID, _Run] = {}
        self._requested: list[_RequestedCall] = []
        self._latest: dict[str | None, _RequestedCall] = {}
        """Tool call id → latest request; some providers reuse ids."""

    def reply(self, answer: object, ending: Ending) -> Reply:
        """Return the answer with everything noted, including tool calls that appear only in the final messages."""
        for message in ending.messages:
            self._note_tool_answer(message)
            if isinstance(message, AIMessage):
                self._note_requests([call for call in message.tool_calls if call["id"] not in self._latest], None)
        last = {call["id"] for each in ending.messages if isinstance(each, AIMessage) for call in each.tool_calls}
        for requested in self._requested:
            known = requested.answer is not None or requested.id in last
            if known and not requested.ran and not ending.is_made_by(requested.name, requested.arguments):
                self._note_unseen_call(requested)
        return self._notes.reply(answer)

    def _note_unseen_call(self, requested: _RequestedCall) -> None:
        """Note a call that was requested but not seen running: the tool does not exist, or has no callbacks."""
        work = self._notes.add_unseen_call(
            requested.name, call=requested.id, arguments=requested.arguments, start=requested.time
        )
        work.parent = requested.by
        if requested.answer is not None:
            _record_result(work, requested.answer)

    # --- chains and graphs ---------------------------------------------------------------------

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **more: Any,
    ) -> None:
        """Note that a chain, graph or graph node starts."""
        parent = self._run(parent_run_id)
        is_node = any(tag.startswith("graph:step:") for tag in tags or ())
        run = self._runs[run_id] = _Run(name=more.get("name") or "", parent=parent, is_node=is_node, given=inputs)
        if is_node and parent is not None and not parent.is_graph:
            parent.is_graph = True
            self._enter(parent)
        if is_node and run.name in self._steps:
            run.work = self._notes.begin(self._steps[run.name], run.name, parent=_work_of(parent))

    def _enter(self, graph: _Run) -> None:
        """Note that a graph starts; inside another graph or a tool, it is a sub-agent."""
        above = graph.parent
        if above is None or (_work_of(above) is None and not _is_inside_graph(above)):
            return
        if above.work is not None and above.is_node:  # the body of a node that is declared as a step
            return
        name = graph.name if graph.name != _UNNAMED else _nearest_name(graph)
        graph.work = self._notes.begin("delegate", name, parent=_work_of(above), detail=_task(graph.given))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        """Note that a chain, graph or node has finished."""
        run = self._run(run_id)
        if run is not None and run.work is not None:
            self._notes.end(run.work)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        """Note that a chain, graph or node has failed."""
        run = self._run(run_id)
        if run is not None and run.work is not None:
            if not _is_control_flow(error):
                run.work.error = short_message(error)
            self._notes.end(run.work)

    # --- models --------------------------------------------------------------------------------

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Note a model call; the tool messages it is given settle earlier requests."""
        self._runs[run_id] = _Run(name="", parent=self._run(parent_run_id))
        for message in messages[0] if messages else ():
            self._note_tool_answer(message)

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """Note a call of a text completion model."""
        self._runs[run_id] = _Run(name="", parent=self._run(parent_run_id))

    def on_llm_new_token(self, token: Any, **more: Any) -> None:
        """Note when the first text is streamed."""
        if token:
            self._notes.token()

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        """Note a model's answer: usage and requested tools."""
        run = self._run(run_id)
        by = _work_of(run.parent) if run is not None else None
        if (usage := _usage(response)) is not None:
            self._notes.spend(usage, by)
        for generations in response.generations[:1]:
            for generation in generations[:1]:
                if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                    self._note_requests(generation.message.tool_calls, by)
                self._notes.answered(cut_off=_is_cut_off(generation))

    def _note_requests(self, calls: Sequence[Any], by: Work | None) -> None:
        self._notes.asked(call["id"] for call in calls)
        for call in calls:
            if call["id"] is not None:
                made = _RequestedCall(
                    id=call["id"], name=call["name"], arguments=call["args"], time=self._notes.now(), by=by
                )
                self._requested.append(made)
                self._latest[made.id] = made

    def _note_tool_answer(self, message: BaseMessage) -> None:
        if isinstance(message, ToolMessage) and (requested := self._latest.get(message.tool_call_id)) is not None:
            requested.answer = message

    # --- tools and retrievers ------------------------------------------------------------------

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Note that a tool starts."""
        name = (serialized or {}).get("name") or more.get("name") or "tool"
        arguments = inputs if isinstance(inputs, dict) else {"input": input_str}
        self._begin_tool(run_id, parent_run_id, name, arguments, call=more.get("tool_call_id"))

    def _begin_tool(
        self, run_id: UUID, parent_run_id: UUID | None, name: str, arguments: dict[str, Any], *, call: str | None
    ) -> None:
        parent = self._run(parent_run_id)
        run = self._runs[run_id] = _Run(name=name, parent=parent)
        requested = self._latest.get(call)
        if requested is not None and requested.name == name:
            requested.ran = True
            arguments = requested.arguments  # as written by the model, without injected arguments
        run.work = self._notes.begin("tool", name, parent=_work_of(parent), call=call, arguments=arguments)

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        """Note the result of a tool."""
        run = self._run(run_id)
        if run is not None and run.work is not None:
            if run.work.call is None:  # before langchain-core 1.2 only the result has the call id
                self._recognise(run.work, getattr(output, "tool_call_id", None))
            _record_result(run.work, _message_in(output, run.work.call))
            self._notes.end(run.work)

    def _recognise(self, work: Work, call: str | None) -> None:
        requested = self._latest.get(call)
        if requested is not None and requested.name == work.name:
            requested.ran = True
            work.call, work.arguments = call, requested.arguments

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        """Note the failure of a tool."""
        run = self._run(run_id)
        if run is not None and run.work is not None:
            if not _is_control_flow(error):
                run.work.error = short_message(error)
            self._notes.end(run.work)

    def on_retriever_start(
        self,
        serialized: dict[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Note that a retriever starts, unless a tool runs it."""
        above = _work_of(self._run(parent_run_id))
        if above is None or above.kind != "tool":
            name = more.get("name") or "retriever"
            self._begin_tool(run_id, parent_run_id, name, {"query": query}, call=None)

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **more: Any) -> None:
        """Note the documents that a retriever found."""
        found = [{**document.metadata, "content": document.page_content} for document in documents]
        self.on_tool_end(found, run_id=run_id)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        """Note the failure of a retriever."""
        self.on_tool_error(error, run_id=run_id)

    def _run(self, run_id: UUID | None) -> _Run | None:
        return self._runs.get(run_id) if run_id is not None else None


def _work_of(run: _Run | None) -> Work | None:
    """Return the work of a run or of its nearest ancestor that has one."""
    while run is not None:
        if run.work is not None:
            return run.work
        run = run.parent
    return None


def _is_inside_graph(run: _Run | None) -> bool:
    while run is not None:
        if run.is_graph:
            return True
        run = run.parent
    return False


def _nearest_name(graph: _Run) -> str:
    """Return a name for an unnamed graph: that of the tool or node it runs in."""
    above = graph.parent
    while above is not None:
        if above.work is not None or above.is_node:
            return above.name
        above = above.parent
    return graph.name


def _task(given: Any) -> str:
    """Return the task of a sub-agent: the last message of its input."""
    messages = given.get("messages") if isinstance(given, Mapping) else None
    last = messages[-1] if isinstance(messages, list) and messages else None
    if isinstance(last, BaseMessage):
        return str(last.text)[:_TASK]
    if isinstance(last, Mapping):
        last = last.get("content")
    elif isinstance(last, (list, tuple)) and len(last) == 2:
        last = last[1]
    return last[:_TASK] if isinstance(last, str) else ""


def _is_control_flow(error: BaseException) -> bool:
    """Whether the exception is how LangGraph pauses or hands over, rather than a failure."""
    return any(kind.__name__ == "GraphBubbleUp" for kind in type(error).__mro__)


def _message_in(output: Any, call: str | None) -> Any:
    """Return the tool message of a Command that hands over to another agent; any other output as it is."""
    update = getattr(output, "update", None) if type(output).__name__ == "Command" else None
    messages = update.get("messages") if isinstance(update, Mapping) else None
    if isinstance(messages, list):
        return next((each for each in messages if getattr(each, "tool_call_id", None) == call), None)
    return None if type(output).__name__ == "Command" else output


def _record_result(work: Work, output: Any) -> None:
    """Note the result or error of a tool."""
    if isinstance(output, ToolMessage):
        content = str(output.text) if output.content and isinstance(output.content, list) else output.content
        if output.status == "error":
            work.error = work.error or str(content)
            return
        output = content
    work.result = parse_embedded_json(plain(output))


def _is_cut_off(generation: Generation) -> bool:
    """Whether a model's answer was cut off at the output limit, by the message's or the provider's metadata."""
    metadata = generation.message.response_metadata if isinstance(generation, ChatGeneration) else {}
    return is_cut_off(metadata) or is_cut_off(generation.generation_info or {})


def _usage(response: LLMResult) -> Usage | None:
    """Return the usage of a model call, or None if it is not reported."""
    usages = [
        generation.message.usage_metadata
        for generations in response.generations
        for generation in generations
        if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage)
    ]
    known = [each for each in usages if each is not None]
    if not known:
        return None
    sent, received = (sum(each[name] for each in known) for name in ("input_tokens", "output_tokens"))
    return Usage(input_tokens=sent, output_tokens=received, calls=1)
