"""Play the cases of one suite concurrently in the background while pytest waits for them one by one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Exam
from proctor.config import Config
from proctor.plugins.exits import intercept_exits
from proctor.pytest_plugin.loop import Loop
from proctor.roles import Agent
from proctor.run import Attempt, Finished, PendingAttempt, Record, Run
from proctor.running.plan import pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.threads import Interrupted, Stage
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest

_FAREWELL = 5.0
"""Maximum seconds for closing an agent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayedSuite:
    """Results of a suite in this process; serializable, since xdist workers send them to the controller."""

    suite: str
    """The file, relative to pytest's root folder."""
    run: Run
    benchmark: Benchmark
    """The whole file, even if only some cases were asked."""
    asked: tuple[str, ...]
    """Ids of the cases that were asked or scheduled."""
    attempts: tuple[Attempt, ...]
    seconds: float
    reason: str = ""
    """Why it stopped early, or empty."""
    interrupted: bool = False
    """Whether it was interrupted."""


class _AllBut:
    """Container of every attempt except those of some exams."""

    def __init__(self, exams: frozenset[str]) -> None:
        self._exams = exams

    def __contains__(self, place: object) -> bool:
        return isinstance(place, tuple) and place[0] not in self._exams


class SuitePlay:
    """A suite played by one agent. Nothing is asked before `begin`."""

    def __init__(self, suite: Path, *, agent: object, config: Config, loop: Loop, **settings: Any) -> None:
        reviewer = settings.pop("reviewer", None)
        request = RunRequest(benchmark=suite, agent=agent, reviewer=reviewer, settings=settings)
        self.prepared = prepare(request, config)
        self.reason = ""
        self.interrupted = False
        self._exams = {exam.id: exam for exam in self.prepared.exams}
        self._attempts: dict[str, list[Attempt]] = {}
        self._done: dict[str, Future[None]] = {}
        self._asking: list[tuple[Stage, threading.Thread]] = []
        self._loop = loop
        self._started = time.time()
        self._ended = self._started

    @property
    def trials(self) -> int:
        """Number of trials of a case without its own number."""
        return self.prepared.run.settings.trials

    def trials_of(self, case: str) -> int:
        """Return the number of trials of a case."""
        return self.prepared.run.settings.trials_of(case)

    def begin(self, cases: Iterable[str]) -> None:
        """Start asking these cases, except those already started."""
        new = tuple(self._exams[case] for case in cases if case not in self._done)
        for exam in new:
            self._attempts[exam.id] = []
            self._done[exam.id] = Future()
        if new:
            stage = self._loop.stage()
            asking = threading.Thread(target=self._ask, args=(new, stage), name="proctor-suite", daemon=True)
            self._asking.append((stage, asking))
            asking.start()

    def stop(self) -> None:
        """Stop asking; calls in flight are dropped."""
        for stage, _ in self._asking:
            stage.interrupted.set()
        for _, asking in self._asking:
            asking.join(_FAREWELL)

    def wait(self, case: str) -> tuple[Attempt, ...]:
        """Wait for a case that was begun and return its attempts in trial order."""
        self._done[case].result()
        over = (attempt for attempt in self._attempts[case] if attempt.finished)
        return tuple(sorted(over, key=lambda attempt: attempt.key.trial))

    def suite_so_far(self, suite: str) -> PlayedSuite:
        """Return the results so far."""
        return PlayedSuite(
            suite=suite,
            run=replace(self.prepared.run, started=self._started),
            benchmark=self.prepared.benchmark,
            asked=tuple(case for case in self._exams if case in self._done),
            attempts=tuple(attempt for attempts in self._attempts.values() for attempt in attempts),
            seconds=self._ended - self._started,
            reason=self.reason,
            interrupted=self.interrupted,
        )

    def _ask(self, exams: tuple[Exam, ...], stage: Stage) -> None:
        try:
            self._execute(exams, stage)
        except Interrupted:
            self.reason, self.interrupted = "interrupted", True
        except Exception as error:
            self.reason = f"Proctor stopped unexpectedly ({type(error).__name__}: {error})"
        finally:
            self._ended = time.time()
            for exam in exams:
                self._finish_case(exam.id)

    def _execute(self, exams: tuple[Exam, ...], stage: Stage) -> None:
        prepared = self.prepared
        every = tuple(self._exams.values())  # all exams, so that attempts know their place in the plan
        left = pending_attempts(prepared.run, every, finished=_AllBut(frozenset(exam.id for exam in exams)))
        for record in play_on(self._loop, stage, prepared, left, told=self._note_end):
            if isinstance(record, Finished):
                self._take(record.attempt)

    def _note_end(self, reason: str) -> None:
        self.reason = reason or self.reason

    def _take(self, attempt: Attempt) -> None:
        case = attempt.key.exam
        self._attempts[case].append(attempt)
        if sum(each.finished for each in self._attempts[case]) == self.trials_of(case):
            self._finish_case(case)

    def _finish_case(self, case: str) -> None:
        if not self._done[case].done():
            self._done[case].set_result(None)


def play_on(
    loop: Loop,
    stage: Stage,
    prepared: PreparedRun,
    pending: Iterable[PendingAttempt],
    *,
    told: Callable[[str], None],
) -> Iterator[Record]:
    """Play attempts on the session's loop and report why it ended early; a call to end the process ends only this."""
    cast, settings = prepared.cast, prepared.run.settings
    executor = LocalExecutor(
        agent=cast.agent, reviewers=cast.reviewers, settings=settings, stage=stage, faults=cast.faults
    )
    with intercept_exits(lambda what: executor.end("exited", what)):
        for batch in executor.execute(pending):
            yield from batch
    told(executor.reason)
    if executor.halt in ("exited", "blocked"):
        loop.leave_if_held()


def let_go(agent: Agent, loop: Loop) -> None:
    """Close the agent; errors do not change any result, and an agent that blocks the loop is abandoned."""
    with suppress(Exception):
        loop.run(agent.close, within=_FAREWELL)
