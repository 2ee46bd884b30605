"""The cases of one suite, asked side by side in the background while pytest waits for them one by one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Exam
from proctor.config import Config
from proctor.pytest_plugin.loop import Loop
from proctor.roles import Agent
from proctor.run import Attempt, Finished, Run
from proctor.running.plan import pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.threads import Stage, on_stage
from proctor.workflows.prepare import prepare
from proctor.workflows.request import RunRequest

_FAREWELL = 5.0
"""Seconds that an agent may take to let go."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayedSuite:
    """What became of a suite in this process, as data: an xdist worker sends it home."""

    suite: str
    """The file, from pytest's root folder on."""
    run: Run
    benchmark: Benchmark
    """All of the file, whatever was asked of it."""
    asked: tuple[str, ...]
    """The ids of the cases that were asked, or should have been."""
    attempts: tuple[Attempt, ...]
    seconds: float
    reason: str = ""
    """Why it stopped early; empty: it did not."""
    interrupted: bool = False
    """Whether it was not allowed to go on."""


class _AllBut:
    """Every attempt but those of some exams."""

    def __init__(self, exams: frozenset[str]) -> None:
        self._exams = exams

    def __contains__(self, place: object) -> bool:
        return isinstance(place, tuple) and place[0] not in self._exams


class SuitePlay:
    """One suite and who is examined on it. Nothing is asked before `begin`."""

    def __init__(self, suite: Path, *, agent: object, config: Config, loop: Loop, **settings: Any) -> None:
        reviewer = settings.pop("reviewer", None)
        request = RunRequest(benchmark=suite, agent=agent, reviewer=reviewer, settings=settings)
        self.prepared = prepare(request, config)
        self.reason = ""
        self.interrupted = False
        self._exams = {exam.id: exam for exam in self.prepared.exams}
        self._attempts: dict[str, list[Attempt]] = {}
        self._done: dict[str, Future[None]] = {}
        self._asking: list[Future[None]] = []
        self._loop = loop
        self._started = time.time()
        self._ended = self._started

    @property
    def trials(self) -> int:
        """How often each case is asked that says nothing of it."""
        return self.prepared.run.settings.trials

    def trials_of(self, case: str) -> int:
        """How often a case is asked."""
        return self.prepared.run.settings.trials_of(case)

    def begin(self, cases: Iterable[str]) -> None:
        """Ask these, unless they are asked already."""
        new = tuple(self._exams[case] for case in cases if case not in self._done)
        for exam in new:
            self._attempts[exam.id] = []
            self._done[exam.id] = Future()
        if new:
            self._asking.append(self._loop.submit(self._ask(new)))

    def stop(self) -> None:
        """Ask nothing more; calls under way are dropped."""
        for asking in self._asking:
            asking.cancel()

    def wait(self, case: str) -> tuple[Attempt, ...]:
        """The attempts of a case that was begun, trial by trial, as soon as there will be no more of them."""
        self._done[case].result()
        over = (attempt for attempt in self._attempts[case] if attempt.finished)
        return tuple(sorted(over, key=lambda attempt: attempt.key.trial))

    def suite_so_far(self, suite: str) -> PlayedSuite:
        """What became of it so far."""
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

    async def _ask(self, exams: tuple[Exam, ...]) -> None:
        try:
            await on_stage(lambda stage: self._execute(exams, stage))
        except asyncio.CancelledError:
            self.reason, self.interrupted = "interrupted", True
            raise
        except Exception as error:
            self.reason = f"Proctor stopped unexpectedly ({type(error).__name__}: {error})"
        finally:
            self._ended = time.time()
            for exam in exams:
                self._settle(exam.id)

    def _execute(self, exams: tuple[Exam, ...], stage: Stage) -> None:
        prepared = self.prepared
        executor = LocalExecutor(
            agent=prepared.cast.agent,
            reviewers=prepared.cast.reviewers,
            settings=prepared.run.settings,
            stage=stage,
            faults=prepared.cast.faults,
        )
        every = tuple(self._exams.values())  # so that attempts know their place among all
        left = pending_attempts(prepared.run, every, finished=_AllBut(frozenset(exam.id for exam in exams)))
        for batch in executor.execute(left):
            for record in batch:
                if isinstance(record, Finished):
                    self._take(record.attempt)
        self.reason = executor.reason or self.reason

    def _take(self, attempt: Attempt) -> None:
        case = attempt.key.exam
        self._attempts[case].append(attempt)
        if sum(each.finished for each in self._attempts[case]) == self.trials_of(case):
            self._settle(case)

    def _settle(self, case: str) -> None:
        if not self._done[case].done():
            self._done[case].set_result(None)


def let_go(agent: Agent, loop: Loop) -> None:
    """The session is over. What an agent says to that changes no result, and one that blocks the loop is left."""
    with suppress(Exception):
        loop.run(agent.close(), within=_FAREWELL)
