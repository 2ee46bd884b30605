"""Convert spans to transcripts, regardless of which instrumentation emitted them. Unknown attributes are ignored.

A turn is a span that Proctor marked as one; otherwise a trace, identified by its single topmost agent span or by its
root. Inside a turn, tool spans become tool calls, sub-agents and plans become steps, model spans become usage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from proctor.telemetry import names
from proctor.telemetry.activity import activity_in
from proctor.telemetry.contents import answer_of, asked_of, case_of, error_of, is_cut_off_in
from proctor.telemetry.messages import AskedText
from proctor.telemetry.span import Span, seconds_of
from proctor.telemetry.tree import SpanTree, TurnSubtree
from proctor.transcript import Reply, Transcript, Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """A recorded conversation."""

    transcript: Transcript
    case: str | None = None
    """Id of the case it was recorded for, if known."""
    failures: Mapping[int, str] = field(default_factory=dict)
    """Turn number → why the agent gave no reply."""
    traces: tuple[str, ...] = ()
    """Trace id of each turn, if there are traces."""
    before: Mapping[int, str] = field(default_factory=dict)
    """Turn number → earlier conversation that was passed to the agent together with the question."""


def transcript_of(spans: Iterable[Span]) -> Transcript:
    """Return the conversation in these spans: one trace, or one trace per turn."""
    return recording_of(spans).transcript


def recording_of(spans: Iterable[Span]) -> Recording:
    """Return the recording in these spans: the conversation with its case and failures."""
    tree = SpanTree(spans)
    turns: list[Turn] = []
    failures: dict[int, str] = {}
    traces: list[str] = []
    before: dict[int, str] = {}
    for number, part in enumerate(tree.turns(), 1):
        traces.append((part.head or part.top[0]).trace)
        asked = _question_in(part)
        turn = _turn(part, number, asked)
        turns.append(turn)
        if asked is not None and asked.before:
            before[number] = asked.before
        if turn.reply is None and (failure := _failure(part)) is not None:
            failures[number] = failure
    ended = next((span.attributes[names.ENDED] for span in tree.spans if names.ENDED in span.attributes), None)
    case = next((case for span in tree.spans if (case := case_of(span)) is not None), None)
    transcript = Transcript(turns=tuple(turns), ended=ended)
    return Recording(transcript=transcript, case=case, failures=failures, traces=tuple(traces), before=before)


def conversation_of(spans: Iterable[Span]) -> str | None:
    """Return the conversation id that the spans carry, or None if they carry none."""
    identifiers = (span.attributes.get(name) for span in spans for name in (names.CONVERSATION, names.SESSION))
    return next((each for each in identifiers if isinstance(each, str) and each), None)


def _turn(part: TurnSubtree, number: int, asked: AskedText | None) -> Turn:
    head = part.head if part.head is not None else part.top[0]
    end = head.end if part.head is not None else max(span.end for span in part.top)
    return Turn(
        number=number,
        question="" if asked is None else asked.text,
        reply=_reply(part, head),
        case=case_of(head),
        strategy=head.attributes.get("proctor.strategy"),
        refers_to=head.attributes.get("proctor.refers_to"),
        fault=head.attributes.get("proctor.fault"),
        started=seconds_of(head.start),
        ended=seconds_of(end),
    )


def _question_in(part: TurnSubtree) -> AskedText | None:
    questions = (asked_of(span) for span in (*part.telling(), *part.models()))
    return next((asked for asked in questions if asked is not None), None)


def _reply(part: TurnSubtree, head: Span) -> Reply | None:
    """Return the reply, or None if the spans contain no answer: an empty text would count as a reply."""
    text = _answer(part)
    if text is None:
        return None
    happened = activity_in(part)
    return Reply(
        text=text,
        tool_calls=happened.tool_calls,
        citations=happened.citations,
        steps=happened.steps,
        usage=happened.usage,
        seconds=head.attributes.get("proctor.reply.seconds"),
        first_token=head.attributes.get("proctor.reply.first_token"),
        cut_off=_cut_off(part, head),
        tools_known=head.attributes.get(names.TOOLS_KNOWN, names.TURN in head.attributes or happened.tools_known),
    )


def _cut_off(part: TurnSubtree, head: Span) -> bool:
    """Whether the last model call stopped at its output limit."""
    if names.CUT_OFF in head.attributes:
        return head.attributes[names.CUT_OFF] is True
    return any(is_cut_off_in(span) for span in part.models()[-1:])


def _answer(part: TurnSubtree) -> str | None:
    telling = part.telling() if part.head is not None else reversed(part.telling())
    answers = (answer_of(span) for span in (*telling, *reversed(part.models())))
    return next((text for text in answers if text is not None), None)


def _failure(part: TurnSubtree) -> str | None:
    """Return the agent's own failure; environment failures say nothing about the agent and are ignored."""
    if part.head is None:
        return None
    if part.head.attributes.get("proctor.failure.owner") == "environment":
        return None
    inside = (error_of(span) for span, _ in part.below())  # a whole Langfuse trace has no status of its own
    return error_of(part.head) or next((error for error in inside if error is not None), None)
