"""Parse one record of a recordings file: Proctor's own conversation format, a message list, or part of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from proctor.codec.invalid import describe_invalid
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault, InputError
from proctor.telemetry import json_spans, otlp_json
from proctor.telemetry.messages import is_messages, messages_in, turns_in
from proctor.telemetry.span import Span
from proctor.telemetry.transcripts import Recording
from proctor.transcript import Reply, Transcript, Turn

Form = Literal["many", "request", "span", "own", "messages"]
EXPECTED = (
    'expected a reply ({"case" or "question", "reply"}), a transcript ({"turns"}), a message list '
    '({"messages"}), OTLP spans ({"resourceSpans"}), OpenInference spans ({"context"}) or a Langfuse trace '
    '({"observations"})'
)


def form_of(value: Any) -> Form:
    """Return the format of a record; raise InputError if it is not recognised."""
    if isinstance(value, list):
        return "messages" if is_messages(value) else "many"
    if not isinstance(value, Mapping):
        raise InputError(f"a record is {_kind_name(value)}; {EXPECTED}")
    if "resourceSpans" in value or "resource_spans" in value:
        return "request"
    if _is_piece(value):
        return "span"
    if any(name in value for name in ("reply", "error", "turns", "transcript")):
        return "own"
    if is_messages(value.get("messages")):
        return "messages"
    if isinstance(value.get("data"), list):
        return "many"
    raise InputError(f"a record has the keys {sorted(map(str, value))!r}; {EXPECTED}")


def _is_piece(value: Mapping[str, Any]) -> bool:
    if json_spans.is_span(value) or json_spans.is_trace(value) or json_spans.is_observation(value):
        return True
    return "spanId" in value or "span_id" in value


def _kind_name(value: Any) -> str:
    return {str: "a text", bool: "a truth value", type(None): "null"}.get(type(value), "a number")


def spans_in(value: Mapping[str, Any]) -> list[Span]:
    """Parse the spans in one piece of a trace."""
    if json_spans.is_span(value):
        return [json_spans.span_in(value)]
    if json_spans.is_trace(value):
        return json_spans.spans_of_trace(value)
    if json_spans.is_observation(value):
        return [json_spans.observation_in(value)]
    return [otlp_json.span_in(value)]


def recording_in(value: Any) -> Recording:
    """Parse a conversation in Proctor's own format or a message list."""
    if form_of(value) == "messages":
        return _from_messages(value)
    return _read_own_recording(value)


def _case_in(value: Mapping[str, Any]) -> str | None:
    metadata = value.get("metadata")
    candidates = [
        value.get("case"),
        value.get("case_id"),
        metadata.get("case_id") if isinstance(metadata, Mapping) else None,
    ]
    return next((str(each) for each in candidates if isinstance(each, (str, int)) and each != ""), None)


def _from_messages(value: Any) -> Recording:
    conversation: Mapping[str, Any] = value if isinstance(value, Mapping) else {"messages": value}
    turns = turns_in(messages_in(conversation["messages"]))
    if not turns:
        raise InputError("a message list has no message of a user; expected at least one question")
    return Recording(transcript=Transcript(turns=turns), case=_case_in(conversation))


def _read_own_recording(value: Mapping[str, Any]) -> Recording:
    transcript = value.get("transcript")
    record = {**transcript, **value} if isinstance(transcript, Mapping) else value
    given = record.get("turns", [record])
    case = _case_in(record)
    if not isinstance(given, list) or not given:
        raise InputError(f'turns={given!r} is not a list of turns; expected {{"question", "reply"}} each')
    turns = tuple(_own_turn(turn, place) for place, turn in enumerate(given, 1))
    if case is None and not any(turn.question or turn.case for turn in turns):
        raise InputError("a recording has neither a case nor a question; without one it cannot be matched")
    failures = {place: str(turn["error"]) for place, turn in enumerate(given, 1) if turn.get("error") is not None}
    ended = record.get("ended")
    return Recording(
        transcript=Transcript(turns=turns, ended=ended if isinstance(ended, str) else None),
        case=case,
        failures=failures,
    )


def _own_turn(value: Any, number: int) -> Turn:
    if not isinstance(value, Mapping):
        raise InputError(f'turn {number} is {value!r}; expected {{"question", "reply"}}')
    fields = {name: value[name] for name in ("strategy", "refers_to", "fault", "started", "ended") if name in value}
    try:
        turn = msgspec.convert({**fields, "number": number, "question": value.get("question", "")}, Turn)
    except msgspec.ValidationError as error:
        raise InputError(f"turn {number} cannot be read: {describe_invalid(error, value)}") from error
    return replace(turn, reply=_reply_in(value, number), case=_case_in(value))


def _reply_in(value: Mapping[str, Any], number: int) -> Reply | None:
    if value.get("reply") is None:
        if value.get("error") is None and "reply" not in value:
            raise InputError(f"turn {number} has neither a reply nor an error")
        return None
    try:
        return to_reply(value["reply"])
    except AgentFault as error:
        raise InputError(f"the reply of turn {number} cannot be read: {error}") from error
