"""Convert between spans and OTLP, OpenTelemetry's wire format: JSON, or protobuf with the extra `otlp`."""

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
_MOST_BYTES = 2_000_000  # before gzip; well below the 4 to 20 MB that receivers accept
_START, _END = b'{"resourceSpans":[', b"]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanBatch:
    """The spans of one request."""

    spans: tuple[Span, ...]
    """Complete traces, unless a single trace is too large."""
    body: bytes
    """Encoded and compressed request body."""
    headers: Mapping[str, str]
    """HTTP headers that describe the body."""


def encode(spans: Iterable[Span], encoding: Encoding = "protobuf") -> bytes:
    """Encode spans as the uncompressed body of an export request."""
    return encode_protobuf(spans) if encoding == "protobuf" else encode_json(spans)


def decode(body: bytes, encoding: Encoding = "protobuf") -> list[Span]:
    """Decode the spans in an uncompressed body of an export request."""
    return decode_protobuf(body) if encoding == "protobuf" else decode_json(body)


def batches(
    spans: Iterable[Span], *, encoding: Encoding = "protobuf", most_bytes: int = _MOST_BYTES
) -> Iterator[SpanBatch]:
    """Yield requests of at most `most_bytes` before compression, while the spans are being read.

    The spans of a trace have to be adjacent; a trace is split only if it alone is too large. A single span that is too
    large is sent alone.
    """
    waiting: list[tuple[Sequence[Span], bytes]] = []
    size = 0
    for _, trace in groupby(spans, key=lambda span: span.trace):
        for piece, body in _split_to_size(list(trace), encoding, most_bytes):
            if waiting and size + len(body) > most_bytes:
                yield _batch(waiting, encoding)
                waiting, size = [], 0
            waiting.append((piece, body))
            size += len(body)
    if waiting:
        yield _batch(waiting, encoding)


def _split_to_size(
    trace: Sequence[Span], encoding: Encoding, most_bytes: int
) -> Iterator[tuple[Sequence[Span], bytes]]:
    body = encode(trace, encoding)
    if len(body) <= most_bytes or len(trace) == 1:
        yield trace, body
        return
    middle = len(trace) // 2
    yield from _split_to_size(trace[:middle], encoding, most_bytes)
    yield from _split_to_size(trace[middle:], encoding, most_bytes)


def _batch(pieces: Sequence[tuple[Sequence[Span], bytes]], encoding: Encoding) -> SpanBatch:
    return SpanBatch(
        spans=tuple(span for piece, _ in pieces for span in piece),
        body=gzip.compress(_join_bodies([body for _, body in pieces], encoding), compresslevel=6, mtime=0),
        headers={"content-type": CONTENT_TYPES[encoding], "content-encoding": "gzip"},
    )


def _join_bodies(bodies: Sequence[bytes], encoding: Encoding) -> bytes:
    """Merge several request bodies; in protobuf, by concatenation."""
    if encoding == "protobuf":
        return b"".join(bodies)
    return _START + b",".join(body.removeprefix(_START).removesuffix(_END) for body in bodies) + _END
