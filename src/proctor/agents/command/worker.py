"""A program that is kept running: started on demand, restarted when it dies, replaced when it hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proctor.agents.command.dialogue import Message, PendingQuestions
from proctor.errors import Misconfigured


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramAnswer:
    """Answer of a program."""

    message: Message
    stderr: str
    """Standard error while it worked on the question."""


class Worker:
    """Sends questions to a program that is kept running; starts it at most once per question."""

    def __init__(
        self,
        make: Callable[[], PendingQuestions],
        *,
        restarts: int,
        greet: Callable[[PendingQuestions], Awaitable[None]] | None = None,
    ) -> None:
        """`greet` does the handshake with a program that was just started."""
        self._make = make
        self._greet = greet
        self._restarts = restarts
        self._starting = asyncio.Lock()
        self._current: PendingQuestions | None = None
        self._hung: set[PendingQuestions] = set()
        self._farewells: set[asyncio.Task[None]] = set()
        self._deaths = 0
        """Number of deaths in a row without an answer in between."""
        self._last_words = ""
        self.load = 0
        """Number of questions in progress or waiting."""

    async def begin(self) -> None:
        """Start the program if needed, so that its start does not count as answer time."""
        await self._running()

    async def ask(self, question: Callable[[], Mapping[str, Any]]) -> ProgramAnswer:
        """Ask the program; `question` is called once the program runs."""
        dialogue = await self._running()
        answered, spoken = dialogue.answers, dialogue.program.stderr_length
        try:
            message = await dialogue.ask(question())
        except asyncio.CancelledError:
            if dialogue.answers == answered:
                self._replace(dialogue)
            raise
        finally:
            self._kill_hung()
        self._deaths = 0
        return ProgramAnswer(message=message, stderr=dialogue.program.stderr(spoken))

    async def close(self) -> None:
        """Stop all programs."""
        if self._current is not None:
            self._stop_worker(self._current, patiently=True)
            self._current = None
        for dialogue in self._hung:
            self._stop_worker(dialogue, patiently=False)
        self._hung.clear()
        await asyncio.gather(*self._farewells)

    async def _running(self) -> PendingQuestions:
        async with self._starting:
            if self._current is not None and self._current.alive:
                return self._current
            if self._current is not None:
                self._discard_dead(self._current)
            if self._deaths > self._restarts:
                raise Misconfigured(
                    f"the program ended {self._deaths} times in a row without an answer; the last time it "
                    f"{self._last_words}; it is not started again (restarts = {self._restarts})"
                )
            self._current = await self._start_dialogue()
            return self._current

    async def _start_dialogue(self) -> PendingQuestions:
        dialogue = self._make()
        await dialogue.begin()
        try:
            if self._greet is not None:
                await self._greet(dialogue)
        except BaseException as error:
            if isinstance(error, Exception):
                self._count_death(dialogue)
            self._stop_worker(dialogue, patiently=False)
            raise
        return dialogue

    def _discard_dead(self, dialogue: PendingQuestions) -> None:
        self._count_death(dialogue)
        self._stop_worker(dialogue, patiently=False)
        self._current = None

    def _count_death(self, dialogue: PendingQuestions) -> None:
        self._deaths += 1
        self._last_words = dialogue.program.exit_message()

    def _replace(self, dialogue: PendingQuestions) -> None:
        """Use a new program for the next question; this one may still answer its pending questions."""
        if self._current is dialogue:
            self._current = None
            self._hung.add(dialogue)

    def _kill_hung(self) -> None:
        for dialogue in [each for each in self._hung if each.idle]:
            self._hung.discard(dialogue)
            self._stop_worker(dialogue, patiently=False)

    def _stop_worker(self, dialogue: PendingQuestions, *, patiently: bool) -> None:
        """Stop a program in the background."""
        task = asyncio.create_task(dialogue.end(patiently=patiently))
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)
