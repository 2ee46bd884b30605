"""The driver's side of a crew: one Executor over many workers. Independent of transport and store.

It alone yields records. One thread serves each worker: it sends an order, waits for the report, and sends the next
order once what was reported is stored. Reports are noted turn by turn, so that another worker can continue an attempt
where it was lost.
"""

from __future__ import annotations

import contextvars
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace

from proctor import threads
from proctor.redaction import without_secrets
from proctor.roles import LETS_FINISH, Halt
from proctor.run import Failure, Finished, PendingAttempt, Record
from proctor.running.schedule import FailureStreak
from proctor.running.workers import messages
from proctor.running.workers.attempt_queue import AttemptQueue
from proctor.running.workers.held import MOST_DEATHS
from proctor.running.workers.ledger import Ledger
from proctor.running.workers.link import Link, NoPlace, Transport, TransportLost, WorkerLost
from proctor.running.workers.messages import Brief, Hello, Order, WorkerReport
from proctor.running.workers.worker_slot import WorkerSlot
from proctor.spending.budget import Budget
from proctor.threads import Stage
from proctor.usage import WorkerCounts

_TICK = 0.1
"""Maximum wait in seconds before the store's side gets a batch, even an empty one."""
_GATHER = 0.01
"""Seconds for which reports of several workers are collected, so that they are stored together."""
_SOON = 0.02
"""Seconds that a worker may wait for something to report while it is owed a response itself."""
_FAREWELL = 1.0
"""Seconds for workers to cancel calls in flight when a run is stopped."""
_LONG_FAREWELL = 12.0
"""Seconds for workers to close connections at the end of a run."""
_FAILED_STARTS = 3
"""Number of consecutive workers that may die before their hello."""
_PLACE_PATIENCE = 300.0
"""Seconds to wait until the cluster has room for any worker at all: it may have to start machines first."""


class _OutOfTouch(WorkerLost):
    """The worker stopped because this process was silent: no attempt is to blame."""


class CrewExecutor:
    """Plays attempts with many workers. Satisfies `proctor.roles.Executor`."""

    def __init__(
        self,
        *,
        transport: Transport,
        brief: Brief,
        workers: int,
        stage: Stage,
        budget: Budget | None = None,
        on_lost: Callable[[str], None] = lambda told: None,
    ) -> None:
        """`brief.places` is the total over all workers; `on_lost` is called with a message when a worker dies."""
        self.halt: Halt | None = None
        self.reason = ""
        self._transport, self._brief, self._stage, self._on_lost = transport, brief, stage, on_lost
        self._lock = threading.RLock()
        self._arrived = threading.Condition(self._lock)
        count = max(1, min(workers, brief.places))
        shares = [brief.places // count + (number < brief.places % count) for number in range(count)]
        self._seats = [WorkerSlot(places=share, news=threading.Condition(self._lock)) for share in shares]
        self._dealer = AttemptQueue((), places=brief.places)
        self._ledger = Ledger(budget)
        self._links: dict[WorkerSlot, Link] = {}
        self._records: list[Record] = []
        self._taken: list[Record] = []
        self._attending = self._started = self._lost = self._failed_starts = 0
        self._spent = dict.fromkeys(("starting", "playing", "storing", "idle"), 0.0)
        self._storm = FailureStreak()
        self._began, self._stopped_at = time.monotonic(), math.inf
        self._dismissed = False
        self._error: BaseException | None = None

    @property
    def counts(self) -> WorkerCounts:
        """Counts of workers and attempts so far."""
        count, moved = len(self._seats), self._dealer.moved
        return WorkerCounts(workers=count, lost=self._lost, moved=moved, kind=self._transport.kind, **self._spent)

    def execute(self, pending_attempts: Iterable[PendingAttempt]) -> Generator[Sequence[Record], None, None]:
        """Play the attempts; yield records in batches. A batch counts as stored when the next one is requested."""
        self._dealer = AttemptQueue(pending_attempts, places=self._brief.places)
        self._attending, self._began = len(self._seats), time.monotonic()
        for seat in self._seats:
            run = contextvars.copy_context().run
            threading.Thread(target=run, args=(self._attend, seat), name="proctor-crew", daemon=True).start()
        try:
            while not self._is_over():
                marks = self._next_batch()
                yield tuple(self._taken)
                self._count_stored(marks)
            if self._error is not None:
                raise self._error
            self._check_interrupted()
        finally:
            self._dismiss()
            self._transport.close()

    def stop(self) -> None:
        """Begin no more attempts, cancel calls in flight, and hand over the remaining records."""
        self.end("stopped")

    def end(self, halt: Halt, reason: str = "") -> None:
        """End early for this reason; thread-safe."""
        with self._lock:
            if self.halt is None:
                self.halt, self.reason = halt, without_secrets(reason)
            if halt not in LETS_FINISH:
                self._stopped_at = min(self._stopped_at, time.monotonic())
            self._wake_all()

    def leftover(self) -> Sequence[Record]:
        """Return records that may not be stored yet, so that they can be stored after an interruption."""
        with self._lock:
            self._taken += self._records
            self._records = []
            return tuple(self._taken)

    # in the thread that stores

    def _is_over(self) -> bool:
        with self._lock:
            is_late = time.monotonic() - self._stopped_at > _FAREWELL
            is_over = not self._records and (not self._attending or is_late)
            is_done = not self._records and self._attending and self._dealer.is_done()
        if is_done:
            self._close_beginners()  # nothing is left for them
        return is_over

    def _check_interrupted(self) -> None:
        if self._stage.interrupted.is_set() and (self.halt is not None or self._attending):
            raise threads.Interrupted

    def _next_batch(self) -> list[tuple[WorkerSlot, int, int]]:
        """Collect the records received, and return how far each worker's reports are included."""
        self._check_interrupted()
        with self._lock:
            if self._arrived.wait_for(lambda: self._records or not self._attending, _TICK):
                self._arrived.wait_for(self._everybody_waits, _GATHER)
            self.leftover()
            return [(seat, seat.worker, seat.reported) for seat in self._seats]

    def _everybody_waits(self) -> bool:
        """Whether all workers wait until their reports are stored, so that no more will come before."""
        return all(not seat.is_stored for seat in self._seats if self._dealer.held.get(seat.worker))

    def _count_stored(self, marks: list[tuple[WorkerSlot, int, int]]) -> None:
        with self._lock:
            self._taken.clear()
            for seat, worker, reported in marks:
                if seat.worker == worker and seat.stored < reported:
                    seat.stored = reported
                    seat.news.notify()

    def _dismiss(self) -> None:
        """End all workers that still play, and give them a moment."""
        with self._lock:
            self._dismissed = True
            self._wake_all()
        self._close_beginners()
        with self._lock:
            self._arrived.wait_for(lambda: not self._attending, 2 * _FAREWELL)
            links = list(self._links.values())
        for link in links:
            link.close(0)

    def _close_beginners(self) -> None:
        """Close workers that have not said hello yet."""
        with self._lock:
            beginning = [link for seat, link in self._links.items() if seat.is_new]
        for link in beginning:
            link.close(0)

    def _wake_all(self) -> None:
        self._arrived.notify_all()
        for seat in self._seats:
            seat.news.notify_all()

    # in the threads that serve workers

    def _attend(self, seat: WorkerSlot) -> None:
        """Keep one seat filled until everything is played."""
        try:
            while not self._is_leaving():
                self._fill(seat)
        except BaseException as error:
            self._error = self._error or error
            self.end("stopped")
        with self._lock:
            self._attending -= 1
            self._wake_all()

    def _is_leaving(self) -> bool:
        with self._lock:
            return self._dismissed or self.halt is not None or self._dealer.is_done()

    def _fill(self, seat: WorkerSlot) -> None:
        """Run one worker, from start to end."""
        with self._lock:
            self._started += 1
            seat.take(self._started)
        link: Link | None = None
        try:
            link = self._transport.start(replace(self._brief, places=seat.places, number=seat.worker))
            self._links[seat] = link
            if self._handshake(seat, link):
                self._serve(seat, link)
            link.close(_FAREWELL)
        except WorkerLost as lost:
            if link is not None:
                link.close(0)  # before its attempts are given to another worker
            self._lose(seat, f"worker {seat.worker}" if link is None else link.name, lost)
        finally:
            if link is not None:
                link.close(0)
                del self._links[seat]

    def _handshake(self, seat: WorkerSlot, link: Link) -> bool:
        """Check that the worker can play, then wait for the others: no agent is called before all are ready."""
        hello = self._await_hello(seat, link)
        here, there = messages.versions(), hello.versions
        differing = [f"{name} {here[name]} here and {there.get(name)} there" for name in here
                     if here[name] != there.get(name)]  # fmt: skip
        if differing:
            differences = "; ".join(differing)
            self.end("misconfigured", f"{link.name} has other versions: {differences}; install the same on both sides")
        elif hello.refusal:
            self.end("misconfigured", f"{link.name} cannot execute this run: {hello.refusal}")
        with self._lock:
            self._failed_starts, seat.greeted, seat.is_new = 0, True, False
            self._wake_all()
            seat.news.wait_for(lambda: all(one.greeted for one in self._seats) or self._ending() is not None)
            self._spend(seat, "starting")
        return not differing and not hello.refusal

    def _await_hello(self, seat: WorkerSlot, link: Link) -> Hello:
        """Wait for the worker's hello; one without room does not hold up the others, but the run ends if none gets
        room."""
        while True:
            try:
                return link.hello()
            except NoPlace as why:
                with self._lock:
                    if not seat.greeted:
                        self._on_lost(f"{link.name} has not begun: {why}")
                    seat.greeted = True
                    self._wake_all()
                    if not self._count_present() and time.monotonic() - self._began > _PLACE_PATIENCE:
                        self.end("misconfigured", f"no worker has begun; the last, {link.name}: {why}")
                if self._is_leaving():
                    raise

    def _serve(self, seat: WorkerSlot, link: Link) -> None:
        """Exchange orders and reports until the worker is done."""
        until = math.inf
        while time.monotonic() < until:
            order = self._order(seat)
            if order.end is not None:
                patience = _LONG_FAREWELL if order.end[0] in (None, "spent") else 2 * _FAREWELL
                until = min(until, time.monotonic() + patience)
            report = link.exchange(order)
            self._spend(seat, self._doing(seat))
            self._take_in(seat, link, report)
            if report.over:
                return
            with self._lock:
                doing = self._doing(seat)
                seat.news.wait_for(lambda: self._has_orders(seat), messages.HOLD)
                self._spend(seat, doing)

    def _doing(self, seat: WorkerSlot) -> str:
        if not seat.is_stored:
            return "storing"
        return "playing" if self._dealer.held.get(seat.worker) else "idle"

    def _spend(self, seat: WorkerSlot, doing: str) -> None:
        """Add the time since the last call to what the worker was doing."""
        with self._lock:
            now = time.monotonic()
            self._spent[doing] += now - seat.since
            seat.since = now

    def _order(self, seat: WorkerSlot) -> Order:
        with self._lock:
            seat.asks = False
            answers, end = self._ledger.answers(seat.worker), self._ending()
            dealt = self._dealer.deal(seat.worker, seat.places, seat.spare) if end is None else []
            return Order(
                attempts=tuple(one.dealt() for one in dealt),
                stored=seat.stored,
                answers=answers,
                hold=self._hold(seat),
                workers=self._count_present(),
                end=end,
            )

    def _count_present(self) -> int:
        return sum(not seat.is_new for seat in self._links)

    def _hold(self, seat: WorkerSlot) -> float:
        """Return how long the worker may wait before it reports: not at all if it holds no attempts."""
        if not self._dealer.held.get(seat.worker):
            return 0.0 if self._ending() is None else messages.HOLD
        return messages.HOLD if seat.is_stored and not self._ledger.waits(seat.worker) else _SOON

    def _ending(self) -> tuple[Halt | None, str] | None:
        """Return the end message for workers, or None if they are to go on."""
        if self.halt is not None:
            return self.halt, self.reason
        if self._dismissed:
            return "stopped", ""
        return (None, "") if self._dealer.is_done() else None

    def _has_orders(self, seat: WorkerSlot) -> bool:
        """Whether there is something to send to this worker."""
        if seat.asks or self._ending() is not None:
            return True
        return seat.is_stored and bool(self._dealer.held.get(seat.worker) or self._dealer.has_more())

    def _take_in(self, seat: WorkerSlot, link: Link, report: WorkerReport) -> None:
        """Process a worker's report, and handle its consequences if the worker has ended by itself."""
        with self._lock:
            self._ledger.settle(seat.worker, report.spendings)
            self._ledger.request(seat.worker, report.requests)
            seat.note(report.batch, self._note(seat.worker, report.records))
            seat.asks = bool(report.requests)
            for other in self._seats if report.spendings else ():
                if self._ledger.waits(other.worker):
                    other.asks = True
                    other.news.notify()
        if report.error:
            raise RuntimeError(f"{link.name} broke: {report.error}")
        if report.out_of_touch and self.halt is None:
            raise _OutOfTouch(f"it had not heard from this process for {self._brief.lease:g} s, and stopped")
        if report.halt == "blocked":
            raise WorkerLost(report.reason)
        if report.halt is not None and report.halt != "stopped":
            self.end(report.halt, report.reason)

    def _note(self, worker: int, records: Sequence[Record]) -> int:
        """Pass on records, and return the number of attempts that are over."""
        held, finished = self._dealer.held.get(worker, {}), 0
        for record in records:
            key = record.attempt.key if isinstance(record, Finished) else record.key
            if (one := held.get(key)) is None:
                continue  # it was given to another worker meanwhile, whose results count
            self._records.append(record)
            if one.note(record) and isinstance(record, Finished):
                finished += 1
                del held[key]
                self._watch_for_storm(record.attempt.failure)
        self._arrived.notify_all()
        if finished and not held and self._dealer.is_done():
            self._wake_all()
        return finished

    def _lose(self, seat: WorkerSlot, name: str, why: WorkerLost) -> None:
        """Give a lost worker's attempts to others; one that has crashed too many workers is recorded as failed."""
        with self._lock:
            held = self._dealer.drop(seat.worker)
            self._ledger.close(seat.worker)
            if self._dismissed or self.halt is not None or (not held and self._dealer.is_done()):
                return
            if isinstance(why, TransportLost):
                self.end("misconfigured", f"no worker can be started any more: {why}")
            self._lost += 1
            self._on_lost(f"{name} was lost: {why}")
            for one in held if not isinstance(why, _OutOfTouch) else ():
                one.lose()
            for one in held:
                if one.deaths >= MOST_DEATHS:
                    self._records.append(finished := one.fail_after_crashes(str(why)))
                    self._watch_for_storm(finished.attempt.failure)
            self._dealer.give_again(one for one in held if one.deaths < MOST_DEATHS)
            self._count_start(seat, name, why)
            self._wake_all()

    def _count_start(self, seat: WorkerSlot, name: str, why: WorkerLost) -> None:
        """Count a worker that died before its hello; after several in a row, end the run."""
        if not seat.is_new:
            return
        self._failed_starts += 1
        if self._failed_starts >= _FAILED_STARTS:
            self.end("misconfigured", f"{_FAILED_STARTS} workers ended before they had begun; the last, {name}: {why}")

    def _watch_for_storm(self, failure: Failure | None) -> None:
        if (reason := self._storm.reason_to_end(failure)) is not None:
            self.end("storm", reason)
