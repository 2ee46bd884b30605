"""Convert between spans and OTLP protobuf, with the extra `otlp`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

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

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtobufSpan

INSTALL = "OTLP as protobuf needs opentelemetry-proto; install it with: pip install 'proctor[otlp]'"


def _request() -> ExportTraceServiceRequest:
    try:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ImportError as error:
        raise InputError(INSTALL) from error
    return ExportTraceServiceRequest()


def encode_protobuf(spans: Iterable[Span]) -> bytes:
    """Encode an export request as protobuf."""
    request = _request()
    for origin, group in origins(spans):
        resource = request.resource_spans.add()
        _fill(resource.resource.attributes, origin.resource)
        scoped = resource.scope_spans.add()
        scoped.scope.name, scoped.scope.version = origin.scope, origin.scope_version
        for span in group:
            _fill_span(scoped.spans.add(), span)
    return request.SerializeToString()


def _fill_span(target: ProtobufSpan, span: Span) -> None:
    target.trace_id, target.span_id = bytes.fromhex(span.trace), bytes.fromhex(span.id)
    target.parent_span_id = bytes.fromhex(span.parent or "")
    target.name = utf8(span.name)
    target.kind = number_of(span.kind, KINDS)  # type: ignore[assignment]
    target.start_time_unix_nano, target.end_time_unix_nano = span.start, span.end
    _fill(target.attributes, span.attributes)
    for event in span.events:
        happened = target.events.add()
        happened.name, happened.time_unix_nano = event.name, event.time
        _fill(happened.attributes, event.attributes)
    target.status.code = number_of(span.status, STATUSES)  # type: ignore[assignment]
    target.status.message = utf8(span.message)


def _fill(target: Any, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        each = target.add()
        each.key = utf8(name)
        _fill_value(each.value, value)


def _fill_value(target: AnyValue, value: Any) -> None:
    if isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int) and value in INT64:
        target.int_value = value
    elif isinstance(value, float):
        target.double_value = value
    elif isinstance(value, bytes):
        target.bytes_value = value
    elif isinstance(value, Mapping):
        target.kvlist_value.SetInParent()
        _fill(target.kvlist_value.values, value)
    elif isinstance(value, (list, tuple)):
        target.array_value.SetInParent()
        for each in value:
            _fill_value(target.array_value.values.add(), each)
    elif value is not None:
        target.string_value = utf8(str(value))


def decode_protobuf(body: bytes) -> list[Span]:
    """Decode the spans of an export request in protobuf."""
    request = _request()
    try:
        request.ParseFromString(body)
    except Exception as error:  # protobuf's DecodeError, which cannot be named without importing the package
        raise InputError(f"this is not an OTLP export request in protobuf: {error}") from error
    found = []
    for resource in request.resource_spans:
        origin = _read(resource.resource.attributes)
        for scoped in resource.scope_spans:
            found += [_read_span(span, origin, scoped.scope.name, scoped.scope.version) for span in scoped.spans]
    return found


def _read_span(span: ProtobufSpan, resource: Mapping[str, Any], scope: str, version: str) -> Span:
    return Span(
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex() or None,
        name=span.name,
        kind=word_of(int(span.kind), KINDS),
        start=span.start_time_unix_nano,
        end=span.end_time_unix_nano,
        attributes=_read(span.attributes),
        events=tuple(
            SpanEvent(name=event.name, time=event.time_unix_nano, attributes=_read(event.attributes))
            for event in span.events
        ),
        status=cast("SpanStatus", word_of(int(span.status.code), STATUSES)),
        message=span.status.message,
        resource=resource,
        scope=scope,
        scope_version=version,
    )


def _read(attributes: Iterable[KeyValue]) -> dict[str, Any]:
    return {each.key: _read_value(each.value) for each in attributes}


def _read_value(value: AnyValue) -> Any:
    match value.WhichOneof("value"):
        case None:
            return None
        case "array_value":
            return [_read_value(each) for each in value.array_value.values]
        case "kvlist_value":
            return _read(value.kvlist_value.values)
        case kind:
            return getattr(value, kind)
