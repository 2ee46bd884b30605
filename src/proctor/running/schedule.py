"""Play attempts concurrently in this process, with one stream of records.

Two threads share the work. The driver's thread takes records in batches, stores them and asks for more; the stage's
thread runs the event loop, on which every attempt is a separate task. Nothing that an agent does on the stage affects
the driver.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Awaitable, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import Context, copy_context
from typing import Any

from proctor import threads
from proctor.errors import BudgetSpent, Misconfigured
from proctor.redaction import without_secrets
from proctor.roles import LETS_FINISH, Agent, Examiner, Halt, Reviewer
from proctor.run import Failure, Finished, PendingAttempt, Record, Settings
from proctor.running.attempt import Player, asks_nobody
from proctor.running.clock import CHARGED, ChargedAttempt, LoopClock
from proctor.running.play import Play
from proctor.threads import Stage

WINDOW = 0.02
"""Seconds for which records are collected before they are handed over; including the write, well under 50 ms."""
_TICK = 0.1
"""Maximum wait in seconds before the driver gets a batch, even an empty one, so that it can check for interruptions."""
_FAREWELL = 1.0
"""Seconds for interrupted calls to clean up."""
_OUT_OF_TOUCH = 2.0
"""Seconds without a sign of life from the driver after which no calls are made until it responds: the whole process may
have been suspended, and another process may have taken over its run."""
_RESTARTS = 3
"""How often an attempt continues in a new task after its task was cancelled from outside."""
_SHORTEST_PATIENCE = 3.0
"""Minimum time in seconds before a loop that stays blocked is given up."""
STORM = 20
"""Number of consecutive environment failures after which the run stops."""


class _AttemptTask(asyncio.Task["Failure | None"]):
    """Task that plays one attempt, and records which attempt cancelled it."""

    cancelled_by: ChargedAttempt | None = None

    def cancel(self, msg: Any | None = None) -> bool:
        self.cancelled_by = CHARGED.get()
        return super().cancel(msg)


class FailureStreak:
    """Counts consecutive environment failures."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def reason_to_end(self, failure: Failure | None) -> str | None:
        """Count the outcome of an attempt; return why the run has to end, or None."""
        if failure is None or failure.owner == "agent":
            self._in_a_row = 0
            return None
        self._in_a_row += 1
        if self._in_a_row < STORM:
            return None
        return f"{STORM} environment failures in a row, the last: {failure.reason}"


class LocalExecutor:
    """Plays attempts on one event loop. If it ended early, `halt` and `reason` say why."""

    def __init__(
        self,
        *,
        agent: Agent,
        reviewers: Sequence[Reviewer],
        settings: Settings,
        stage: Stage,
        examiner: Examiner | None = None,
        faults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.halt: Halt | None = None
        self.reason = ""
        self._concurrency = settings.concurrency
        self._stage = stage
        self._process = os.getpid()
        self._queue: Iterator[PendingAttempt] = iter(())
        self._context = Context()
        self._playing: dict[asyncio.Task[Failure | None], Play] = {}
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._storm = FailureStreak()
        self._stopping = False
        self._stopped_at = float("inf")
        self._error: BaseException | None = None
        self._records: deque[Record] = deque()
        self._taken: list[Record] = []
        self._answered = 0  # written by the stage's thread only, `_saved` by the driver's only
        self._saved = 0
        self._reviews_cost = not all(map(asks_nobody, reviewers))
        self._starved = False
        self._in_touch = time.monotonic()
        self._exhausted = False
        self._arrived, self._urgent, self._over = threading.Event(), threading.Event(), threading.Event()
        self._clock = LoopClock(patience=max(3 * settings.timeout, _SHORTEST_PATIENCE), give_up=self._on_blocked_loop)
        self._player = Player(
            agent=agent,
            reviewers=reviewers,
            settings=settings,
            emit=self._take,
            stored=self._until_stored,
            room=self._until_room,
            clock=self._clock,
            cancelled_itself=self._has_cancelled_itself,
            examiner=examiner,
            faults=faults,
        )

    def execute(self, pending_attempts: Iterable[PendingAttempt]) -> Generator[Sequence[Record], None, None]:
        """Play the attempts; yield records in batches, some of them empty.

        A batch counts as stored when the next one is requested.
        """
        self._queue, self._context = iter(pending_attempts), copy_context()
        if not self._stage.soon(self._begin):
            raise RuntimeError("the event loop of the run is closed")
        try:
            while self._records or not self._is_over():
                self._next_batch()
                yield tuple(self._taken)
                self._count_saved()
            if self._error is not None:
                raise self._error
            if self._stage.interrupted.is_set() and not self._has_come_to_its_end():
                raise threads.Interrupted
        finally:
            self._dismiss()

    def leftover(self) -> Sequence[Record]:
        """Return records that may not be stored yet, so that they can be stored after an interruption."""
        while self._records:
            self._taken.append(self._records.popleft())
        return tuple(self._taken)

    def stop(self) -> None:
        """Begin no more attempts, cancel calls in flight, and hand over the remaining records."""
        self.end("stopped")

    def end(self, halt: Halt, reason: str = "") -> None:
        """End early for this reason; thread-safe."""
        if self.halt is None:
            self.halt, self.reason = halt, without_secrets(reason)
        if halt in LETS_FINISH:
            return
        self._stopping = True
        self._stopped_at = min(self._stopped_at, time.monotonic())
        self._stage.soon(self._cancel_all)

    # in the driver's thread

    def _is_over(self) -> bool:
        """Whether no more records will come; tasks that ignore their cancellation are not waited for."""
        return self._over.is_set() or time.monotonic() - self._stopped_at > _FAREWELL

    def _has_come_to_its_end(self) -> bool:
        """Whether everything has been played, so that there is nothing left to interrupt."""
        return self._exhausted and self._over.is_set()

    def _next_batch(self) -> None:
        if self._stage.interrupted.is_set() and not self._has_come_to_its_end():
            raise threads.Interrupted
        if self._arrived.wait(_TICK):
            self._urgent.wait(WINDOW)
        self._arrived.clear()
        self._urgent.clear()
        self.leftover()

    def _count_saved(self) -> None:
        self._saved += sum(map(self._is_answer, self._taken))
        self._taken.clear()
        self._in_touch = time.monotonic()
        if self._starved or self._waiting:
            self._stage.soon(self._go_on)

    def _dismiss(self) -> None:
        """Cancel everything still running, and give it a moment to end."""
        self._clock.stop()
        if self._over.is_set() or self.halt == "blocked":
            return
        self._stopping = True
        if self._stage.soon(self._cancel_all):
            self._over.wait(_FAREWELL)

    # on the stage

    def _begin(self) -> None:
        self._clock.start(self._stage.loop)
        self._fill()

    def _is_stopping(self) -> bool:
        return self._stopping or self._stage.is_ending

    def _has_cancelled_itself(self) -> bool:
        """Whether the attempt of the current task cancelled it itself, rather than Proctor or another attempt."""
        task = asyncio.current_task()
        by = task.cancelled_by if isinstance(task, _AttemptTask) else None
        return not self._is_stopping() and (by is None or by is CHARGED.get())

    def _go_on(self) -> None:
        """Wake those waiting for records that are now stored, and begin more attempts."""
        still = [(number, waiter) for number, waiter in self._waiting if number > self._saved]
        for number, waiter in self._waiting:
            if number <= self._saved and not waiter.done():
                waiter.set_result(None)
        self._waiting, self._starved = still, False
        self._fill()

    def _fill(self) -> None:
        """Begin attempts up to the concurrency limit; when none are left, mark the run as over."""
        while len(self._playing) < self._concurrency and self._may_begin() and self._has_room():
            try:
                pending = next(self._queue)
            except StopIteration:
                self._exhausted = True
                break
            except BaseException as error:  # reading from the store may raise
                self._error = error
                self.end("stopped")
                break
            self._start(self._player.begin(pending))
        if not self._playing and not self._starved:
            self._over.set()
            self._urgent.set()
            self._arrived.set()

    def _may_begin(self) -> bool:
        return self.halt is None and not self._is_stopping()

    def _has_room(self) -> bool:
        """Whether the journal keeps up: answers not stored yet would have to be paid for again after a crash."""
        if self._surplus() < 0 and not self._is_out_of_touch():
            return True
        self._starved = True  # set before checking again: the driver may just have stored something
        if self._surplus() < 0 and not self._is_out_of_touch():
            self._starved = False
            return True
        if not self._urgent.is_set():  # checked first, as setting it takes a lock
            self._urgent.set()
        return False

    def _until_room(self, kept: bool) -> Awaitable[None] | None:
        """Return what to await before a call, so that the number of answers not yet stored stays limited.

        The first answer of an attempt was counted when it began: its room is `kept`.
        """
        if (kept or self._surplus() <= 0) and not self._is_out_of_touch():
            return None
        return self._wait_for_room(kept)

    async def _wait_for_room(self, kept: bool) -> None:
        while ((surplus := self._surplus()) > 0 and not kept) or self._is_out_of_touch():
            waiter = self._stage.loop.create_future()
            self._waiting.append((self._saved + max(0, surplus), waiter))
            self._urgent.set()
            await waiter

    def _surplus(self) -> int:
        """Return by how much the unsaved answers would exceed the limit if all attempts in progress were answered."""
        return self._answered - self._saved + len(self._playing) - 2 * self._concurrency

    def _is_out_of_touch(self) -> bool:
        return time.monotonic() - self._in_touch > _OUT_OF_TOUCH

    def _start(self, play: Play) -> None:
        task = _AttemptTask(self._player.play(play), loop=self._stage.loop, context=self._context.copy())
        self._playing[task] = play
        task.add_done_callback(self._done, context=self._context)

    def _done(self, task: asyncio.Task[Failure | None]) -> None:
        """Handle the end of an attempt, or of the task that played it."""
        play = self._playing.pop(task)
        if task.cancelled():
            self._play_on(play)
        elif (error := task.exception()) is None:
            self._watch_for_storm(task.result())
        else:
            self._end_with(error)
        self._starved = False
        self._fill()

    def _end_with(self, error: BaseException) -> None:
        if isinstance(error, BudgetSpent):
            self.end("spent", str(error))
        elif isinstance(error, Misconfigured):
            self.end("misconfigured", str(error))
        else:
            self._error = self._error or error
            self.end("stopped")

    def _play_on(self, play: Play) -> None:
        """Continue a cancelled attempt: if an agent cancelled it, in a new task that no agent has a reference to."""
        if play.over:
            return
        if self._is_stopping():
            self._player.cut_off(play)
        elif play.restarts >= _RESTARTS:
            self._watch_for_storm(self._player.give_up(play))
        else:
            play.restarts += 1
            self._start(play)

    def _cancel_all(self) -> None:
        for task in self._playing:
            task.cancel()
        if not self._playing:
            self._starved = False
            self._fill()

    def _take(self, record: Record) -> None:
        threads.end_a_forked_child(self._process)
        self._records.append(record)
        self._answered += self._is_answer(record)
        if not self._arrived.is_set():
            self._arrived.set()

    async def _until_stored(self) -> None:
        if self._answered <= self._saved:
            return
        waiter = self._stage.loop.create_future()
        self._waiting.append((self._answered, waiter))
        if len(self._waiting) >= len(self._playing):  # all attempts wait for the journal: no more records will come
            self._urgent.set()
        await waiter

    def _is_answer(self, record: Record) -> bool:
        """Whether a record holds the result of a call that would be paid for again if the record were lost.

        The review of a single reply, like that of a whole conversation, comes with the outcome.
        """
        return self._reviews_cost if isinstance(record, Finished) else True

    def _watch_for_storm(self, failure: Failure | None) -> None:
        if (reason := self._storm.reason_to_end(failure)) is not None:
            self.end("storm", reason)

    # in the clock's thread

    def _on_blocked_loop(self, message: str) -> None:
        """Give up a loop that stays blocked: nothing can be cancelled on it, so it is abandoned."""
        if self.halt is None:
            self.halt, self.reason = "blocked", message
        self._over.set()
        self._urgent.set()
        self._arrived.set()
