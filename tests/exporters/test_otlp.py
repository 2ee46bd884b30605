"""Any OTLP backend: its address and headers in OpenTelemetry's words, and spans without Langfuse."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web
from tests.exporters.shipped import shipped, states, subject
from tests.net.serving import serving

from proctor.errors import UsageError
from proctor.exporters.otlp import Otlp, traces_address
from proctor.telemetry.otlp import decode


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        ("http://here:4318", {}, "http://here:4318/v1/traces"),
        ("http://here:4318/", {}, "http://here:4318/v1/traces"),
        ("http://here/otel/v1/traces", {}, "http://here/otel/v1/traces"),
        (None, {"ENDPOINT": "http://there"}, "http://there/v1/traces"),
        (None, {"ENDPOINT": "http://there", "TRACES_ENDPOINT": "http://exactly/here"}, "http://exactly/here"),
        ("http://here", {"TRACES_ENDPOINT": "http://exactly/there"}, "http://here/v1/traces"),
    ],
)
def test_the_address_is_as_given_or_as_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, given: str | None, environment: dict[str, str], expected: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    assert traces_address(given) == expected


def test_no_address_at_all_says_how_to_name_one() -> None:
    with pytest.raises(
        UsageError, match="set OTEL_EXPORTER_OTLP_ENDPOINT in the environment, such as http://localhost:4318"
    ):
        traces_address(None)


@pytest.mark.parametrize("address", ["localhost:4318", "ftp://here", "http://", "http://user:hunter2@here"])
def test_an_address_that_cannot_be_used_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(UsageError, match=r"^--endpoint ") as caught:
        traces_address(address)
    assert "hunter2" not in str(caught.value)


async def received(monkeypatch: pytest.MonkeyPatch, **environment: str) -> tuple[Any, list[web.Request], list[Any]]:
    """What becomes of a run, with which requests and spans."""
    requests: list[web.Request] = []
    spans: list[Any] = []

    async def serve(request: web.Request) -> web.StreamResponse:
        requests.append(request)
        spans.extend(decode(await request.read(), "json" if request.content_type.endswith("json") else "protobuf"))
        return web.Response()

    for name, value in environment.items():
        monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    async with serving(serve) as server:
        report = await shipped(Otlp(subject("30 days"), endpoint=server.url))
    return report, requests, spans


async def test_a_run_is_one_trace_for_each_attempt_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    report, requests, spans = await received(monkeypatch)
    assert report.complete
    assert states(report) == ["sent"] * 3
    assert not report.counts("run score"), "OTLP has no place for them"
    assert len({span.trace for span in spans}) == 3
    assert not [name for span in spans for name in span.attributes if name.startswith("langfuse.experiment.")]
    assert [request.path for request in requests] == ["/v1/traces"]
    assert "30 days" not in repr(spans)


async def test_headers_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    _, requests, _ = await received(monkeypatch, HEADERS="api-key=s3cret%20key, x-team = a")
    assert (requests[0].headers["api-key"], requests[0].headers["x-team"]) == ("s3cret key", "a")


async def test_json_where_the_environment_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _, requests, _ = await received(monkeypatch, PROTOCOL="http/json")
    assert requests[0].content_type == "application/json"


def test_what_cannot_be_spoken_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(UsageError, match="'grpc' is not supported; expected http/protobuf or http/json"):
        Otlp(subject(), endpoint="http://here")


def test_headers_that_cannot_be_read_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "hunter2")
    with pytest.raises(UsageError, match="expected key=value") as caught:
        Otlp(subject(), endpoint="http://here")
    assert "hunter2" not in str(caught.value)


async def test_an_echoed_header_is_not_in_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret-key")

    async def echo(request: web.Request) -> web.StreamResponse:
        return web.Response(status=400, text=f"bad key {request.headers['api-key']}")

    async with serving(echo) as server:
        report = await shipped(Otlp(subject(), endpoint=server.url))
    assert states(report) == ["rejected"] * 3
    assert "s3cret-key" not in repr(report)


def test_an_address_with_a_query_is_refused_for_it_would_be_lost() -> None:
    with pytest.raises(UsageError, match=r"^--endpoint holds a query") as caught:
        traces_address("http://here:4318?key=hunter2")
    assert "hunter2" not in str(caught.value)
