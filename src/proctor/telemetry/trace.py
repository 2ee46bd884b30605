"""Convert an attempt to a trace: item > task > one span per turn > model, tool and step spans; plus the review.

Names follow OpenTelemetry's GenAI conventions, with `openinference.span.kind` and the attributes of a Langfuse
experiment. Times are those of the attempt; unmeasured spans are laid out in order and marked as estimated
(`proctor.time.estimated`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.benchmark import Exam
from proctor.run import Attempt, Failure, Key, Run
from proctor.telemetry import names
from proctor.telemetry.attempt_trace import EVALUATION, ITEM, TASK, AttemptTrace, attempt_trace
from proctor.telemetry.evaluations import EvaluationRecord
from proctor.telemetry.experiment import Experiment, item_expected, item_input, item_metadata
from proctor.telemetry.redaction import Json, redact_spans
from proctor.telemetry.replies import Frame, reply_spans, turn_output
from proctor.telemetry.span import Span, SpanEvent, nanoseconds, span_id
from proctor.transcript import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class _Evaluator:
    name: str
    marks: tuple[EvaluationRecord, ...] = ()
    broken: str | None = None
    """Why it could not give a score, or None if it gave one."""


def review_spans(sheet: AttemptTrace) -> list[Span]:
    """Build the spans of the review and its reviewers, or none if nothing was judged. Reviewers' durations are
    unknown."""
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
    review_span = sheet.span(
        EVALUATION, EVALUATION, parent=span_id(sheet.attempt.key, ITEM), attributes=attributes,
        start=sheet.answered, end=sheet.end,
    )  # fmt: skip
    return [
        review_span,
        *(_span(sheet, each, place, len(evaluators), review_span) for place, each in enumerate(evaluators)),
    ]


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


def _span(sheet: AttemptTrace, evaluator: _Evaluator, place: int, number: int, root: Span) -> Span:
    slot = (root.end - root.start) // number
    start = root.start + slot * place
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
        evaluator.name, EVALUATION, place, parent=root.id, attributes=attributes, start=start, end=start + slot,
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
    marks: Any = [_langfuse_score(mark) for mark in evaluator.marks]
    return {
        names.OBSERVATION_TYPE: "evaluator",
        names.OPENINFERENCE_KIND: "EVALUATOR",
        names.METADATA + "evaluator_kind": Json("item"),
        names.METADATA + "evaluator_index": Json(place),
        names.INPUT: Json(judged),
        names.OUTPUT: Json(marks if evaluator.broken is None else {"error": evaluator.broken}),
        names.ESTIMATED: True,
    }


def _langfuse_score(evaluation: EvaluationRecord) -> dict[str, Any]:
    """Return one score as attributes in Langfuse's terms."""
    score: dict[str, Any] = {"name": evaluation.name, "value": evaluation.label, "data_type": "CATEGORICAL"}
    if evaluation.passed is not None:
        score |= {"value": evaluation.passed, "data_type": "BOOLEAN"}
    elif evaluation.value is not None:
        score |= {"value": evaluation.value, "data_type": "NUMERIC"}
    return score | ({"comment": evaluation.explanation} if evaluation.explanation else {})


_NAMED = re.compile(r"(?P<name>[A-Za-z_][\w.]*(?:Error|Exception|Timeout|Fault|Interrupt|Exit)|HTTP \d{3})\b")


def spans_of(
    run: Run,
    exam: Exam,
    attempt: Attempt,
    *,
    experiment: Experiment | None = None,
    redact: Sequence[re.Pattern[str]] = (),
) -> tuple[Span, ...]:
    """Return the trace of one attempt, parents before children. The same attempt always gets the same ids."""
    sheet = attempt_trace(run, exam, attempt, experiment)
    spans = [_item(sheet), _task(sheet)]
    for turn in attempt.transcript.turns:
        spans += _turn(sheet, turn)
    spans += review_spans(sheet)
    return redact_spans(spans, redact)


def task_span(key: Key) -> str:
    """Return the id of the span to which an attempt's scores are attached."""
    return span_id(key, TASK)


def _item(sheet: AttemptTrace) -> Span:
    key = sheet.attempt.key
    replies = [turn.reply.text for turn in sheet.attempt.transcript.turns if turn.reply is not None]
    attributes = {
        **sheet.item,
        "langfuse.internal.is_app_root": True,
        "input.value": sheet.exam.cases[0].question,
        **({"output.value": replies[-1]} if replies else {}),
        "proctor.run": key.run,
        "proctor.exam": key.exam,
        "proctor.trial": key.trial,
        **({"proctor.condition": key.condition} if key.condition else {}),
    }
    return sheet.span(
        ITEM, ITEM, parent=None, start=sheet.start, end=sheet.end, **_span_fields(attributes, sheet.attempt.failure)
    )


def _task(sheet: AttemptTrace) -> Span:
    ended = sheet.attempt.transcript.ended
    attributes = {**sheet.item, **sheet.session, **({names.ENDED: ended} if ended else {})}
    return sheet.span(
        TASK, TASK, parent=span_id(sheet.attempt.key, ITEM), start=sheet.start, end=sheet.answered,
        events=_results(sheet, None), **_span_fields(attributes, sheet.broke("agent", "examiner", "engine")),
    )  # fmt: skip


def _turn(sheet: AttemptTrace, turn: Turn) -> list[Span]:
    """Build the span of one turn and its child spans."""
    start = nanoseconds(turn.started) or sheet.start
    end = max(start, nanoseconds(turn.ended))
    agent = sheet.span(
        f"invoke_agent {sheet.run.agent}", "turn", turn.number, parent=task_span(sheet.attempt.key), start=start,
        end=end, events=_results(sheet, turn.number),
        **_span_fields(_turn_attributes(sheet, turn), sheet.broke("agent", turn=turn.number)),
    )  # fmt: skip
    if turn.reply is None:
        return [agent]

    def inside(name: str, *path: str | int, parent: str | None, attributes: Mapping[str, Any], **more: Any) -> Span:
        shared = {**sheet.session, **attributes}
        return sheet.span(name, "turn", turn.number, *path, parent=parent or agent.id, attributes=shared, **more)

    frame = Frame(run=sheet.run, key=sheet.attempt.key, turn=turn, start=start, end=end, span=inside)
    return [agent, *reply_spans(frame, turn.reply)]


def _turn_attributes(sheet: AttemptTrace, turn: Turn) -> dict[str, Any]:
    known = {
        names.CASE: turn.case,
        "proctor.strategy": turn.strategy,
        "proctor.refers_to": turn.refers_to,
        "proctor.fault": turn.fault,
    }
    return {
        **sheet.session,
        names.OPERATION: "invoke_agent",
        names.AGENT: sheet.run.agent,
        names.OPENINFERENCE_KIND: "AGENT",
        names.OBSERVATION_TYPE: "agent",
        names.METADATA + "agent_id": Json(sheet.run.agent),
        names.INPUT: turn.question,
        names.INPUT_MESSAGES: Json([{"role": "user", "parts": [{"type": "text", "content": turn.question}]}]),
        names.TURN: turn.number,
        **{name: value for name, value in known.items() if value is not None},
        **_reply_attributes(turn),
    }


def _reply_attributes(turn: Turn) -> dict[str, Any]:
    reply = turn.reply
    if reply is None:
        return {}
    stopped = "length" if reply.cut_off else "stop"
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": reply.text}], "finish_reason": stopped}]
    times = {"proctor.reply.seconds": reply.seconds, "proctor.reply.first_token": reply.first_token}
    unknown = {} if reply.tools_known else {names.TOOLS_KNOWN: False}
    return {
        names.OUTPUT: Json(turn_output(reply)),
        names.OUTPUT_MESSAGES: Json(messages),
        **{name: value for name, value in times.items() if value is not None},
        **unknown,
        **({names.CUT_OFF: True} if reply.cut_off else {}),
    }


def _span_fields(attributes: Mapping[str, Any], failure: Failure | None) -> dict[str, Any]:
    """Return the attributes and status of a span, including its failure, if any."""
    if failure is None:
        return {"attributes": attributes}
    failed = {
        names.ERROR: error_type(failure),
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": failure.reason,
        "proctor.failure.owner": failure.owner,
        "proctor.failure.stage": failure.stage,
    }
    return {"attributes": {**attributes, **failed}, "status": "error", "message": failure.reason}


def error_type(failure: Failure) -> str:
    """Return a failure's type: the exception's name, an HTTP status, `timeout`, or the party at fault."""
    if found := _NAMED.match(failure.reason):
        return found["name"]
    return "timeout" if failure.kind == "timeout" else f"{failure.owner}_failure"


def _results(sheet: AttemptTrace, turn: int | None) -> tuple[SpanEvent, ...]:
    """Return the evaluation results of a turn, or of the whole attempt, as events of the judged span."""
    return tuple(
        SpanEvent(name=names.EVALUATION, time=sheet.end, attributes=_result(each))
        for each in sheet.evaluations
        if each.turn == turn
    )


def _result(evaluation: EvaluationRecord) -> dict[str, Any]:
    attributes = {
        "gen_ai.evaluation.name": evaluation.name,
        "gen_ai.evaluation.score.value": evaluation.value,
        "gen_ai.evaluation.score.label": evaluation.label,
        "gen_ai.evaluation.explanation": evaluation.explanation or None,
        "proctor.reviewer": evaluation.by,
    }
    return {name: value for name, value in attributes.items() if value is not None}
