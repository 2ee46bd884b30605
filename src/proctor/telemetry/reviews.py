"""The review of an attempt as spans: one for each reviewer with something to say, and for each that could not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.telemetry import names
from proctor.telemetry.evaluations import EvaluationRecord
from proctor.telemetry.experiment import item_expected, item_input, item_metadata
from proctor.telemetry.redaction import Json
from proctor.telemetry.sheet import EVALUATION, ITEM, AttemptTrace
from proctor.telemetry.span import Span, span_id


@dataclass(frozen=True, kw_only=True, slots=True)
class _Evaluator:
    name: str
    marks: tuple[EvaluationRecord, ...] = ()
    broken: str | None = None
    """Why it could give no mark."""


def review_spans(sheet: AttemptTrace) -> list[Span]:
    """The review and its reviewers; nothing where nobody judged. Who took how long is not known."""
    evaluators = _evaluators(sheet)
    if not evaluators:
        return []
    counts = {
        "evaluator_count": len(evaluators),
        "evaluation_count": sum(len(each.marks) for each in evaluators),
        "failed_evaluator_count": sum(each.broken is not None for each in evaluators),
        "skipped_evaluator_count": 0,
    }
    attributes = {names.OBSERVATION_TYPE: "span", names.OPENINFERENCE_KIND: "CHAIN", names.OUTPUT: Json(counts)}
    whole = sheet.span(
        EVALUATION, EVALUATION, parent=span_id(sheet.attempt.key, ITEM), attributes=attributes,
        start=sheet.answered, end=sheet.end,
    )  # fmt: skip
    return [whole, *(_span(sheet, each, place, len(evaluators), whole) for place, each in enumerate(evaluators))]


def _evaluators(sheet: AttemptTrace) -> list[_Evaluator]:
    marks: dict[str, list[EvaluationRecord]] = {}
    for evaluation in sheet.evaluations:
        if evaluation.by != "proctor":
            marks.setdefault(evaluation.by, []).append(evaluation)
    missing: dict[str, str] = {}
    for unscored in sheet.attempt.unscored:
        missing.setdefault(unscored.by, unscored.reason)
    if failure := sheet.broke("reviewer"):
        missing.setdefault("reviewer", failure.reason)
    return [
        *(_Evaluator(name=by, marks=tuple(given)) for by, given in marks.items()),
        *(_Evaluator(name=by, broken=reason) for by, reason in missing.items()),
    ]


def _span(sheet: AttemptTrace, evaluator: _Evaluator, place: int, number: int, whole: Span) -> Span:
    slot = (whole.end - whole.start) // number
    start = whole.start + slot * place
    attributes = _attributes(sheet, evaluator, place)
    status: dict[str, Any] = {}
    if evaluator.broken is not None:
        attributes |= {
            names.ERROR: "unscored",
            "langfuse.observation.level": "ERROR",
            "langfuse.observation.status_message": evaluator.broken,
        }
        status = {"status": "error", "message": evaluator.broken}
    return sheet.span(
        evaluator.name, EVALUATION, place, parent=whole.id, attributes=attributes, start=start, end=start + slot,
        **status,
    )  # fmt: skip


def _attributes(sheet: AttemptTrace, evaluator: _Evaluator, place: int) -> dict[str, Any]:
    answered = sheet.item.get(names.OUTPUT)
    judged = {
        "input": item_input(sheet.exam),
        "output": answered.value if answered is not None else None,
        "expected_output": item_expected(sheet.exam),
        "metadata": item_metadata(sheet.exam),
    }
    said: Any = [_mark(mark) for mark in evaluator.marks]
    return {
        names.OBSERVATION_TYPE: "evaluator",
        names.OPENINFERENCE_KIND: "EVALUATOR",
        names.METADATA + "evaluator_kind": Json("item"),
        names.METADATA + "evaluator_index": Json(place),
        names.INPUT: Json(judged),
        names.OUTPUT: Json(said if evaluator.broken is None else {"error": evaluator.broken}),
        names.ESTIMATED: True,
    }


def _mark(evaluation: EvaluationRecord) -> dict[str, Any]:
    """One mark in the words of a Langfuse score."""
    told: dict[str, Any] = {"name": evaluation.name, "value": evaluation.label, "data_type": "CATEGORICAL"}
    if evaluation.passed is not None:
        told |= {"value": evaluation.passed, "data_type": "BOOLEAN"}
    elif evaluation.value is not None:
        told |= {"value": evaluation.value, "data_type": "NUMERIC"}
    return told | ({"comment": evaluation.explanation} if evaluation.explanation else {})
