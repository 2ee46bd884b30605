"""Made-up runs, with everything that can happen to an attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import CheckResult, Part, Score, Unscored
from proctor.transcript import Citation, Reply, ToolCall, Transcript, Turn
from proctor.usage import Usage

RUN = Run(
    id="261115-024610-k3f9",
    name="nightly",
    benchmark="handbook",
    digest="9f2c1a77b0e4d512",
    agent="demo:librarian",
    status="completed",
    created=1_794_710_770.0,
    started=1_794_710_770.0,
    seconds=124.2,
)
REPLY = Reply(
    text="Remote work is covered by hr/remote.md.",
    tool_calls=(
        ToolCall(
            name="search_knowledge",
            arguments={"query": "remote work"},
            result=["hr/remote.md", "hr/leave.md", "hr/travel.md"],
            seconds=0.042,
        ),
    ),
    citations=(Citation(source="hr/remote.md", quote="Up to three days a week."),),
    seconds=1.2,
)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A run with its attempts, as the reports get it."""

    findings: Findings
    exams: dict[str, Exam]
    attempts: list[Attempt]


class Maker:
    """Adds attempts case by case; `sample` gathers them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.exams: dict[str, Exam] = {}
        self.attempts: list[Attempt] = []

    def case(self, id: str, *, question: str = "Which policy covers remote work?", **others: Any) -> str:  # noqa: A002
        self.exams[id] = Exam(id=id, cases=(Case(id=id, question=question, answer="The remote policy.", **others),))
        return id

    def played(self, case: str, *, trial: int = 1, reply: Reply | None = REPLY, **others: Any) -> Attempt:
        question = self.exams[case].cases[0].question
        attempt = Attempt(
            key=Key(run=self.run.id, exam=case, trial=trial),
            place=len(self.attempts),
            transcript=Transcript(turns=(Turn(number=1, question=question, reply=reply, case=case),)),
            finished=True,
            **{"seconds": 1.2, "started": 1_794_710_770.0, **others},
        )
        self.attempts.append(attempt)
        return attempt

    def marked(self, case: str, value: float, *, trial: int = 1, **others: Any) -> Attempt:
        part = Part(name="correctness", value=value, explanation="3 of 4 facts are there.")
        score = Score(turn=1, of="agent", parts=(part,), value=value, by="embedded")
        passed = value >= 0.7
        return self.played(case, trial=trial, scores=(score,), passed=passed, turn_passed=(passed,), **others)

    def unscored(self, case: str, reason: str, *, trial: int = 1) -> Attempt:
        missing = Unscored(turn=1, of="agent", by="model", reason=reason)
        return self.played(case, trial=trial, unscored=(missing,), turn_passed=(None,))

    def broken(self, case: str, owner: Any, reason: str, *, trial: int = 1, detail: str = "", **others: Any) -> Attempt:
        stage: Any = "agent" if owner == "agent" else "reviewer"
        failure = Failure(stage=stage, owner=owner, reason=reason, turn=1, detail=detail)
        passed = False if owner == "agent" else None
        return self.played(
            case, trial=trial, reply=None, failure=failure, passed=passed, turn_passed=(passed,), **others
        )

    def sample(self, attempts: Iterable[Attempt] | None = None) -> Sample:
        kept = self.attempts if attempts is None else list(attempts)
        run = replace(self.run, planned=len(self.exams) * self.run.settings.trials)
        return Sample(findings=gather(run, list(self.exams.values()), kept), exams=self.exams, attempts=kept)


@pytest.fixture
def maker() -> Callable[..., Maker]:
    """A maker for a run with these settings."""

    def make(*, run: Run = RUN, **settings: Any) -> Maker:
        return Maker(replace(run, settings=Settings(**settings)))

    return make


@pytest.fixture
def sample(maker: Callable[..., Maker]) -> Sample:
    """Three trials each of a pass, a fail, a flaky case, an agent's failure, an environment's, an unscored one."""
    made = maker(trials=3)
    check = CheckResult(turn=1, name="keywords", passed=False, evidence="'policy' not found")
    used = Usage(input_tokens=812, output_tokens=164, calls=1, cost=0.0013)
    cases = {name: made.case(name, categories=("search",)) for name in ("good", "bad", "flaky")}
    cases |= {name: made.case(name, categories=("reading",)) for name in ("crashing", "offline", "odd")}
    for trial in (1, 2, 3):
        made.marked(cases["good"], 0.93, trial=trial, usage=used)
        made.marked(cases["bad"], 0.31, trial=trial, checks=(check,), usage=used)
        made.marked(cases["flaky"], 0.9 if trial > 1 else 0.4, trial=trial, usage=used)
        made.broken(cases["crashing"], "agent", "the agent did not answer within 60 s", trial=trial, detail="Timeout")
        made.broken(cases["offline"], "environment", "HTTP 503 after 3 tries", trial=trial)
        made.unscored(cases["odd"], "the answer had no number", trial=trial)
    return made.sample()
