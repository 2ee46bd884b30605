"""Data shared by all spans of one trace: AttemptTrace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.benchmark import Exam
from proctor.run import Attempt, Failure, Run
from proctor.telemetry import names
from proctor.telemetry.evaluations import EvaluationRecord, evaluations_of
from proctor.telemetry.experiment import Experiment, item_expected, item_id, item_input, item_metadata
from proctor.telemetry.redaction import Json
from proctor.telemetry.replies import turn_output
from proctor.telemetry.span import Span, nanoseconds, span_id, trace_id

RESOURCE = {"service.name": "proctor", "telemetry.sdk.language": "python"}
ITEM, TASK, EVALUATION = "experiment-item-run", "experiment-item-task", "experiment-item-evaluation"


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptTrace:
    """An attempt, and the attributes its spans share."""

    run: Run
    exam: Exam
    attempt: Attempt
    evaluations: tuple[EvaluationRecord, ...]
    """Scores, checks and verdict."""
    start: int
    """Start time in nanoseconds since the epoch."""
    answered: int
    """End of the last turn, in nanoseconds since the epoch."""
    end: int
    """End of the last review, in nanoseconds since the epoch."""
    everywhere: Mapping[str, Any]
    """Attributes by which Langfuse groups an experiment; on every span."""
    item: Mapping[str, Any]
    """Attributes that Langfuse shows for an item; on its span and the task's."""
    session: Mapping[str, Any]
    """Attributes of the conversation; on the task's span and those below it."""

    def span(self, name: str, *path: str | int, parent: str | None, attributes: Mapping[str, Any], **more: Any) -> Span:
        """Create a span of this trace."""
        key = self.attempt.key
        return Span(
            trace=trace_id(key), id=span_id(key, *path), parent=parent, name=name,
            attributes={**self.everywhere, **attributes}, resource=RESOURCE, scope="proctor", **more,
        )  # fmt: skip

    def broke(self, *stages: str, turn: int | None = None) -> Failure | None:
        """Return the failure if it happened at one of these stages (and in this turn)."""
        failure = self.attempt.failure
        if failure is None or failure.stage not in stages:
            return None
        return failure if turn is None or failure.turn == turn else None


def attempt_trace(run: Run, exam: Exam, attempt: Attempt, experiment: Experiment | None) -> AttemptTrace:
    """Build the trace data of an attempt."""
    turns = attempt.transcript.turns
    start = nanoseconds(attempt.started or (turns[0].started if turns else 0.0))
    answered = max([start, *(nanoseconds(turn.ended) for turn in turns)])
    return AttemptTrace(
        run=run,
        exam=exam,
        attempt=attempt,
        evaluations=evaluations_of(attempt),
        start=start,
        answered=answered,
        end=max(answered, nanoseconds(attempt.ended)),
        everywhere=_everywhere(exam, attempt, experiment) if experiment is not None else {},
        item=_item(exam, attempt, experiment),
        session=_session(run, exam, attempt),
    )


def _everywhere(exam: Exam, attempt: Attempt, experiment: Experiment) -> dict[str, Any]:
    return {
        "langfuse.environment": experiment.environment,
        **({"langfuse.release": experiment.release} if experiment.release else {}),
        "langfuse.experiment.id": experiment.id,
        "langfuse.experiment.name": experiment.name,
        "langfuse.experiment.metadata": Json(experiment.metadata),
        "langfuse.experiment.dataset.id": experiment.dataset_id,
        "langfuse.experiment.item.id": item_id(experiment.dataset, exam),
        names.ITEM_METADATA: Json(item_metadata(exam)),
        "langfuse.experiment.item.root_observation_id": span_id(attempt.key, TASK),
    }


def _item(exam: Exam, attempt: Attempt, experiment: Experiment | None) -> dict[str, Any]:
    known: dict[str, Any] = {"trial": attempt.key.trial}
    known |= {"condition": attempt.key.condition} if attempt.key.condition else {}
    known |= _experiment_fields(exam, experiment) if experiment is not None else {}
    known |= item_metadata(exam)
    return {
        **(_expected_fields(exam, experiment) if experiment is not None else {}),
        **{names.METADATA + name: Json(value) for name, value in known.items()},
        names.OBSERVATION_TYPE: "span",
        names.OPENINFERENCE_KIND: "CHAIN",
        names.INPUT: Json(item_input(exam)),
        **_output(attempt),
    }


def _experiment_fields(exam: Exam, experiment: Experiment) -> dict[str, Any]:
    return {
        "experiment_name": experiment.title,
        "experiment_run_name": experiment.name,
        "dataset_id": experiment.dataset_id,
        "dataset_item_id": item_id(experiment.dataset, exam),
        **experiment.metadata,
    }


def _expected_fields(exam: Exam, experiment: Experiment) -> dict[str, Any]:
    expected = item_expected(exam)
    return {
        **({"langfuse.experiment.description": experiment.description} if experiment.description else {}),
        **({"langfuse.experiment.item.expected_output": Json(expected)} if expected else {}),
    }


def _output(attempt: Attempt) -> dict[str, Any]:
    """Return the reply, or the replies of a conversation, as attributes."""
    replies = [turn_output(turn.reply) for turn in attempt.transcript.turns if turn.reply is not None]
    if not replies:
        return {}
    return {names.OUTPUT: Json(replies[0] if len(replies) == 1 else {"turns": replies})}


def _session(run: Run, exam: Exam, attempt: Attempt) -> dict[str, Any]:
    key = attempt.key
    conversation = "/".join(filter(None, (key.run, key.exam, key.condition, str(key.trial))))
    labels = [f"{name}={value}" for name, value in sorted(run.labels.items())]
    return {
        "user.id": "proctor",
        names.SESSION: conversation,
        names.CONVERSATION: conversation,
        "langfuse.trace.name": f"{run.benchmark}:{exam.id}",
        "langfuse.trace.tags": labels or ["proctor"],
    }
