"""Scores of attempts and runs in a form that every backend can store: Mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from proctor.exporters.delivery_log import digest
from proctor.findings.run import Findings
from proctor.run import Attempt
from proctor.settings import BY_RULES
from proctor.statistics.estimate import Estimate
from proctor.telemetry.evaluations import OVERALL, EvaluationRecord, evaluations_of
from proctor.telemetry.span import span_id
from proctor.telemetry.trace import task_span

OUTCOME = "outcome"
Form = Literal["numeric", "boolean", "categorical"]
_CODE = ("checks", "proctor", *BY_RULES, "python:", "object:")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A score of an attempt, a turn or a run."""

    id: str
    """Deterministic id."""
    name: str
    """Such as correctness, the name of a check, passed, outcome or pass_rate."""
    value: float | bool | str
    """A number, a boolean, or a category."""
    by: str
    """The judge that gave it."""
    explanation: str = ""
    span: str | None = None
    """Span it belongs to; None for the run."""
    turn: int | None = None
    """Turn it belongs to; None for the whole."""
    share: float | None = None
    """Numeric score of a check, in addition to its verdict."""

    @property
    def form(self) -> Form:
        """Type of the value."""
        if isinstance(self.value, bool):
            return "boolean"
        return "categorical" if isinstance(self.value, str) else "numeric"

    @property
    def by_code(self) -> bool:
        """Whether code rather than a model gave it."""
        return self.by.startswith(_CODE)


def marks_of(attempt: Attempt) -> tuple[Mark, ...]:
    """Return all marks of an attempt, including its outcome. What could not be scored has no mark, rather than 0.

    In a conversation, a turn's marks belong to that turn's span; all others belong to the task's span.
    """
    records = [*evaluations_of(attempt), *_overall_record(attempt)]
    seen: Counter[tuple[int | None, str, str]] = Counter()
    marks = []
    for each in records:
        place = (each.turn, each.by, each.name)
        marks.append(_mark(attempt, each, seen[place]))
        seen[place] += 1
    return (*marks, _outcome(attempt))


def _overall_record(attempt: Attempt) -> Iterator[EvaluationRecord]:
    several = _is_conversation(attempt), len({score.by for score in attempt.scores if score.of == "agent"}) > 1
    if any(several) and attempt.value is not None:
        over = " and ".join(what for what, is_so in zip(("turns", "judges"), several, strict=True) if is_so)
        yield EvaluationRecord(
            name=OVERALL, by="proctor", turn=None, value=attempt.value, explanation=f"mean over the {over}"
        )


def _is_conversation(attempt: Attempt) -> bool:
    return len(attempt.transcript.turns) > 1


def _mark(attempt: Attempt, record: EvaluationRecord, place: int) -> Mark:
    value: float | bool | str | None = record.passed if record.passed is not None else record.value
    of_turn = record.turn is not None and _is_conversation(attempt)
    return Mark(
        id=digest("proctor-mark-1", attempt.key, record.turn, record.by, record.name, place),
        name=record.name,
        value=value if value is not None else record.label or "",
        by=record.by,
        explanation=record.explanation,
        span=span_id(attempt.key, "turn", record.turn or 0) if of_turn else task_span(attempt.key),
        turn=record.turn,
        share=record.value if record.passed is not None and record.by == "checks" else None,
    )


def _outcome(attempt: Attempt) -> Mark:
    failure = attempt.failure
    reasons = [failure.reason] if failure is not None else [each.reason for each in attempt.unscored]
    return Mark(
        id=digest("proctor-mark-1", attempt.key, OUTCOME),
        name=OUTCOME,
        value=outcome_of(attempt),
        by="proctor",
        explanation="; ".join(dict.fromkeys(reasons)),
        span=task_span(attempt.key),
    )


def outcome_of(attempt: Attempt) -> str:
    """Return the outcome of an attempt: passed, failed, agent failure, environment failure, unscored, undecided."""
    if attempt.failure is not None:
        return f"{attempt.failure.owner} failure"
    if attempt.passed is not None:
        return "passed" if attempt.passed else "failed"
    return "unscored" if attempt.unscored else "undecided"


def run_marks(findings: Findings) -> tuple[Mark, ...]:
    """Return the available metrics of the whole run, each with its interval in words."""
    run = findings.run
    return tuple(
        Mark(
            id=digest("proctor-run-mark-1", run.id, name),
            name=name,
            value=float(estimate.value),
            by="proctor",
            explanation=_in_words(estimate),
        )
        for name, estimate in _estimates(findings)
        if estimate.value is not None
    )


def _estimates(findings: Findings) -> Iterator[tuple[str, Estimate]]:
    yield "pass_rate", findings.pass_rate
    yield "mean_score", findings.mean_score
    for k, estimate in findings.pass_at_k.items():
        yield f"pass_at_{k}", estimate
    for k, estimate in findings.pass_hat_k.items():
        yield f"pass_hat_{k}", estimate
    if findings.battle is not None:
        yield "held_rate", findings.battle.held_rate
        yield "consistency", findings.battle.consistency


def _in_words(estimate: Estimate) -> str:
    words = [f"n = {estimate.n}"]
    if estimate.low is not None and estimate.high is not None:
        words.insert(0, f"{estimate.level:.0%} interval {estimate.low:.3f} to {estimate.high:.3f}")
    if estimate.missing and estimate.worst is not None and estimate.best is not None:
        words.append(f"{estimate.missing} missing, with them {estimate.worst:.3f} to {estimate.best:.3f}")
    return ", ".join([*words, estimate.method])
