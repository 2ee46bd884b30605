"""A run of three cases as in the Langfuse recording, and what it takes to send it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.telemetry.played import EXAM, NOON, REPLY, RUN

from proctor.benchmark import Exam
from proctor.exporters.contract import Exporter, FinishedAttempt, Subject
from proctor.exporters.outcome import Report
from proctor.exporters.run_upload import RunUpload
from proctor.findings.run import gather
from proctor.run import Attempt, Failure, Key
from proctor.score import CheckResult, Part, Score
from proctor.transcript import Transcript, Turn

RUN_OF_THREE = replace(RUN, status="completed", planned=3, created=NOON - 1, ended=NOON + 10)


def exam(number: int) -> Exam:
    """Case 1, 2, 3 …"""
    return replace(EXAM, id=f"case-{number}", cases=(replace(EXAM.cases[0], id=f"case-{number}"),))


EXAMS = tuple(exam(number) for number in (1, 2, 3))


def subject(*redact: str, exams: tuple[Exam, ...] = EXAMS, **run: Any) -> Subject:
    """The run of three cases."""
    patterns = tuple(re.compile(pattern) for pattern in redact)
    return Subject(run=replace(RUN_OF_THREE, **run), exams=exams, redact=patterns)


def played(number: int, *, value: float = 1.0, **more: Any) -> FinishedAttempt:
    """One attempt with a mark, a check and a verdict."""
    turn = Turn(number=1, question="q", reply=REPLY, case=f"case-{number}", started=NOON + 1, ended=NOON + 2)
    part = Part(name="correctness", value=value, explanation="as expected")
    known: dict[str, Any] = {
        "key": Key(run=RUN.id, exam=f"case-{number}"),
        "transcript": Transcript(turns=(turn,), ended="script"),
        "scores": (Score(turn=1, of="agent", parts=(part,), value=value, by="exact"),),
        "checks": (CheckResult(turn=1, name="tools used", passed=True, evidence="search_knowledge was called"),),
        "passed": value >= 0.7,
        "finished": True,
        "started": NOON,
        "ended": NOON + 3,
    }
    return FinishedAttempt(exam=exam(number), attempt=Attempt(**{**known, **more}))


def broken(number: int, *, owner: Any = "environment") -> FinishedAttempt:
    """One attempt that failed."""
    failure = Failure(stage="agent", owner=owner, reason="HTTP 503: no")
    passed = False if owner == "agent" else None
    return played(number, scores=(), checks=(), passed=passed, failure=failure, transcript=Transcript())


THREE = (played(1), played(2), played(3, value=0.25))


async def shipped(exporter: Exporter, items: Sequence[FinishedAttempt] = THREE, *, concluded: bool = True) -> Report:
    """What becomes of these attempts, and of the run's scores."""
    shipment = RunUpload(exporter, RUN.id)
    try:
        await shipment.begin()
        await shipment.send(items)
        if concluded:
            findings = gather(RUN_OF_THREE, [each.exam for each in items], [each.attempt for each in items])
            await shipment.conclude(findings)
    finally:
        await exporter.close()
    return shipment.report()


def states(report: Report) -> list[str]:
    """How each attempt ended."""
    return [outcome.verdict.state for outcome in report.outcomes if outcome.kind == "attempt"]
