"""Spans on the wire and back, in both encodings, in requests of bounded size."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from typing import Any

import pytest
from tests.telemetry.played import EXAM, EXPERIMENT, RUN, attempt, judged, orchestrated, recorded_requests

from proctor.errors import InputError
from proctor.telemetry.otlp import Encoding, SpanBatch, batches, decode, encode
from proctor.telemetry.otlp_json import decode_json, spans_in
from proctor.telemetry.span import Span, SpanEvent
from proctor.telemetry.trace import spans_of

ENCODINGS: list[Encoding] = ["protobuf", "json"]
ODD = Span(
    trace="0" * 31 + "1",
    id="0" * 15 + "2",
    name="naïve 🦉",
    kind="client",
    start=1_794_704_551_444_863_808,
    end=2**63 - 1,
    attributes={
        "text": "ä\0\n",
        "true": True,
        "zero": 0,
        "least": -(2**63),
        "half": 0.5,
        "endless": float("-inf"),
        "list": ["a", 1, None, [True]],
        "map": {"a": {"b": 1.5}},
        "none": None,
        "bytes": b"\xff\x00",
        "empty": [],
    },
    events=(SpanEvent(name="e", time=1, attributes={"x": 1}),),
    status="error",
    message="no",
    resource={"service.name": "s"},
    scope="sc",
    scope_version="1",
)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_spans_come_back_as_they_were(encoding: Encoding) -> None:
    spans = [ODD, *spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT)]
    assert decode(encode(spans, encoding), encoding) == spans


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_the_wire_has_no_word_for_becomes_text(encoding: Encoding) -> None:
    spans = [Span(trace="1" * 32, id="2" * 16, name="\ud800", attributes={"big": 2**64, "half": "\ud800"})]
    (back,) = decode(encode(spans, encoding), encoding)
    assert (back.name, dict(back.attributes)) == ("?", {"big": str(2**64), "half": "?"})


def test_json_is_as_the_specification_wants_it() -> None:
    (resource,) = json.loads(encode([ODD], "json"))["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    (span,) = scope["spans"]
    assert span["traceId"] == ODD.trace
    assert (span["kind"], span["status"]) == (3, {"code": 2, "message": "no"})
    assert span["startTimeUnixNano"] == "1794704551444863808"
    assert {"key": "zero", "value": {"intValue": "0"}} in span["attributes"]


def test_the_recorded_request_of_another_sdk_is_read() -> None:
    spans = spans_in(recorded_requests()[8]["body"])
    assert len(spans) == 26
    assert {span.kind for span in spans} == {"internal"}
    assert {span.name for span in spans if span.status == "error"} == {"broken"}
    assert spans[0].resource["langfuse.environment"] == "ci"
    assert decode(encode(spans)) == spans


def test_names_in_snake_case_are_read_too() -> None:
    value = {"stringValue": "x"}
    span = {"trace_id": "AB", "span_id": "CD", "start_time_unix_nano": 5, "attributes": [{"key": "k", "value": value}]}
    (read,) = decode_json(json.dumps({"resource_spans": [{"scope_spans": [{"spans": [span]}]}]}))
    assert (read.trace, read.id, read.start, dict(read.attributes)) == ("ab", "cd", 5, {"k": "x"})


def unpacked(batch: SpanBatch, encoding: Encoding) -> bytes:
    assert batch.headers["content-encoding"] == "gzip"
    return gzip.decompress(batch.body)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_requests_keep_to_their_size_and_hold_every_span_once(encoding: Encoding) -> None:
    spans = [span for _ in range(4) for span in spans_of(RUN, EXAM, attempt(*[orchestrated()] * 6))]
    made = list(batches(spans, encoding=encoding, most_bytes=20_000))
    bodies = [unpacked(batch, encoding) for batch in made]
    assert len(made) > 4
    assert max(map(len, bodies)) <= 20_000 + 100
    assert [span for body in bodies for span in decode(body, encoding)] == spans
    assert [span for batch in made for span in batch.spans] == spans


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_trace_is_not_split_where_it_fits(encoding: Encoding) -> None:
    traces = [[Span(trace=f"{n:032x}", id=f"{m:016x}", name="x" * 100) for m in range(1, 6)] for n in range(1, 8)]
    size = len(encode(traces[0], encoding))
    made = list(batches([span for trace in traces for span in trace], encoding=encoding, most_bytes=int(2.5 * size)))
    assert [len({span.trace for span in batch.spans}) for batch in made] == [2, 2, 2, 1]
    assert [len(batch.spans) for batch in made] == [10, 10, 10, 5]


def test_a_span_that_is_too_large_goes_alone() -> None:
    spans = [Span(trace="1" * 32, id=f"{n:016x}", name="x" * (5000 if n == 2 else 5)) for n in range(1, 4)]
    assert [[len(span.name) for span in batch.spans] for batch in batches(spans, most_bytes=1000)] == [[5], [5000], [5]]


def test_equal_spans_make_equal_bytes() -> None:
    one, two = (list(batches(spans_of(RUN, EXAM, judged()))) for _ in range(2))
    assert [batch.body for batch in one] == [batch.body for batch in two]


@pytest.mark.parametrize(("encoding", "body"), [("protobuf", b"\xff\xff"), ("json", b"{")])
def test_what_is_no_request_is_refused(encoding: Encoding, body: bytes) -> None:
    with pytest.raises(InputError, match="this is no"):
        decode(body, encoding)


@pytest.mark.parametrize("body", ["[]", "{}", '{"resourceSpans": 3}', '{"resourceSpans": [3, {"scopeSpans": [null]}]}'])
def test_what_holds_no_spans_holds_none(body: str) -> None:
    assert decode_json(body) == []


def run_without(package: str, code: str) -> subprocess.CompletedProcess[str]:
    """A process in which a package cannot be imported."""
    blocked = f"import sys\nsys.modules[{package!r}] = None\n"
    return subprocess.run([sys.executable, "-c", blocked + code], capture_output=True, text=True, check=False)


def test_without_the_extra_json_works_and_protobuf_says_what_to_install() -> None:
    code = (
        "from proctor.telemetry.otlp import encode, decode\nfrom proctor.telemetry.span import Span\n"
        "spans = [Span(trace='1' * 32, id='2' * 16, name='n')]\n"
        "assert decode(encode(spans, 'json'), 'json') == spans\nencode(spans)\n"
    )
    done: Any = run_without("opentelemetry.proto", code)
    assert done.returncode != 0
    assert "InputError" in done.stderr
    assert "pip install 'proctor[otlp]'" in done.stderr
