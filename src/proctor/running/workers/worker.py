"""One worker: plays the attempts it receives with the regular player, and keeps the records until they are fetched.

Independent of the transport, which calls `exchange`. Attempts are played on an event loop in one thread and driven by a
second one, so that an agent that blocks its loop does not make the worker look dead.
"""

from __future__ import annotations

import contextlib
import contextvars
import math
import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from proctor import threads
from proctor.errors import ProctorError
from proctor.failures import short_message
from proctor.plugins.exits import intercept_exits
from proctor.redaction import remember_secrets, without_secrets
from proctor.redaction.known import ScrubbedStream
from proctor.roles import LETS_FINISH, Halt
from proctor.run import Failure, PendingAttempt, Record
from proctor.running.garbage import seldom_collected
from proctor.running.schedule import LocalExecutor
from proctor.running.workers import messages
from proctor.running.workers.ledger import RemoteBudget
from proctor.running.workers.messages import Brief, Build, Hello, Order, Parts, WorkerReport
from proctor.spending.shared_limits import told_sharers
from proctor.threads import Stage


class _Inbox:
    """Iterator over the attempts received so far. Unlike other iterators, it can yield more after StopIteration."""

    def __init__(self) -> None:
        self._arrived: deque[PendingAttempt] = deque()

    def __iter__(self) -> _Inbox:
        return self

    def __next__(self) -> PendingAttempt:
        try:
            return self._arrived.popleft()
        except IndexError:
            raise StopIteration from None

    def extend(self, pending_attempts: Iterable[PendingAttempt]) -> None:
        self._arrived.extend(pending_attempts)


class FedExecutor(LocalExecutor):
    """Plays attempts fed to it until told that no more will come. The crew watches for failure streaks."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._inbox = _Inbox()
        self._complete = False

    def play(self) -> Generator[Sequence[Record], None, None]:
        """Play the attempts that are fed, as `execute` does."""
        return self.execute(self._inbox)

    def feed(self, pending_attempts: Iterable[PendingAttempt]) -> None:
        """Add attempts to play; thread-safe."""
        self._inbox.extend(pending_attempts)
        self._stage.soon(self._take_up)

    def complete(self) -> None:
        """Signal that no more attempts will come; thread-safe."""
        self._complete = True

    def _take_up(self) -> None:
        self._over.clear()
        self._fill()

    def _is_over(self) -> bool:
        return (self._complete or self.halt is not None) and super()._is_over()

    def _watch_for_storm(self, failure: Failure | None) -> None:
        """Do nothing: consecutive failures are counted over all workers, by the crew."""


_LOOK_EVERY = 0.1
"""Seconds between two checks whether the driver is still in touch."""


def take_place(brief: Brief) -> None:
    """Take over the driver's working directory, environment variables and module path."""
    os.environ.clear()
    os.environ.update(brief.environment)
    if brief.folder is not None:
        os.chdir(brief.folder)
    if brief.path:
        sys.path[:] = brief.path
    remember_secrets()


class CrewWorker:
    """A worker for one run."""

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._news = threading.Condition()
        self._records: list[Record] = []
        self._batch = self._stored = 0
        self._heard = math.inf  # the lease starts with the first order
        self._stopping = self._out_of_touch = self._over = False
        self._workers = 1
        self._error = ""
        self._budget = self._remote_budget()
        self._parts: Parts | None = None
        self._executor: FedExecutor | None = None
        self._begun = threading.Event()

    @contextmanager
    def ready(self) -> Iterator[Hello]:
        """Build the parts and start playing; yield the hello for the driver."""
        with contextlib.ExitStack() as stack:
            if self._brief.is_remote:
                stack.enter_context(told_sharers(lambda: self._workers))
            try:
                build, data = self._recipe()
                self._parts = stack.enter_context(build(data, self._budget))
            except Exception as error:
                yield self._hello(refusal=without_secrets(_describe_error(error)))
                return
            context = contextvars.copy_context()
            threading.Thread(target=context.run, args=(self._play,), name="proctor-worker", daemon=True).start()
            self._begun.wait()
            yield self._hello(refusal=self._error)

    def exchange(self, order: Order) -> WorkerReport:
        """Process an order; report as soon as there is news, and at the latest when the heartbeat is due."""
        self._obey(order)
        with self._news:
            self._news.wait_for(self._has_news, order.hold)
            return self._report()

    def _hello(self, refusal: str = "") -> Hello:
        return Hello(versions=messages.versions(), process=os.getpid(), refusal=refusal)

    def _recipe(self) -> tuple[Build, object]:
        build, data = pickle.loads(self._brief.recipe)
        return build, data

    def _remote_budget(self) -> RemoteBudget | None:
        if not self._brief.is_limited:
            return None
        return RemoteBudget(cost=self._brief.cost, tokens=self._brief.tokens, ask=self._notify)

    def _obey(self, order: Order) -> None:
        executor, parts = self._executor, self._parts
        assert executor is not None
        assert parts is not None
        if self._budget is not None:
            self._budget.hear(order.answers)
        with self._news:
            self._heard = time.monotonic()
            self._stored = max(self._stored, order.stored)
            self._workers = max(1, order.workers)
            self._news.notify_all()
        if order.attempts:
            executor.feed(
                [PendingAttempt(exam=parts.exams[one.exam], attempt=one.attempt, reviews=dict(one.reviews))
                 for one in order.attempts]
            )  # fmt: skip
        if order.end is not None:
            self._end(executor, *order.end)

    def _end(self, executor: FedExecutor, halt: Halt | None, reason: str) -> None:
        if halt is None:
            executor.complete()
        else:
            self._stopping = halt not in LETS_FINISH
            executor.end(halt, reason)

    def _has_news(self) -> bool:
        return bool(self._records or self._over) or (self._budget is not None and self._budget.has_news())

    def _report(self) -> WorkerReport:
        executor = self._executor
        assert executor is not None
        records, self._records = tuple(self._records), []
        requests, spendings = self._budget.take() if self._budget is not None else ((), ())
        return WorkerReport(
            records=records,
            batch=self._batch,
            requests=requests,
            spendings=spendings,
            halt=executor.halt,
            reason=executor.reason,
            error=self._error,
            out_of_touch=self._out_of_touch,
            over=self._over,
        )

    def _notify(self) -> None:
        with self._news:
            self._news.notify_all()

    # in the thread that plays

    def _play(self) -> None:
        try:
            with threads.own_stage() as stage, seldom_collected():
                self._play_on(stage)
        except BaseException as error:
            self._error = without_secrets(_describe_error(error))
        self._begun.set()
        with self._news:
            self._over = True
            self._news.notify_all()

    def _play_on(self, stage: Stage) -> None:
        parts = self._parts
        assert parts is not None
        executor = self._executor = FedExecutor(
            agent=parts.agent,
            reviewers=parts.reviewers,
            settings=replace(parts.settings, concurrency=self._brief.places),
            stage=stage,
            examiner=parts.examiner,
            faults=parts.faults,
        )
        opening = getattr(parts.agent, "open", None)
        try:
            if opening is not None:
                stage.run(opening)
            self._begun.set()
            with intercept_exits(lambda told: executor.end("exited", told)):
                for batch in executor.play():
                    self._offer(batch, executor)
        finally:
            stage.close_all((parts.agent, parts.examiner))

    def _offer(self, batch: Sequence[Record], executor: FedExecutor) -> None:
        """Hold a batch for the driver and wait until it is stored, before attempts may go on."""
        with self._news:
            if batch:
                self._records += batch
                self._batch += 1
                self._news.notify_all()
            while not self._is_out_of_touch(executor) and self._stored < self._batch and not self._stopping:
                self._news.wait(_LOOK_EVERY)

    def _is_out_of_touch(self, executor: FedExecutor) -> bool:
        if not self._stopping and time.monotonic() - self._heard > self._brief.lease:
            self._stopping = self._out_of_touch = True
            executor.stop()
        return self._out_of_touch


def _describe_error(error: BaseException) -> str:
    return str(error) if isinstance(error, ProctorError) else f"{type(error).__name__}: {short_message(error)}"


def scrub_streams() -> None:
    """Redact secrets from everything that this process prints from now on."""
    sys.stdout, sys.stderr = _PromptStream(sys.stdout), _PromptStream(sys.stderr)


class _PromptStream(ScrubbedStream):
    """Stream that flushes after every write, since a worker may be killed."""

    def write(self, text: str) -> int:
        """Write a text without secrets, and flush."""
        written = super().write(text)
        self._stream.flush()
        return written
