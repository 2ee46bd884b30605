"""LlamaIndex agents: a single agent or a workflow of agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.framework import answer_of, plain, summary
from proctor.agents.fresh import PerConversationAgent, find_maker, import_framework
from proctor.agents.notes import Notes, Work
from proctor.agents.options import must_be_none
from proctor.roles import Agent
from proctor.transcript import Reply, Request
from proctor.usage import Usage

_HAND_OFF = "handoff"
_EXECUTE = "execute"
"""The tool with which a code-writing agent runs its code."""


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`, or the one that the function there returns."""
    must_be_none(options, whose="a llama-index: agent", instead="configure it in its own code")
    workflow = import_framework("llama_index.core.agent.workflow", scheme="llama-index", install="llama-index")
    kinds = (workflow.AgentWorkflow, workflow.BaseWorkflowAgent)
    make, _ = find_maker(rest, kinds, expected="an agent of llama_index.core.agent.workflow")  # type: ignore[arg-type]
    return PerConversationAgent(lambda: _LlamaIndexDialogue(make()), name=f"llama-index:{rest}")


def adapt(target: Any, *, name: str) -> Agent:
    """Wrap a LlamaIndex agent. It is stateless: every run has its own context."""
    return PerConversationAgent(lambda: _LlamaIndexDialogue(target), name=name)


class _LlamaIndexDialogue:
    """One conversation: each question is a new run that is given the earlier turns."""

    def __init__(self, target: Any) -> None:
        self._target = target

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Run the agent and process its events."""
        handler = self._target.run(user_msg=request.question, chat_history=_history(request))
        hearing = _LlamaIndexListener(notes, writes_code=_writes_code(self._target))
        async for event in handler.stream_events():
            hearing.handle_event(event)
        output = await handler
        return notes.reply(answer_of(getattr(output, "structured_response", None) or str(output)))


def _writes_code(target: Any) -> bool:
    """Whether an agent calls its tools from code, which emits no events."""
    agents = getattr(target, "agents", None)
    kinds = {kind.__name__ for each in (agents.values() if agents else (target,)) for kind in type(each).__mro__}
    return "CodeActAgent" in kinds


def _history(request: Request) -> list[Any]:
    message = import_framework("llama_index.core.llms", scheme="llama-index", install="llama-index").ChatMessage
    context_text = summary(request.context)
    messages = [message(role="system", content=context_text)] if context_text else []
    for turn in request.history:
        messages.append(message(role="user", content=turn.question))
        if turn.reply is not None:
            messages.append(message(role="assistant", content=turn.reply.text))
    return messages


class _LlamaIndexListener:
    """Notes what the events of a run report."""

    def __init__(self, notes: Notes, *, writes_code: bool = False) -> None:
        self._notes = notes
        self._writes_code = writes_code
        self._first: str | None = None
        self._helper: Work | None = None
        """The sub-agent at work, or None for the first agent."""

    def handle_event(self, event: Any) -> None:
        """Process one event; most are ignored."""
        match type(event).__name__:
            case "AgentInput":
                self._turn_to(event.current_agent_name)
            case "AgentStream" if event.delta:
                self._notes.token()
            case "AgentOutput":
                self._notes.asked(call.tool_id for call in event.tool_calls)
                self._notes.spend(_usage(event.raw), by=self._helper)
            case "ToolCall" if event.tool_name != _HAND_OFF:
                if self._writes_code and event.tool_name == _EXECUTE:
                    self._notes.hide()
                self._notes.begin(
                    "tool", event.tool_name, parent=self._helper, call=event.tool_id, arguments=dict(event.tool_kwargs)
                )
            case "ToolCallResult" if (work := self._notes.call(event.tool_id)) is not None:
                _finish(work, event.tool_output, self._notes)

    def _turn_to(self, agent: str) -> None:
        self._first = self._first or agent
        if self._helper is not None and self._helper.name != agent:
            self._notes.end(self._helper)
            self._helper = None
        if agent != self._first and self._helper is None:
            self._helper = self._notes.begin("delegate", agent)


def _finish(work: Work, output: Any, notes: Notes) -> None:
    if output.is_error:
        work.error = str(output.content)
    else:
        work.result = plain(output.raw_output)
    notes.end(work)


def _usage(raw: Any) -> Usage:
    """Return the usage of a model call; tokens are 0 if not reported."""
    raw_usage = raw.get("usage") if isinstance(raw, Mapping) else getattr(raw, "usage", None)
    known = raw_usage if isinstance(raw_usage, Mapping) else plain(raw_usage) if raw_usage is not None else {}
    known = known if isinstance(known, Mapping) else {}
    return Usage(
        input_tokens=int(known.get("prompt_tokens") or known.get("input_tokens") or 0),
        output_tokens=int(known.get("completion_tokens") or known.get("output_tokens") or 0),
        calls=1,
    )
