"""API for tests written in Python: ask one question and check the reply, or parametrize over a suite's cases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.benchmark import Benchmark, Case, Expectation
from proctor.errors import InputError, ProctorError, UsageError
from proctor.formats.suites.suite import read_bytes
from proctor.pytest_plugin import words as wording
from proctor.pytest_plugin.failure import NotPassed, NoVerdict, PlainMessageError
from proctor.pytest_plugin.loop import Loop
from proctor.pytest_plugin.play import play_on
from proctor.run import Attempt, Failure, Finished, Run
from proctor.running.plan import exams_of, pending_attempts
from proctor.score import CheckResult
from proctor.settings import nearest
from proctor.transcript import Reply
from proctor.workflows.checks import check_reviewer
from proctor.workflows.load import load_benchmark
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest

if TYPE_CHECKING:
    from proctor.pytest_plugin.examination import Examination

_SHORT = 200
_PARAMETERS = ("answer", "expect", "context", "agent", "reviewer")
_CLEARLY = 0.8
"""How like one of these a name is that means it; settings of `proctor.evaluate` are less so."""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Examined:
    """Result of one question. True if the agent passed or, without expectations, if it answered."""

    case: Case
    attempt: Attempt

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        why = "passed" if self else "; ".join(wording.reasons(self.attempt)) or "not passed"
        return f"<{'✓' if self else '✗'} {why[:_SHORT]}>"

    @property
    def passed(self) -> bool:
        """Whether all checks passed and, if an answer was given, the score reaches the passing score."""
        return self.attempt.passed is True

    @property
    def reply(self) -> Reply | None:
        """The agent's reply, or None if it failed."""
        return next((turn.reply for turn in self.attempt.transcript.turns), None)

    @property
    def text(self) -> str:
        """Text of the reply, or empty if the agent failed."""
        return self.reply.text if self.reply is not None else ""

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """Results of the checks with their evidence."""
        return self.attempt.checks

    @property
    def score(self) -> float | None:
        """The score, or None without a reviewer."""
        return self.attempt.value

    @property
    def failure(self) -> Failure | None:
        """Why the agent failed, or None."""
        return self.attempt.failure


def assert_passes(examined: Examined) -> None:
    """Fail with question, reply, checks and scores unless the agent passed."""
    __tracebackhide__ = True
    if not examined:
        raise NotPassed(wording.not_passed(examined.case, [examined.attempt], trials=1, needed=1))


def cases(suite: str | Path) -> list[Any]:
    """Return the cases of a file as parameters for `pytest.mark.parametrize`, with their ids."""
    from proctor.pytest_plugin.collector import name_of

    return [pytest.param(case, id=name_of(case)) for case in load_benchmark(Path(suite)).cases]


class Examine:
    """Asks the agent single questions; the value of the fixture `examine`."""

    def __init__(self, examination: Examination, agent: object) -> None:
        self._examination = examination
        self._agent = agent

    def __call__(
        self,
        question: str | Case,
        *,
        answer: str | None = None,
        expect: Mapping[str, Any] | Expectation | None = None,
        context: str | None = None,
        agent: object = None,
        reviewer: object = None,
        **settings: Any,
    ) -> Examined:
        """Ask one question, or a case, and judge the reply.

        `expect` is written as in a suite. An `answer` is judged by `reviewer`, else by that of the configuration, else
        by the embedded one. `settings` are those of `proctor.evaluate`, such as `timeout`. What nobody could judge
        raises NoVerdict, which is an error and no failed test.
        """
        __tracebackhide__ = True
        try:
            case = question if isinstance(question, Case) else _case(question, answer, expect, context)
            return self._examine(case, agent, reviewer, settings)
        except (PlainMessageError, ProctorError) as error:
            raise error.with_traceback(None) from error.__cause__  # only the place in the test is of interest

    def _examine(self, case: Case, agent: object, reviewer: object, settings: dict[str, Any]) -> Examined:
        for name in settings:
            if near := nearest(name, _PARAMETERS, alike=_CLEARLY):
                raise UsageError(f"examine has no {name!r}; did you mean {near!r}?")
        if "trials" in settings:
            raise UsageError("examine asks once; for several trials use a suite with --proctor-trials, or ask again")
        judge = reviewer or self._examination.option("reviewer") or (None if case.answer else "none")
        benchmark = Benchmark(name="examined", digest="", cases=(case,))
        asked = self._examination.built(self._agent if agent is None else agent)
        request = RunRequest(benchmark=benchmark, agent=asked, reviewer=judge, settings={**settings, "trials": 1})
        prepared = prepare(request, self._examination.declared)
        if settings.get("passing_score") is None and prepared.run.settings.reviewer is None:
            prepared = replace(prepared, run=_without_passing_score(prepared.run))
        attempt = _ask_case(_checking(prepared), self._examination.loop)
        if attempt.passed is None:
            raise NoVerdict(wording.no_verdict(case, [attempt], trials=1, stopped=""))
        return Examined(case=case, attempt=attempt)


def _case(
    question: str, answer: str | None, expect: Mapping[str, Any] | Expectation | None, context: str | None
) -> Case:
    """Build a case through the suite parser, so that the same rules and error messages apply."""
    as_in_a_suite = dict(expect) if isinstance(expect, Mapping) else None
    given = {"question": question, "reference": answer, "context": context, "expect": as_in_a_suite}
    written = {name: value for name, value in given.items() if value is not None}
    reading = read_bytes(json.dumps(written).encode(), name="examine.jsonl")
    if reading.errors:
        first = reading.errors[0]
        raise InputError(f"examine: {first.path and f'{first.path}: '}{first.message}")
    (case,) = reading.cases
    return replace(case, expect=expect, line=None) if isinstance(expect, Expectation) else replace(case, line=None)


def _without_passing_score(run: Run) -> Run:
    """Remove the passing score when there is no reviewer; an agent that answers and passes the checks then passes."""
    return replace(run, settings=replace(run.settings, passing_score=None))


def _checking(prepared: PreparedRun) -> PreparedRun:
    """Add the checks even without expectations, since they verify that the agent answers at all."""
    if prepared.run.settings.checks is not None:
        return prepared
    reviewers = (check_reviewer(prepared.benchmark), *prepared.cast.reviewers)
    return replace(prepared, cast=replace(prepared.cast, reviewers=reviewers))


def _ask_case(prepared: PreparedRun, loop: Loop) -> Attempt:
    pending = pending_attempts(prepared.run, exams_of(prepared.benchmark, prepared.run.settings))
    reasons: list[str] = []
    records = list(play_on(loop, loop.stage(), prepared, pending, told=reasons.append))
    found = [each.attempt for each in records if isinstance(each, Finished) and each.attempt.finished]
    if not found:
        raise NoVerdict(f"no verdict: {''.join(reasons)}")
    return found[0]
