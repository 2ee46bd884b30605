"""Convert between spans and OTLP JSON: ids as hex, 64-bit numbers as text, enumerations as numbers."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, cast

import msgspec

from proctor.codec import read_json
from proctor.codec.invalid import its_keys
from proctor.errors import InputError
from proctor.telemetry.span import (
    INT64,
    KINDS,
    STATUSES,
    Span,
    SpanEvent,
    SpanStatus,
    number_of,
    origins,
    utf8,
    word_of,
)

_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def encode_json(spans: Iterable[Span]) -> bytes:
    """Encode an export request as OTLP JSON: ids as hex, 64-bit numbers as text, enumerations as numbers."""
    resource_spans = [
        {
            "resource": {"attributes": _json_attributes(origin.resource)},
            "scopeSpans": [
                {
                    "scope": {"name": origin.scope, "version": origin.scope_version},
                    "spans": [_json_span(span) for span in group],
                }
            ],
        }
        for origin, group in origins(spans)
    ]
    return msgspec.json.encode({"resourceSpans": resource_spans})


def _json_span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace,
        "spanId": span.id,
        "parentSpanId": span.parent or "",
        "name": utf8(span.name),
        "kind": number_of(span.kind, KINDS),
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _json_attributes(span.attributes),
        "events": [
            {
                "name": event.name,
                "timeUnixNano": str(event.time),
                "attributes": _json_attributes(event.attributes),
            }
            for event in span.events
        ],
        "status": {"code": number_of(span.status, STATUSES), "message": utf8(span.message)},
    }


def _json_attributes(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": utf8(name), "value": _json_value(value)} for name, value in attributes.items()]


def _json_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and value in INT64:
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _NOT_FINITE[str(value)]}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": _json_attributes(value)}}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [_json_value(each) for each in value]}}
    return {} if value is None else {"stringValue": utf8(str(value))}


def decode_json(body: bytes | str) -> list[Span]:
    """Decode the spans of an export request in OTLP JSON."""
    try:
        value = read_json(body)
    except msgspec.DecodeError as error:
        raise InputError(f"this is not JSON: {error}; expected an OTLP export request") from error
    return spans_in(value)


def spans_in(request: Any) -> list[Span]:
    """Return the spans of an export request that is already parsed; camelCase or snake_case."""
    found = []
    for resource in _list(_field(request, "resourceSpans")):
        origin = _attributes_in(_field(_field(resource, "resource"), "attributes"))
        for scoped in _list(_field(resource, "scopeSpans")):
            scope = _field(scoped, "scope")
            found += [
                span_in(
                    span, resource=origin, scope=_text(_field(scope, "name")), version=_text(_field(scope, "version"))
                )
                for span in _list(_field(scoped, "spans"))
            ]
    return found


def span_in(span: Any, *, resource: Mapping[str, Any] | None = None, scope: str = "", version: str = "") -> Span:
    """Convert one span from OTLP JSON."""
    trace, own = _text(_field(span, "traceId")), _text(_field(span, "spanId"))
    if not trace or not own:
        raise InputError(f"a span has no traceId or no spanId: {its_keys(span or ())}")
    status = _field(span, "status") or {}
    return Span(
        trace=trace.lower(),
        id=own.lower(),
        parent=_text(_field(span, "parentSpanId")).lower() or None,
        name=_text(_field(span, "name")),
        kind=_enum_word(_field(span, "kind"), "SPAN_KIND_", KINDS),
        start=_parse_int(_field(span, "startTimeUnixNano")),
        end=_parse_int(_field(span, "endTimeUnixNano")),
        attributes=_attributes_in(_field(span, "attributes")),
        events=tuple(_event_in(event) for event in _list(_field(span, "events"))),
        status=cast("SpanStatus", _enum_word(_field(status, "code"), "STATUS_CODE_", STATUSES)),
        message=_text(_field(status, "message")),
        resource=resource or {},
        scope=scope,
        scope_version=version,
    )


def _event_in(event: Any) -> SpanEvent:
    return SpanEvent(
        name=_text(_field(event, "name")),
        time=_parse_int(_field(event, "timeUnixNano")),
        attributes=_attributes_in(_field(event, "attributes")),
    )


def _field(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return None
    if name in value:
        return value[name]
    return value.get(_snake_case(name))


@cache
def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parse_int(value: Any) -> int:
    try:
        return int(value or 0)
    except (TypeError, ValueError):
        return 0


def _enum_word(value: Any, prefix: str, words: tuple[str, ...]) -> str:
    """Return the name of an enumeration value, given as number or name."""
    if isinstance(value, str):
        word = value.removeprefix(prefix).lower()
        return word if word in words else words[0]
    return word_of(value, words)


def _attributes_in(attributes: Any) -> dict[str, Any]:
    return {_text(_field(each, "key")): _value_in(_field(each, "value")) for each in _list(attributes)}


def _value_in(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        return None
    kind, inner = next(iter(value.items()))
    match kind:
        case "intValue" | "int_value":
            return _parse_int(inner)
        case "doubleValue" | "double_value":
            return float(inner) if isinstance(inner, (int, float)) or inner in _NOT_FINITE.values() else None
        case "arrayValue" | "array_value":
            return [_value_in(each) for each in _list(_field(inner, "values"))]
        case "kvlistValue" | "kvlist_value":
            return _attributes_in(_field(inner, "values"))
        case "bytesValue" | "bytes_value":
            return base64.b64decode(inner)
        case _:
            return inner
