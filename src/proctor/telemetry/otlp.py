"""Spans ↔ OTLP, the wire format of OpenTelemetry: JSON with nothing else installed, protobuf with the extra `otlp`."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from proctor.telemetry.otlp_json import decode_json, encode_json
from proctor.telemetry.otlp_protobuf import decode_protobuf, encode_protobuf
from proctor.telemetry.span import Span

Encoding = Literal["protobuf", "json"]
CONTENT_TYPES: Mapping[Encoding, str] = {"protobuf": "application/x-protobuf", "json": "application/json"}
_MOST_BYTES = 2_000_000  # before gzip; well under the 4 to 20 MB at which receivers refuse
_START, _END = b'{"resourceSpans":[', b"]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanBatch:
    """One request's worth of spans."""

    spans: tuple[Span, ...]
    """What it holds: whole traces, unless one alone is too large."""
    body: bytes
    """Encoded and compressed."""
    headers: Mapping[str, str]
    """What the request has to say of its body."""


def encode(spans: Iterable[Span], encoding: Encoding = "protobuf") -> bytes:
    """The spans as the body of one export request, not compressed."""
    return encode_protobuf(spans) if encoding == "protobuf" else encode_json(spans)


def decode(body: bytes, encoding: Encoding = "protobuf") -> list[Span]:
    """The spans in the body of an export request, not compressed."""
    return decode_protobuf(body) if encoding == "protobuf" else decode_json(body)


def batches(
    spans: Iterable[Span], *, encoding: Encoding = "protobuf", most_bytes: int = _MOST_BYTES
) -> Iterator[SpanBatch]:
    """The spans as requests of at most so many bytes before compression, made as the spans come.

    The spans of one trace have to stand together; it is split only where it alone is too large. A single span that is
    too large goes alone.
    """
    waiting: list[tuple[Sequence[Span], bytes]] = []
    size = 0
    for _, trace in groupby(spans, key=lambda span: span.trace):
        for piece, body in _pieces(list(trace), encoding, most_bytes):
            if waiting and size + len(body) > most_bytes:
                yield _batch(waiting, encoding)
                waiting, size = [], 0
            waiting.append((piece, body))
            size += len(body)
    if waiting:
        yield _batch(waiting, encoding)


def _pieces(trace: Sequence[Span], encoding: Encoding, most_bytes: int) -> Iterator[tuple[Sequence[Span], bytes]]:
    body = encode(trace, encoding)
    if len(body) <= most_bytes or len(trace) == 1:
        yield trace, body
        return
    middle = len(trace) // 2
    yield from _pieces(trace[:middle], encoding, most_bytes)
    yield from _pieces(trace[middle:], encoding, most_bytes)


def _batch(pieces: Sequence[tuple[Sequence[Span], bytes]], encoding: Encoding) -> SpanBatch:
    return SpanBatch(
        spans=tuple(span for piece, _ in pieces for span in piece),
        body=gzip.compress(_join_bodies([body for _, body in pieces], encoding), compresslevel=6, mtime=0),
        headers={"content-type": CONTENT_TYPES[encoding], "content-encoding": "gzip"},
    )


def _join_bodies(bodies: Sequence[bytes], encoding: Encoding) -> bytes:
    """Several requests as one. In protobuf that is simply one after the other."""
    if encoding == "protobuf":
        return b"".join(bodies)
    return _START + b",".join(body.removeprefix(_START).removesuffix(_END) for body in bodies) + _END
