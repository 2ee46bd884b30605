"""All evaluations of an attempt as one flat list, which spans carry as events and backends store as scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proctor.run import Attempt
from proctor.score import CheckResult, Score

OVERALL = "overall"
VERDICT = "passed"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluationRecord:
    """One score, check or verdict."""

    name: str
    """correctness, overall, a check's name, or passed; those of an examiner's question begin with `question.`."""
    by: str
    """Name of the reviewer; `checks`; `proctor` for the verdict."""
    turn: int | None
    """The turn, or None for the whole conversation."""
    value: float | None = None
    """From 0 to 1, or None if it only has a label."""
    passed: bool | None = None
    """Result of a check or the verdict; None for a score, or if undecided."""
    explanation: str = ""

    @property
    def label(self) -> str | None:
        """pass, fail, or not checkable; None for a score, which has a value."""
        if self.passed is not None:
            return "pass" if self.passed else "fail"
        return "not checkable" if self.value is None else None


def evaluations_of(attempt: Attempt) -> tuple[EvaluationRecord, ...]:
    """Return the scores with their parts, the checks, and the verdict. Missing scores are in `attempt.unscored`."""
    return (*_marks(attempt), *map(_check, attempt.checks), *_verdict(attempt))


def _marks(attempt: Attempt) -> Iterator[EvaluationRecord]:
    for score in attempt.scores:
        prefix = "question." if score.of == "examiner" else ""
        yield _mark(score, prefix + OVERALL, score.value, score.explanation)
        for part in score.parts:
            yield _mark(score, prefix + part.name, part.value, part.explanation)


def _mark(score: Score, name: str, value: float, explanation: str) -> EvaluationRecord:
    return EvaluationRecord(name=name, by=score.by, turn=score.turn, value=value, explanation=explanation)


def _check(check: CheckResult) -> EvaluationRecord:
    value = check.value if check.passed is None or check.value is not None else float(check.passed)
    return EvaluationRecord(
        name=check.name, by="checks", turn=check.turn, value=value, passed=check.passed, explanation=check.evidence
    )


def _verdict(attempt: Attempt) -> Iterator[EvaluationRecord]:
    if attempt.passed is not None:
        yield EvaluationRecord(
            name=VERDICT, by="proctor", turn=None, value=float(attempt.passed), passed=attempt.passed
        )
