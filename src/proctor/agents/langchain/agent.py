"""One Runnable as an agent: ask it, watch it, read what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from proctor import threads
from proctor.agents.framework import ask
from proctor.agents.langchain.callbacks import Watcher, step_kinds
from proctor.agents.langchain.input import Writer
from proctor.agents.langchain.memory import Memory
from proctor.agents.langchain.output import ending_of, read
from proctor.agents.langchain.shape import graph_in, unwrapped
from proctor.agents.notes import Notes
from proctor.transcript import Reply, Request


class LangChainAgent:
    """A Runnable that serves every conversation; what it remembers itself, it remembers under their ids."""

    def __init__(self, target: Runnable[Any, Any], *, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self._target = target
        self._graph = graph_in(target)
        self._memory = Memory(self._graph, blocking=options.get("sync"))
        self._writer = Writer(target, options)
        self.takes_request = self._writer.hands_over or self._memory.kept
        self._output = options.get("output")
        self._steps = step_kinds(options.get("steps", {}))
        self._streams = options.get("stream", False)
        self._blocks = options.get("sync", _is_blocking(target))

    async def reply(self, request: Request) -> Reply:
        """Ask. What was begun in the agent's memory and broke off is not gone on with."""
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
        """Have the agent's memory drop the conversation."""
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
        """The last state of a graph whose models stream."""
        state: Any = None
        modes = ["messages", "values"]  # the first makes models stream, the second tells the outcome
        async for mode, value in self._target.astream(given, config, stream_mode=modes):
            if mode == "values":
                state = value
        return state

    async def _stream(self, given: Any, config: RunnableConfig) -> Any:
        """Everything that was streamed, put together."""
        whole: Any = None
        async for piece in self._target.astream(given, config):
            try:
                whole = piece if whole is None else whole + piece
            except TypeError:
                whole = piece  # pieces that cannot be added each replace the last
        return whole


def _is_blocking(target: Runnable[Any, Any]) -> bool:
    """Whether its async side would only run the other one in a pool, which a call that hangs would block for ever."""
    inner = unwrapped(target)
    if isinstance(inner, RunnableLambda):
        return not hasattr(inner, "afunc")
    return type(inner).ainvoke is Runnable.ainvoke
