"""Attempts side by side in this process: bounded concurrency, and one stream of records."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from proctor.errors import BudgetSpent, Misconfigured
from proctor.redaction import without_secrets
from proctor.roles import Agent, Examiner, Reviewer
from proctor.run import Failure, Record, Settings, Sitting
from proctor.running.attempt import Player

WINDOW = 0.02
"""Seconds that records may gather before they are handed over; with the write itself well under 50 ms."""
_CROWD = 2000
"""Records that may wait for the journal before the players pause."""
_BREATH = 0.01
"""Seconds after which a player that never waits lets the others in."""
_FAREWELL = 1.0
"""Seconds that interrupted calls get to clean up."""
STORM = 20
"""Environment failures in a row, without one success, after which the run stops."""

Halt = Literal["stopped", "storm", "spent", "misconfigured"]


class LocalExecutor:
    """Plays attempts with asyncio. Why it ended early, if it did, stands in `halt` and `reason`."""

    def __init__(
        self,
        *,
        agent: Agent,
        reviewers: Sequence[Reviewer],
        settings: Settings,
        examiner: Examiner | None = None,
        faults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.halt: Halt | None = None
        self.reason = ""
        self._concurrency = settings.concurrency
        self._records: list[Record] = []
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._in_a_row = 0
        self._breath = 0.0
        self._crew: list[asyncio.Task[None]] = []
        self._player = Player(
            agent=agent, reviewers=reviewers, settings=settings, emit=self._take, examiner=examiner, faults=faults
        )

    async def execute(self, sittings: Iterable[Sitting]) -> AsyncGenerator[Sequence[Record], None]:
        """Play them; yield what happened in batches."""
        queue = iter(sittings)
        self._breath = time.monotonic()
        self._crew = [asyncio.create_task(self._work(queue)) for _ in range(self._concurrency)]
        whole = asyncio.gather(*self._crew, return_exceptions=True)
        whole.add_done_callback(lambda _: self._arrived.set())
        try:
            while True:
                await self._arrived.wait()
                if not whole.done():
                    await asyncio.wait({whole}, timeout=WINDOW)
                self._arrived.clear()
                batch = self.leftover()
                self._room.set()
                if batch:
                    yield batch
                if whole.done() and not self._records:
                    break
                if whole.done():
                    self._arrived.set()
            _raise_first(whole.result())
        finally:
            self._end(None)
            await asyncio.wait(self._crew, timeout=_FAREWELL)

    def leftover(self) -> Sequence[Record]:
        """Records that nobody has been handed yet: what an interruption must still store."""
        records, self._records = self._records, []
        return records

    def stop(self) -> None:
        """Begin nothing more, drop calls in flight, hand over what is left."""
        self._end("stopped")

    def _end(self, halt: Halt | None, reason: str = "") -> None:
        if halt is not None and self.halt is None:
            self.halt, self.reason = halt, reason
        if halt == "spent":  # calls in flight were let in and are paid: each attempt ends by itself at its next one
            return
        current = asyncio.current_task()
        for task in self._crew:
            if task is not current:
                task.cancel()

    def _take(self, record: Record) -> None:
        self._records.append(record)
        self._arrived.set()

    async def _work(self, queue: Iterator[Sitting]) -> None:
        for sitting in queue:
            try:
                failure = await self._player.play(sitting)
            except BudgetSpent as error:
                self._end("spent", str(error))
            except Misconfigured as error:
                self._end("misconfigured", without_secrets(str(error)))
            else:
                self._watch_for_storm(failure)
            if self.halt is not None:
                return
            await self._breathe()

    def _watch_for_storm(self, failure: Failure | None) -> None:
        if failure is None or failure.owner == "agent":
            self._in_a_row = 0
            return
        self._in_a_row += 1
        if self._in_a_row >= STORM:
            self._end("storm", f"{STORM} environment failures in a row, the last: {failure.reason}")

    async def _breathe(self) -> None:
        """Wait while the journal is behind; let other players in when nobody else does."""
        if len(self._records) > _CROWD:
            self._room.clear()
            await self._room.wait()
        now = time.monotonic()
        if now - self._breath > _BREATH:
            self._breath = now
            await asyncio.sleep(0)


def _raise_first(results: Sequence[object]) -> None:
    """A bug in the engine itself must not pass for the end of the work."""
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result
