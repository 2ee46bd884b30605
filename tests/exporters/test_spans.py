"""Spans to an OTLP endpoint: batches, halves, and what partial success says."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.exporters.shipped import THREE, played
from tests.net.serving import serving
from tests.telemetry.played import RUN

from proctor.exporters.outcome import DeliveryVerdict
from proctor.exporters.sender import Sender
from proctor.exporters.spans import SpanPost
from proctor.telemetry.otlp import Encoding, decode
from proctor.telemetry.span import Span
from proctor.telemetry.trace import spans_of

Answer = Callable[[list[Span]], web.Response]


async def delivered(
    answer: Answer, *, number: int = 3, encoding: Encoding = "protobuf"
) -> tuple[list[DeliveryVerdict], list[list[Span]]]:
    """What became of so many traces, and which spans came in which request."""
    came: list[list[Span]] = []

    async def serve(request: web.Request) -> web.StreamResponse:
        assert request.headers["content-encoding"] == "gzip"
        came.append(decode(await request.read(), encoding))
        return answer(came[-1])

    traces = [spans_of(RUN, each.exam, each.attempt) for each in map(played, range(number))]
    async with serving(serve) as server:
        carrier = Sender()
        verdicts = await SpanPost(carrier, f"{server.url}/v1/traces", encoding=encoding).deliver(traces)
        await carrier.close()
    return verdicts, came


def fine(_: list[Span]) -> web.Response:
    return web.Response()


@pytest.mark.parametrize("encoding", ["protobuf", "json"])
async def test_traces_go_out_together(encoding: Encoding) -> None:
    verdicts, came = await delivered(fine, encoding=encoding)
    assert [verdict.state for verdict in verdicts] == ["sent"] * 3
    assert len(came) == 1
    assert len({span.trace for span in came[0]}) == 3


async def test_one_trace_that_is_refused_does_not_take_others_with_it() -> None:
    bad = spans_of(RUN, THREE[0].exam, played(5).attempt)[0].trace

    def picky(spans: list[Span]) -> web.Response:
        return web.Response(status=413 if any(span.trace == bad for span in spans) else 200)

    verdicts, _ = await delivered(picky, number=9)
    assert [verdict.state for verdict in verdicts] == ["sent"] * 5 + ["rejected"] + ["sent"] * 3


async def test_where_everything_is_refused_it_is_not_taken_apart_for_ever() -> None:
    verdicts, came = await delivered(lambda _: web.Response(status=400, text="no"), number=64)
    assert {verdict.state for verdict in verdicts} == {"rejected"}
    assert len(came) < 30


def _partial(rejected: int, message: str, encoding: str) -> web.Response:
    if encoding == "json":
        told = {"partialSuccess": {"rejectedSpans": str(rejected), "errorMessage": message}}
        return web.Response(body=msgspec.json.encode(told), content_type="application/json")
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = rejected
    response.partial_success.error_message = message
    return web.Response(body=response.SerializeToString(), content_type="application/x-protobuf")


@pytest.mark.parametrize("encoding", ["protobuf", "json"])
async def test_spans_that_were_rejected_among_others_make_all_unknown(encoding: Encoding) -> None:
    verdicts, came = await delivered(lambda _: _partial(2, "too old", encoding), encoding=encoding)
    assert [verdict.state for verdict in verdicts] == ["unknown"] * 3
    assert verdicts[0].reason == f"2 of the {len(came[0])} spans of one request were rejected: too old"


@pytest.mark.parametrize("encoding", ["protobuf", "json"])
async def test_all_spans_rejected_is_rejected(encoding: Encoding) -> None:
    verdicts, _ = await delivered(lambda spans: _partial(len(spans), "", encoding), encoding=encoding)
    assert [verdict.state for verdict in verdicts] == ["rejected"] * 3


@pytest.mark.parametrize("body", [b"{}", b"[]", b"ok", b'{"partialSuccess": {"rejectedSpans": "many"}}'])
async def test_an_answer_that_says_nothing_of_rejection_is_fine(body: bytes) -> None:
    verdicts, _ = await delivered(lambda _: web.Response(body=body, content_type="application/json"))
    assert [verdict.state for verdict in verdicts] == ["sent"] * 3


async def test_a_warning_is_no_rejection() -> None:
    verdicts, _ = await delivered(lambda _: _partial(0, "use gRPC", "protobuf"))
    assert [verdict.state for verdict in verdicts] == ["sent"] * 3
