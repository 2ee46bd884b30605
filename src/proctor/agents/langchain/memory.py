"""A graph that remembers: which of its threads a conversation has, and what is known there already."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from proctor import threads
from proctor.transcript import Request


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What is kept of one conversation."""

    resumed: bool
    """Whether it was begun by an earlier process."""
    answered: int = 0
    """Turns that the current thread has answered."""
    context: str | None = None
    """What it was last told of the conversation so far."""
    threads: list[str] = field(default_factory=list)

    def begin(self, conversation: str) -> None:
        """Begin a thread under the conversation's own id, or one that nobody has used."""
        fresh = not self.threads and not self.resumed
        self.threads.append(conversation if fresh else f"{conversation}~{uuid.uuid4().hex[:8]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Where one question is asked."""

    id: str
    known: bool
    """Whether the turns before it were asked there too."""
    context: str | None
    """What is to be told of the conversation so far; None: it is known, or there is nothing."""


class Memory:
    """The threads of a graph with a checkpointer; without one there is nothing to know."""

    def __init__(self, graph: Any, *, blocking: bool | None) -> None:
        saver = getattr(graph, "checkpointer", None)
        self._saver = saver if hasattr(saver, "delete_thread") else None
        self._blocking = blocking
        self.kept = self._saver is not None
        self._conversations: dict[str, _Kept] = {}

    @asynccontextmanager
    async def thread(self, request: Request) -> AsyncIterator[Thread]:
        """The thread of the conversation. One in which a question was asked in vain is left, and another begun.

        A run that is resumed begins another too: what an earlier process left in it is not known.
        """
        if self._saver is None:
            yield Thread(id=request.conversation, known=False, context=request.context)
            return
        kept = self._conversations.setdefault(request.conversation, _Kept(resumed=bool(request.history)))
        known = kept.answered > 0 and kept.answered == len(request.history)
        if not known:
            kept.begin(request.conversation)
        told = known and kept.context == request.context
        kept.answered = 0  # until this question is answered too
        yield Thread(id=kept.threads[-1], known=known, context=None if told else request.context)
        kept.answered, kept.context = len(request.history) + 1, request.context

    async def forget(self, conversation: str) -> None:
        """Drop the conversation, and its threads from the graph's own store."""
        kept = self._conversations.pop(conversation, None)
        if kept is None or self._saver is None:
            return
        for thread in kept.threads:
            if self._blocking:
                await threads.call(self._saver.delete_thread, thread)
            else:
                await self._saver.adelete_thread(thread)
