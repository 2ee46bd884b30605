"""Findings of made-up runs: what comparing and gating are tested on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import Part, Score, Unscored
from proctor.usage import Usage

Ended = str | float
"""How one attempt ended: pass, fail, crash, lost, unscored, pending; a number is its mark, which passes from 0.7."""


def made(
    outcomes: Mapping[str, Sequence[Ended]],
    *,
    id: str = "261115-000000-aaaa",  # noqa: A002
    categories: Mapping[str, tuple[str, ...]] | None = None,
    run: Mapping[str, Any] | None = None,
    usage: Usage | None = None,
    **settings: Any,
) -> Findings:
    """What a run found whose cases ended like this, trial by trial."""
    trials = max(len(ends) for ends in outcomes.values())
    exams = [_exam(name, (categories or {}).get(name, ())) for name in outcomes]
    known = {"name": "made", "benchmark": "handbook", "digest": "9f2c", "agent": "python:a:b", "status": "completed"}
    made = Run(**{**known, "id": id, "settings": Settings(trials=trials, **settings), **(run or {})})
    attempts = [
        _attempt(id, name, trial, ended, usage or Usage())
        for name, ends in outcomes.items()
        for trial, ended in enumerate(ends, 1)
    ]
    return gather(made, exams, attempts)


def in_order(*outcomes: Ended) -> dict[str, list[Ended]]:
    """One trial of cases c0, c1, …"""
    return {f"c{number}": [ended] for number, ended in enumerate(outcomes)}


def verdicts(passes: int, failures: int) -> dict[str, list[Ended]]:
    """So many cases that pass, then so many that fail, once each."""
    return in_order(*["pass"] * passes, *["fail"] * failures)


def pair(fixed: int, broken: int, both: int, **settings: Any) -> tuple[Findings, Findings]:
    """A and B, one trial each: so many cases fixed, broken, and passed by both."""
    a = in_order(*["fail"] * fixed, *["pass"] * broken, *["pass"] * both)
    b = in_order(*["pass"] * fixed, *["fail"] * broken, *["pass"] * both)
    return made(a, id="a", **settings), made(b, id="b", **settings)


def _exam(name: str, categories: tuple[str, ...]) -> Exam:
    return Exam(id=name, cases=(Case(id=name, question=f"Question {name}?", answer="yes", categories=categories),))


def _attempt(run: str, name: str, trial: int, ended: Ended, usage: Usage) -> Attempt:
    key = Key(run=run, exam=name, trial=trial)
    if ended == "pending":
        return Attempt(key=key)
    if ended in ("crash", "lost"):
        own = ended == "crash"
        failure = Failure(stage="agent", owner="agent" if own else "environment", reason=f"it ended as {ended}")
        return Attempt(key=key, failure=failure, passed=False if own else None, finished=True)
    if ended == "unscored":
        missing = Unscored(turn=1, of="agent", by="exact", reason="no number")
        return Attempt(key=key, unscored=(missing,), finished=True)
    value = {"pass": 1.0, "fail": 0.0}[ended] if isinstance(ended, str) else ended
    score = Score(turn=1, of="agent", parts=(Part(name="correctness", value=value),), value=value, by="exact")
    return Attempt(key=key, scores=(score,), passed=value >= 0.7, finished=True, usage=usage)
