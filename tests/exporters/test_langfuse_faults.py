"""Whatever goes wrong with a Langfuse, the report says of each attempt what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from tests.exporters.langfuse_stub import BASIC, PUBLIC, SECRET, LangfuseStub, langfuse
from tests.exporters.shipped import EXAMS, THREE, played, shipped, states, subject

from proctor.exporters import sender as sender
from proctor.exporters.langfuse import Langfuse
from proctor.net.exchange import ExchangeLimits

Fault = Callable[[web.Request, Any], Awaitable[web.StreamResponse | None]]


@pytest.fixture
async def stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    async with langfuse() as running:
        monkeypatch.setenv("LANGFUSE_BASE_URL", running.url)
        yield running


def at(path: str, *answers: web.Response | None) -> Fault:
    """These answers at one path, one after the other, the last for ever; None: as usual."""
    left = list(answers)

    async def fault(request: web.Request, _: Any) -> web.StreamResponse | None:
        if not request.path.endswith(path):
            return None
        answer = left.pop(0) if len(left) > 1 else left[0]
        return None if answer is None else web.Response(status=answer.status, body=answer.body, headers=answer.headers)

    return fault


def reasons(report: Any) -> set[str]:
    return {outcome.verdict.reason for outcome in report.outcomes}


async def test_a_refused_connection_sends_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://127.0.0.1:9")
    report = await shipped(Langfuse(subject()))
    assert not report.complete
    assert states(report) == ["unsent"] * 3
    (reason,) = reasons(report)
    assert "cannot connect to http://127.0.0.1:9" in reason


async def test_wrong_keys_are_rejected_at_once_and_never_shown(
    stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-wrong-one")

    async def telltale(request: web.Request, _: Any) -> web.StreamResponse:
        return web.Response(status=401, text=f"no such key: {request.headers['authorization']} {PUBLIC}")

    stub.fault = telltale
    report = await shipped(Langfuse(subject()))
    assert states(report) == ["rejected"] * 3
    assert len(stub.requests) == 1
    (reason,) = reasons(report)
    assert "401 Unauthorized" in reason
    assert "check the keys in the environment" in reason
    assert not any(secret in reason for secret in (PUBLIC, SECRET, "sk-lf-wrong-one", BASIC.split()[1]))


async def test_too_many_requests_are_waited_for(stub: LangfuseStub) -> None:
    busy = web.Response(status=429, headers={"Retry-After": "0"})
    stub.fault = at("/otel/v1/traces", busy, busy, None)
    report = await shipped(Langfuse(subject()))
    assert report.complete
    assert stub.paths["POST /otel/v1/traces"] == 3


async def test_too_many_for_too_long_is_rejected(stub: LangfuseStub) -> None:
    stub.fault = at("/otel/v1/traces", web.Response(status=429, headers={"Retry-After": "3600"}))
    report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report) == ["rejected"] * 3
    assert stub.paths["POST /otel/v1/traces"] == 1
    assert any("it asks to wait 3600 s" in reason for reason in reasons(report))
    assert not stub.scores


async def test_an_error_of_the_server_is_unknown_after_its_tries(stub: LangfuseStub) -> None:
    stub.fault = at("/otel/v1/traces", web.Response(status=500, text="oops"))
    report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report) == ["unknown"] * 3
    assert stub.paths["POST /otel/v1/traces"] == 4
    assert any(
        reason.startswith("spans: ") and "500 Internal Server Error: oops" in reason for reason in reasons(report)
    )


async def test_an_error_that_passes_is_not_noticed(stub: LangfuseStub) -> None:
    stub.fault = at("/scores", web.Response(status=502), None)
    report = await shipped(Langfuse(subject()))
    assert report.complete


async def test_a_server_that_hangs_is_given_up(stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "BOUNDS", ExchangeLimits(seconds=0.2, idle=0.1))
    never = asyncio.Event()

    async def hang(request: web.Request, _: Any) -> web.StreamResponse | None:
        if request.path.endswith("/otel/v1/traces"):
            await never.wait()
        return None

    stub.fault = hang
    report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report) == ["unknown"] * 3
    assert any("sent nothing for 0.1 s" in reason for reason in reasons(report))


async def test_a_dropped_connection_is_unknown(stub: LangfuseStub) -> None:
    async def drop(request: web.Request, _: Any) -> web.StreamResponse | None:
        if request.path.endswith("/scores"):
            assert request.transport is not None
            request.transport.abort()
        return None

    stub.fault = drop
    report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report)[0] == "unknown"
    assert set(states(report)) <= {"unknown", "unsent"}, "once it is given up, nothing more is tried"
    assert any("took the request and dropped the connection" in reason for reason in reasons(report))


async def test_a_score_that_is_rejected_makes_its_attempt_incomplete_and_no_other(stub: LangfuseStub) -> None:
    odd = played(2)
    mark = odd.attempt.scores[0]
    names = tuple(type(part)(name="not allowed", value=part.value) for part in mark.parts)
    attempts = [THREE[0], played(2, scores=(type(mark)(turn=1, of="agent", parts=names, value=1.0, by="x"),)), THREE[2]]

    async def picky(request: web.Request, body: Any) -> web.StreamResponse | None:
        bad = request.path.endswith("/scores") and body["name"] == "not allowed"
        return web.json_response({"message": "Invalid request data"}, status=400) if bad else None

    stub.fault = picky
    report = await shipped(Langfuse(subject()), attempts, concluded=False)
    assert states(report) == ["sent", "rejected", "sent"]
    assert any(reason.startswith("score not allowed: ") for reason in reasons(report))
    assert {score["name"] for score in stub.scores.values()} >= {"correctness", "overall"}


async def test_an_item_that_is_rejected_does_not_take_others_with_it(stub: LangfuseStub) -> None:
    async def picky(request: web.Request, body: Any) -> web.StreamResponse | None:
        bad = request.path.endswith("/dataset-items") and body["id"].endswith("case-2")
        return web.json_response({"message": "schema"}, status=400) if bad else None

    stub.fault = picky
    report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report) == ["sent", "rejected", "sent"]
    assert len({trace for trace, _ in stub.spans}) == 2


async def test_after_a_rejected_attempt_only_that_one_is_sent_again(stub: LangfuseStub) -> None:
    exporter = Langfuse(subject())
    stub.fault = at("/dataset-items", None, web.Response(status=400), None)
    first = await shipped(exporter, concluded=False)
    assert sorted(states(first)) == ["rejected", "sent", "sent"]
    stub.fault = None
    second = await shipped(exporter, concluded=False)
    assert sorted(states(second)) == ["sent", "unchanged", "unchanged"]


async def test_a_destination_that_is_gone_is_not_asked_a_thousand_times(stub: LangfuseStub) -> None:
    many = [played(number) for number in range(200)]
    stub.fault = at("/dataset-items", web.Response(status=503))
    report = await shipped(Langfuse(subject(exams=tuple(each.exam for each in many))), many, concluded=False)
    assert set(states(report)) == {"rejected", "unsent"}
    assert len(stub.requests) < 60
    assert any(reason.startswith("not tried, because ") for reason in reasons(report))


async def test_something_that_is_no_langfuse_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    async def page(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<h1>Welcome</h1>", content_type="text/html")

    from tests.net.serving import serving

    async with serving(page) as server:
        monkeypatch.setenv("LANGFUSE_BASE_URL", server.url)
        report = await shipped(Langfuse(subject()), concluded=False)
    assert states(report) == ["unsent"] * len(EXAMS)
    assert reasons(report) == {"the answer does not tell its project; is this the address of a Langfuse?"}
