"""An OpenAI Agents SDK agent: run it, observe it, read its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import agents
from agents import MessageOutputItem, Runner
from proctor.agents.framework import answer_of, ask, summary
from proctor.agents.notes import Notes
from proctor.agents.openai_agents.hooks import RunWatcher, watch_nested_runs, watch_spans
from proctor.errors import AgentFault
from proctor.transcript import Citation, Reply, Request


class OpenAIAgentsAgent:
    """An agent that serves every conversation. It is stateless and is given the earlier turns."""

    takes_request = True

    def __init__(
        self,
        target: agents.Agent[Any],
        *,
        name: str,
        context: Callable[[], Any] = lambda: None,
        max_turns: int | None = None,
        stream: bool = False,
    ) -> None:
        self.name = name
        self._target = target
        self._context = context
        self._limit = {} if max_turns is None else {"max_turns": max_turns}
        self._streams = stream
        watch_nested_runs()

    async def reply(self, request: Request) -> Reply:
        """Run the agent."""
        return await ask(request, lambda notes: self._reply(request, notes))

    async def _reply(self, request: Request, notes: Notes) -> Reply:
        watching = RunWatcher(notes, self._target)
        with watch_spans(watching):
            result = await self._run(_items(request), watching)
            watching.finish()
        if result.interruptions:
            wanted = [item.name for item in result.interruptions]
            raise AgentFault(
                f"the agent stopped to have somebody approve {wanted!r}; nobody can do so during an evaluation"
            )
        answer = answer_of(result.final_output)
        if isinstance(answer, str):
            answer = Reply(text=answer, citations=tuple(_citations(result.new_items)))
        return notes.reply(answer)

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    async def _run(self, items: list[Any], watching: RunWatcher) -> Any:
        settings: dict[str, Any] = {"context": self._context(), "hooks": watching, **self._limit}
        if not self._streams:
            return await Runner.run(self._target, items, **settings)
        result = Runner.run_streamed(self._target, items, **settings)
        try:
            async for event in result.stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    watching.notes.token()
        finally:
            result.cancel()  # no effect on a finished run
        return result


def _items(request: Request) -> list[Any]:
    """Return context, history and question as input items; the context is a system message."""
    context_text = summary(request.context)
    items = [{"role": "system", "content": context_text}] if context_text is not None else []
    for turn in request.history:
        items.append({"role": "user", "content": turn.question})
        if turn.reply is not None:
            items.append({"role": "assistant", "content": turn.reply.text})
    return [*items, {"role": "user", "content": request.question}]


def _citations(items: Iterable[Any]) -> Iterable[Citation]:
    """Return the sources cited by the last message."""
    messages = [item for item in items if isinstance(item, MessageOutputItem)]
    for part in messages[-1].raw_item.content if messages else ():
        for note in getattr(part, "annotations", None) or ():
            names = (getattr(note, name, None) for name in ("url", "filename", "file_id"))
            source = next((name for name in names if name), None)
            if source is not None:
                yield Citation(source=source)
