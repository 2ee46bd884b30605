"""Everything that was thought of an attempt, one flat list: what spans tell as events and backends keep as scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proctor.run import Attempt
from proctor.score import CheckResult, Score

OVERALL = "overall"
VERDICT = "passed"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluationRecord:
    """One mark, check or verdict."""

    name: str
    """correctness, overall, a check's name, passed; an examiner's begin with `question.`."""
    by: str
    """The reviewer's name; `checks`; `proctor` for the verdict."""
    turn: int | None
    """The turn; None: the whole conversation."""
    value: float | None = None
    """0 to 1; None: it only has a label."""
    passed: bool | None = None
    """For checks and the verdict; None: a mark, or a check that could not be made."""
    explanation: str = ""
    """Why."""

    @property
    def label(self) -> str | None:
        """pass, fail, or that it could not be checked; None: a mark speaks by its value."""
        if self.passed is not None:
            return "pass" if self.passed else "fail"
        return "not checkable" if self.value is None else None


def evaluations_of(attempt: Attempt) -> tuple[EvaluationRecord, ...]:
    """Marks with their parts, checks, and the verdict. Marks that are missing are in `attempt.unscored`."""
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
