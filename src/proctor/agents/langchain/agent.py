"""A Runnable as an agent: invoke it, observe its callbacks, read its output."""

from __future__ import annotations

import sys
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableBinding, RunnableConfig, RunnableLambda, RunnableSequence

from proctor import threads
from proctor.agents.framework import ask, summary
from proctor.agents.http.template import Template
from proctor.agents.langchain.callbacks import Watcher, step_kinds
from proctor.agents.langchain.output import ending_of, read
from proctor.agents.notes import Notes
from proctor.errors import InputError
from proctor.transcript import Reply, Request, Turn

_QUESTIONS = ("question", "input", "query", "prompt", "user_input", "text")
_HISTORIES = ("chat_history", "history")


def unwrap_bindings(target: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """Return the Runnable without wrappers that only bind arguments or configuration."""
    while isinstance(target, RunnableBinding):
        target = target.bound
    return target


def graph_in(target: Runnable[Any, Any]) -> Any:
    """Return the compiled graph behind a Runnable, or None if it is no graph."""
    pregel = sys.modules.get("langgraph.pregel")  # already imported if the target is a graph
    inner = unwrap_bindings(target)
    return inner if pregel is not None and isinstance(inner, pregel.Pregel) else None


def input_of(target: Runnable[Any, Any]) -> Any:
    """Derive the input template from the Runnable's schema; raise InputError if the question's field is unclear."""
    if _begins_with_a_model(target):
        return "{{messages}}"
    keys = _keys(target)
    if keys is None:
        return "{{question}}"
    if "messages" in keys:
        return {"messages": "{{messages}}"}
    question = next((name for name in _QUESTIONS if name in keys), None)
    others = [name for name in keys if name not in _HISTORIES]
    if question is None and len(others) == 1:
        question = others[0]
    if question is None:
        raise InputError(
            f"the agent takes {', '.join(keys)}, and none of them is plainly the question; "
            'say what it is given, as in input = {topic = "{{question}}"}'
        )
    return {question: "{{question}}", **{name: "{{history}}" for name in keys if name in _HISTORIES}}


def _begins_with_a_model(target: Runnable[Any, Any]) -> bool:
    inner = unwrap_bindings(target)
    while isinstance(inner, RunnableSequence):
        inner = unwrap_bindings(inner.first)
    return isinstance(inner, BaseChatModel)


def _keys(target: Runnable[Any, Any]) -> list[str] | None:
    """Return the keys of its input, or None if it takes no mapping or has no usable schema."""
    state = getattr(getattr(graph_in(target), "builder", None), "input_schema", None)
    if state is not None and (declared := _declared_keys(state)):
        return declared
    try:
        schema = target.get_input_jsonschema()
    except Exception:  # some input types have no JSON schema
        return None
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) and properties else None


def _declared_keys(state: Any) -> list[str]:
    """Return the keys of a graph state declared as a Pydantic model, TypedDict or dataclass."""
    fields = getattr(state, "model_fields", None)
    if isinstance(fields, Mapping):
        return list(fields)
    kinds = reversed(getattr(state, "__mro__", ()))
    return list(dict.fromkeys(name for kind in kinds for name in vars(kind).get("__annotations__", ())))


@dataclass(slots=True, kw_only=True)
class _ConversationThreads:
    """The threads of one conversation."""

    resumed: bool
    """Whether an earlier process started it."""
    answered: int = 0
    """Number of turns answered in the current thread."""
    context: str | None = None
    """The context that it was last given."""
    threads: list[str] = field(default_factory=list)

    def begin(self, conversation: str) -> None:
        """Start a thread with the conversation's id, or with a new one if that may be in use."""
        fresh = not self.threads and not self.resumed
        self.threads.append(conversation if fresh else f"{conversation}~{uuid.uuid4().hex[:8]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphThread:
    """The thread in which one question is asked."""

    id: str
    known: bool
    """Whether it already contains the earlier turns."""
    context: str | None
    """Context to send with the question; None if the thread has it or there is none."""


class ThreadMemory:
    """Maps conversations to threads of a graph with a checkpointer; without one there is nothing to track."""

    def __init__(self, graph: Any, *, blocking: bool | None) -> None:
        saver = getattr(graph, "checkpointer", None)
        self._saver = saver if hasattr(saver, "delete_thread") else None
        self._blocking = blocking
        self.kept = self._saver is not None
        self._conversations: dict[str, _ConversationThreads] = {}

    @asynccontextmanager
    async def thread(self, request: Request) -> AsyncIterator[GraphThread]:
        """Return the thread of the conversation. After a failed question, a new thread is started.

        A resumed run starts a new thread too, because the state that an earlier process left is unknown.
        """
        if self._saver is None:
            yield GraphThread(id=request.conversation, known=False, context=request.context)
            return
        kept = self._conversations.setdefault(request.conversation, _ConversationThreads(resumed=bool(request.history)))
        known = kept.answered > 0 and kept.answered == len(request.history)
        if not known:
            kept.begin(request.conversation)
        knows_context = known and kept.context == request.context
        kept.answered = 0  # until this question is answered
        yield GraphThread(id=kept.threads[-1], known=known, context=None if knows_context else request.context)
        kept.answered, kept.context = len(request.history) + 1, request.context

    async def forget(self, conversation: str) -> None:
        """Forget the conversation, and delete its threads from the checkpointer."""
        kept = self._conversations.pop(conversation, None)
        if kept is None or self._saver is None:
            return
        for thread in kept.threads:
            if self._blocking:
                await threads.call(self._saver.delete_thread, thread)
            else:
                await self._saver.adelete_thread(thread)


_HANDS_OVER = frozenset({"context", "history", "messages"})


class InputWriter:
    """Builds the input of a Runnable."""

    def __init__(self, target: Runnable[Any, Any], options: Mapping[str, Any]) -> None:
        source = options["input"] if "input" in options else input_of(target)
        self._template = Template(source, option="input")
        self._in_front = options.get("context") == "question"
        self.hands_over = not self._template.uses.isdisjoint(_HANDS_OVER)

    def given(self, request: Request, *, known: bool, context: str | None) -> tuple[Any, str]:
        """Return the input, and the id of the message with the question.

        If the Runnable remembers the conversation, only new content is sent.
        """
        asked = HumanMessage(content=request.question, id=str(uuid.uuid4()))
        history = [] if known else [message for turn in request.history for message in _turn_messages(turn)]
        values = self._template.values(request, None)
        values |= {"history": history, "messages": self._messages(context, history, asked, known=known)}
        values["context"] = request.context or ""
        return self._template.fill(values), asked.id or ""

    def _messages(
        self, context: str | None, history: list[BaseMessage], asked: HumanMessage, *, known: bool
    ) -> list[BaseMessage]:
        """Return all messages as one list. Providers accept system messages only at the start."""
        context_text = summary(context)
        if context_text is None:
            return [*history, asked]
        if self._in_front or known:
            return [*history, asked.model_copy(update={"content": f"{context_text}\n\n{asked.content}"})]
        return [SystemMessage(content=context_text), *history, asked]


def _turn_messages(turn: Turn) -> list[BaseMessage]:
    asked: list[BaseMessage] = [HumanMessage(content=turn.question)]
    return asked if turn.reply is None else [*asked, AIMessage(content=turn.reply.text)]


class LangChainAgent:
    """A Runnable that serves every conversation; its own memory is kept apart by thread id."""

    def __init__(self, target: Runnable[Any, Any], *, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self._target = target
        self._graph = graph_in(target)
        self._memory = ThreadMemory(self._graph, blocking=options.get("sync"))
        self._writer = InputWriter(target, options)
        self.takes_request = self._writer.hands_over or self._memory.kept
        self._output = options.get("output")
        self._steps = step_kinds(options.get("steps", {}))
        self._streams = options.get("stream", False)
        self._blocks = options.get("sync", _is_blocking(target))

    async def reply(self, request: Request) -> Reply:
        """Ask the agent. A thread whose turn failed is not continued."""
        return await ask(request, lambda notes: self._reply(request, notes))

    async def _reply(self, request: Request, notes: Notes) -> Reply:
        watcher = Watcher(notes, self._steps)
        async with self._memory.thread(request) as thread:
            given, question = self._writer.given(request, known=thread.known, context=thread.context)
            config: RunnableConfig = {"callbacks": [watcher], "configurable": {"thread_id": thread.id}}
            output = await self._run(given, config)
            answer = read(output, key=self._output, question=question)
        return watcher.reply(answer, ending_of(output, question=question))

    async def forget(self, conversation: str) -> None:
        """Delete the conversation from the agent's memory."""
        await self._memory.forget(conversation)

    async def close(self) -> None:
        """Nothing is open."""

    async def _run(self, given: Any, config: RunnableConfig) -> Any:
        if self._blocks:
            return await threads.call(self._target.invoke, given, config)
        if not self._streams:
            return await self._target.ainvoke(given, config)
        return await (self._stream_graph(given, config) if self._graph is not None else self._stream(given, config))

    async def _stream_graph(self, given: Any, config: RunnableConfig) -> Any:
        """Return the final state of a graph, with its models streaming."""
        state: Any = None
        modes = ["messages", "values"]  # "messages" makes the models stream, "values" yields the state
        async for mode, value in self._target.astream(given, config, stream_mode=modes):
            if mode == "values":
                state = value
        return state

    async def _stream(self, given: Any, config: RunnableConfig) -> Any:
        """Return all streamed chunks, added up."""
        output: Any = None
        async for piece in self._target.astream(given, config):
            try:
                output = piece if output is None else output + piece
            except TypeError:
                output = piece  # without addition, each chunk replaces the last
        return output


def _is_blocking(target: Runnable[Any, Any]) -> bool:
    """Whether its async method only wraps the sync one in a thread pool, which a hanging call would block forever."""
    inner = unwrap_bindings(target)
    if isinstance(inner, RunnableLambda):
        return not hasattr(inner, "afunc")
    return type(inner).ainvoke is Runnable.ainvoke
