"""Convert spans and observations in JSON exports to Span: those of the OpenTelemetry SDK, Phoenix and Langfuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from proctor.telemetry import names
from proctor.telemetry.span import Span, SpanEvent, SpanStatus, nanoseconds


def is_span(value: Any) -> bool:
    """Whether it is a span as printed by the OpenTelemetry SDK or exported by Phoenix."""
    context = value.get("context") if isinstance(value, Mapping) else None
    return isinstance(context, Mapping) and "trace_id" in context and "span_id" in context


def is_trace(value: Any) -> bool:
    """Whether it is a trace as exported by Langfuse: with its observations, or from a table of traces."""
    if not isinstance(value, Mapping):
        return False
    alone = all(isinstance(value.get(name), str) for name in ("id", "timestamp")) and "input" in value
    return alone or isinstance(value.get("observations"), list)


def is_observation(value: Any) -> bool:
    """Whether it is a single observation as exported by Langfuse."""
    return isinstance(value, Mapping) and all(isinstance(value.get(name), str) for name in ("id", "traceId", "type"))


def span_in(value: Mapping[str, Any]) -> Span:
    """Convert a span of the SDK or Phoenix."""
    status = value.get("status")
    status_fields = status if isinstance(status, Mapping) else {}
    attributes = flatten_attributes(value.get("attributes"))
    if isinstance(value.get("span_kind"), str):
        attributes.setdefault(names.OPENINFERENCE_KIND, value["span_kind"])
    return Span(
        trace=_identity(value["context"]["trace_id"]),
        id=_identity(value["context"]["span_id"]),
        parent=_identity(value.get("parent_id")) or None,
        name=str(value.get("name") or ""),
        start=_time(value.get("start_time")),
        end=_time(value.get("end_time")),
        attributes=attributes,
        events=tuple(_events(value.get("events"))),
        status=_status(status_fields.get("status_code", value.get("status_code"))),
        message=str(status_fields.get("description", value.get("status_message")) or ""),
    )


def _events(value: Any) -> Iterator[SpanEvent]:
    for event in value if isinstance(value, list) else ():
        if isinstance(event, Mapping):
            yield SpanEvent(
                name=str(event.get("name") or ""),
                time=_time(event.get("timestamp")),
                attributes=flatten_attributes(event.get("attributes")),
            )


def _identity(value: Any) -> str:
    return value.removeprefix("0x").lower() if isinstance(value, str) else ""


def _status(value: Any) -> SpanStatus:
    word = str(value or "").removeprefix("StatusCode.").lower()
    return "error" if word == "error" else "ok" if word == "ok" else "unset"


def _time(value: Any) -> int:
    """Convert an ISO date or nanoseconds to nanoseconds since the epoch."""
    if isinstance(value, int):
        return value
    try:
        when = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return 0
    return nanoseconds((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def flatten_attributes(value: Any) -> dict[str, Any]:
    """Flatten nested attributes to dotted names; nested values are also kept whole."""
    found: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [("", value if isinstance(value, Mapping) else {})]
    while waiting:
        prefix, inner = waiting.pop()
        pairs = inner.items() if isinstance(inner, Mapping) else enumerate(inner)
        for name, each in pairs:
            found[f"{prefix}{name}"] = each
            if isinstance(each, Mapping) or (isinstance(each, list) and any(isinstance(one, Mapping) for one in each)):
                waiting.append((f"{prefix}{name}.", each))
    return found


# --- Langfuse ----------------------------------------------------------------------------------


def spans_of_trace(trace: Mapping[str, Any]) -> list[Span]:
    """Convert a Langfuse trace to its observations, under a span for the trace itself."""
    spans = [observation_in(each) for each in trace.get("observations") or () if is_observation(each)]
    identity = str(trace.get("id") or "")
    attributes = _input_output(trace) | {
        f"langfuse.trace.metadata.{name}": each for name, each in _mapping(trace.get("metadata")).items()
    }
    if isinstance(trace.get("sessionId"), str):
        attributes[names.SESSION] = trace["sessionId"]
    root = Span(
        trace=identity,
        id=f"trace:{identity}",
        name=str(trace.get("name") or ""),
        start=_time(trace.get("timestamp")) or min((span.start for span in spans), default=0),
        end=max((span.end for span in spans), default=0),
        attributes=attributes,
    )
    known = {span.id for span in spans}
    return [root, *(span if span.parent in known else replace(span, parent=root.id) for span in spans)]


def observation_in(value: Mapping[str, Any]) -> Span:
    """Convert one observation; Langfuse keeps OpenTelemetry's attributes under `metadata.attributes`."""
    metadata = _mapping(value.get("metadata"))
    attributes = {
        **flatten_attributes(metadata.get("attributes")),
        **{names.METADATA + name: each for name, each in metadata.items() if name != "attributes"},
        **_input_output(value),
        names.OBSERVATION_TYPE: value["type"].lower(),
    }
    for name, attribute in (
        ("model", names.MODEL),
        ("providedModelName", names.MODEL),
        ("sessionId", names.SESSION),
        ("usageDetails", names.USAGE_DETAILS),
        ("costDetails", names.COST_DETAILS),
        ("level", "langfuse.observation.level"),
        ("statusMessage", "langfuse.observation.status_message"),
    ):
        if value.get(name) not in (None, "", {}):
            attributes[attribute] = value[name]
    return Span(
        trace=value["traceId"],
        id=value["id"],
        parent=value.get("parentObservationId") or None,
        name=str(value.get("name") or ""),
        start=_time(value.get("startTime")),
        end=_time(value.get("endTime")) or _time(value.get("startTime")),
        attributes=attributes,
        status="error" if value.get("level") == "ERROR" else "unset",
        message=str(value.get("statusMessage") or "") if value.get("level") == "ERROR" else "",
    )


def _input_output(value: Mapping[str, Any]) -> dict[str, Any]:
    given = {names.INPUT: value.get("input"), names.OUTPUT: value.get("output")}
    return {name: each for name, each in given.items() if each is not None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
