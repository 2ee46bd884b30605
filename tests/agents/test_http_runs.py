"""HTTP agents in whole runs: one bad reply hurts no other, limits are heeded, connections are reused."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.agents.test_http import agent_at

import proctor
from proctor.run import Attempt

BOMB = gzip.compress(b"\0" * 30_000_000, compresslevel=1)


async def played(agent: Any, cases: list[tuple[str, str]], folder: Path, **settings: Any) -> dict[str, Attempt]:
    """Attempts by question."""
    run = await proctor.aevaluate(cases, agent=agent, reviewer="exact", store=folder / "store.db", **settings)
    return {attempt.transcript.turns[0].question: attempt for attempt in run.attempts()}


async def misbehave(request: web.Request) -> web.StreamResponse:
    """As the question wishes."""
    question = (await request.json())["question"]
    response = web.StreamResponse()
    if question == "hang":
        await asyncio.Event().wait()
    if question in ("drip", "endless"):
        await response.prepare(request)
        while True:
            await response.write(b" " if question == "drip" else b" " * 65_536)
            await asyncio.sleep(0.01 if question == "drip" else 0)
    if question == "reset":
        assert request.transport is not None
        request.transport.abort()
    if question == "bomb":
        return web.Response(body=BOMB, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})
    if question == "page":
        return web.Response(text="<html>", content_type="text/html")
    if question == "binary":
        return web.Response(body=b"\xff\xfe", content_type="application/json")
    if question == "busy":
        return web.Response(status=503)
    return web.json_response({"text": question})


async def test_every_fault_is_told_for_what_it_is_and_hurts_no_other_attempt(tmp_path: Path) -> None:
    expected = {
        "hang": ("agent", "did not answer within 2 s"),
        "drip": ("agent", "did not answer within 2 s"),
        "endless": ("agent", "more than 1,000,000 bytes"),
        "bomb": ("agent", "more than 1,000,000 bytes"),
        "reset": ("agent", "dropped the connection"),
        "page": ("agent", "the reply is 'text/html'"),
        "binary": ("agent", "not valid JSON"),
        "busy": ("environment", "answered 503 Service Unavailable"),
    }
    cases = [(question, question) for question in (*expected, *(f"good {number}" for number in range(40)))]
    async with agent_at(misbehave, max_bytes=1_000_000) as (agent, _):
        attempts = await played(agent, cases, tmp_path, concurrency=16, timeout=2.0, retries=0)
    for question, (owner, words) in expected.items():
        failure = attempts[question].failure
        assert failure is not None, question
        assert failure.owner == owner
        assert words in failure.reason
    assert all(attempts[f"good {number}"].passed for number in range(40))


async def test_connections_are_reused_over_a_whole_run(tmp_path: Path) -> None:
    cases = [(f"question {number}", f"question {number}") for number in range(100)]
    async with agent_at(misbehave) as (agent, server):
        attempts = await played(agent, cases, tmp_path, concurrency=10)
    assert all(attempt.passed for attempt in attempts.values())
    assert len(server.requests) == 100
    assert len(server.peers) <= 10


async def test_a_storm_of_too_many_calms_down_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.running.calls._FIRST_PAUSE", 0.001)
    inside = refused = 0

    async def strained(request: web.Request) -> web.Response:
        nonlocal inside, refused
        if inside >= 4:
            refused += 1
            return web.Response(status=429, headers={"Retry-After": "0"})
        inside += 1
        await asyncio.sleep(0.005)
        inside -= 1
        return web.json_response({"text": (await request.json())["question"]})

    cases = [(f"question {number}", f"question {number}") for number in range(200)]
    async with agent_at(strained) as (agent, _):
        attempts = await played(agent, cases, tmp_path, concurrency=40, retries=10)
    assert all(attempt.passed for attempt in attempts.values())
    assert 36 <= refused < 200


async def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=401)

    cases = [(f"question {number}", "x") for number in range(50)]
    async with agent_at(refuse) as (agent, server):
        run = await proctor.aevaluate(cases, agent=agent, reviewer="exact", store=tmp_path / "s.db", concurrency=1)
    assert run.run.status == "failed"
    assert "answered 401 Unauthorized; check the key" in run.run.reason
    assert len(server.requests) == 1
