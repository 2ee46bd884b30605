"""Servers that break the rules, behind every protocol: each ends as a failure that says so, and hurts no other case."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.net.serving import serving

import proctor
from proctor.agents import a2a, mcp, openai
from proctor.config import Config
from proctor.roles import Agent
from proctor.run import Attempt

LIMIT = 1_000_000
BOMB = gzip.compress(b" " * 50_000_000)
JSON = {"Content-Type": "application/json"}
SSE = {"Content-Type": "text/event-stream"}
GOOD = 30

FAULTS = {
    "hang": ("agent", "did not answer within 2 s"),
    "drip": ("agent", "did not answer within 2 s"),
    "endless": ("agent", "more than 1,000,000 bytes"),
    "events without end": ("agent", "more than 1,000,000 bytes"),
    "event without end": ("agent", "more than 1,000,000 bytes"),
    "bomb": ("agent", "more than 1,000,000 bytes"),
    "reset": ("agent", "dropped the connection"),
    "half": ("agent", "did not send its reply to the end"),
    "page": ("agent", "the reply is 'text/html'"),
    "binary": ("agent", "not valid JSON|not UTF-8"),
    "half an object": ("agent", "not valid JSON"),
    "list": ("agent", "the reply "),
    "busy": ("environment", "answered 503 Service Unavailable"),
    "storm": ("environment", "answered 429 Too Many Requests"),
}
"""Question → whose failure it is, and what is said of it."""


async def misbehave(request: web.Request, question: str, headers: dict[str, str]) -> web.StreamResponse:
    """As the question wishes; `headers` say what a proper reply would be."""
    if question == "hang":
        await asyncio.Event().wait()
    if question in ("drip", "endless", "half"):
        return await _pour(request, headers, b" " if question == "drip" else b" " * 65_536, once=question == "half")
    if question == "events without end":
        return await _pour(request, SSE, b": going on\n" * 5000)
    if question == "event without end":
        return await _pour(request, SSE, b"data: " + b"x" * 65_536)
    if question == "reset":
        assert request.transport is not None
        request.transport.abort()
    if question == "bomb":
        return web.Response(body=BOMB, headers={"Content-Encoding": "gzip", **headers})
    if question in ("busy", "storm"):
        return web.Response(status=503 if question == "busy" else 429, headers={"Retry-After": "0"})
    if question == "page":
        return web.Response(text="<html>", content_type="text/html")
    bodies = {"binary": b"\xff\xfe", "half an object": b'{"a": ', "list": b"[]"}
    before = b"data: " if headers is SSE else b""
    return web.Response(body=before + bodies[question] + b"\n\n", headers=headers)


async def _pour(
    request: web.Request, headers: dict[str, str], piece: bytes, *, once: bool = False
) -> web.StreamResponse:
    """The same again and again, slowly if it is little; or once, and then nothing more."""
    response = web.StreamResponse(headers=headers)
    if once:
        response.content_length = 2 * len(piece)
    await response.prepare(request)
    while not once:
        await response.write(piece)
        await asyncio.sleep(0.01 if len(piece) == 1 else 0)
    await response.write(piece)
    assert request.transport is not None
    request.transport.close()
    return response


Answer = Callable[[dict[str, Any]], tuple[str | None, Any]]
"""What a request holds → the question in it, None: it has none; and a proper reply."""


def chat(body: dict[str, Any]) -> tuple[str | None, Any]:
    question = body["messages"][-1]["content"]
    return question, {"choices": [{"message": {"role": "assistant", "content": question}}]}


def responses(body: dict[str, Any]) -> tuple[str | None, Any]:
    question = body["input"][-1]["content"]
    return question, {"output": [{"type": "message", "content": [{"type": "output_text", "text": question}]}]}


def of_a2a(body: dict[str, Any]) -> tuple[str | None, Any]:
    question = body["params"]["message"]["parts"][-1]["text"]
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": question}]}
    return question, {"jsonrpc": "2.0", "id": body["id"], "result": {"message": message}}


def of_mcp(body: dict[str, Any]) -> tuple[str | None, Any]:
    method, question = body["method"], None
    if method == "tools/call":
        question = body["params"]["arguments"]["question"]
        result: dict[str, Any] = {"content": [{"type": "text", "text": question}]}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"question": {"type": "string"}}}
        result = {"tools": [{"name": "ask", "inputSchema": schema}]}
    else:
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    return question, {"jsonrpc": "2.0", "id": body.get("id"), "result": result}


def card(url: str, *, streaming: bool) -> dict[str, Any]:
    there = {"url": f"{url}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return {"name": "a", "supportedInterfaces": [there], "capabilities": {"streaming": streaming}}


def over_chat(url: str) -> Agent:
    return openai.load("m", {"base_url": f"{url}/v1", "max_bytes": LIMIT})


def over_chat_streaming(url: str) -> Agent:
    return openai.load("m", {"base_url": f"{url}/v1", "max_bytes": LIMIT, "stream": True})


def over_responses(url: str) -> Agent:
    return openai.load("m", {"base_url": f"{url}/v1", "max_bytes": LIMIT, "api": "responses"})


def over_a2a(url: str) -> Agent:
    return a2a.load(url, {"max_bytes": LIMIT})


def over_a2a_streaming(url: str) -> Agent:
    return a2a.load(url, {"max_bytes": LIMIT, "stream": True})


def over_mcp(url: str) -> Agent:
    return mcp.load(f"{url}/mcp", {"max_bytes": LIMIT})


ANSWERS: dict[Callable[[str], Agent], Answer] = {
    over_chat: chat,
    over_chat_streaming: chat,
    over_responses: responses,
    over_a2a: of_a2a,
    over_a2a_streaming: of_a2a,
    over_mcp: of_mcp,
}


def server_of(answer: Answer) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(card(f"http://{request.host}", streaming=False))
        body = await request.json()
        if str(body.get("method")).startswith("notifications/"):
            return web.Response(status=202)
        question, reply = answer(body)
        if question in FAULTS:
            return await misbehave(request, question, SSE if body.get("stream") else JSON)
        if body.get("stream"):
            delta = {"choices": [{"delta": {"content": question}, "finish_reason": "stop"}]}
            return web.Response(text=f"data: {json.dumps(delta)}\n\ndata: [DONE]\n\n", headers=SSE)
        return web.json_response(reply)

    return handle


async def played(agent: Agent, questions: list[str], folder: Path, **settings: Any) -> dict[str, Attempt]:
    cases = [(question, question) for question in questions]
    run = await proctor.aevaluate(cases, agent=agent, reviewer="exact", store=folder / "s.db", **settings)
    return {attempt.transcript.turns[0].question: attempt for attempt in run.attempts()}


@pytest.mark.parametrize("reach", ANSWERS, ids=lambda reach: reach.__name__.removeprefix("over_"))
async def test_every_fault_is_told_for_what_it_is_and_hurts_no_other_case(
    reach: Callable[[str], Agent], tmp_path: Path
) -> None:
    good = [f"good {number}" for number in range(GOOD)]
    async with serving(server_of(ANSWERS[reach])) as server:
        agent = reach(server.url)
        attempts = await played(agent, [*FAULTS, *good], tmp_path, concurrency=16, timeout=2.0, retries=0)
        await agent.close()
    seen = {question: attempts[question].failure for question in FAULTS}
    told = {question: failure and (failure.owner, failure.reason) for question, failure in seen.items()}
    for question, (owner, words) in FAULTS.items():
        failure = seen[question]
        assert failure is not None, json.dumps(told, indent=1)
        assert failure.owner == owner, json.dumps(told, indent=1)
        assert re.search(words, failure.reason), json.dumps(told, indent=1)
    assert [question for question in good if not attempts[question].passed] == []


@pytest.mark.parametrize("reach", ANSWERS, ids=lambda reach: reach.__name__.removeprefix("over_"))
async def test_a_storm_of_too_many_calms_down_by_itself(
    reach: Callable[[str], Agent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.running.calls._FIRST_PAUSE", 0.001)
    inside = refused = 0
    proper = server_of(ANSWERS[reach])

    async def strained(request: web.Request) -> web.StreamResponse:
        nonlocal inside, refused
        if inside >= 4 and b"question " in await request.read():
            refused += 1
            return web.Response(status=429, headers={"Retry-After": "0"})
        inside += 1
        await asyncio.sleep(0.03)
        inside -= 1
        return await proper(request)

    questions = [f"question {number}" for number in range(150)]
    async with serving(strained) as server:
        agent = reach(server.url)
        many = Config(limits={"openai-compatible": {"concurrency": 40}})  # a model on this machine gets 2 else
        attempts = await played(agent, questions, tmp_path, concurrency=40, retries=10, config=many)
        await agent.close()
    assert all(attempt.passed for attempt in attempts.values())
    assert 20 <= refused < 150
