"""`openai:` agents when something is wrong: whose fault it is, said clearly and without secrets."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from aiohttp import web
from tests.agents.test_openai import ASKED, WAYS, asking
from tests.models.openai_api import Refused, Said, api
from tests.net.serving import hear, raw, serving

from proctor.agents.openai import load
from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured
from proctor.net.probe import reclassify_drop
from proctor.spending.limits import Limits
from proctor.spending.providers import source_at
from proctor.spending.run_limits import RunLimits, enforce_limits

KEY = "sk-very-secret-key"


async def fault_of(refused: Refused, **options: Any) -> CallError:
    async with asking(refused, **options) as (agent, server):
        with pytest.raises(CallError) as caught:
            await agent.reply(ASKED)
    assert len(server.bodies) == 1
    return caught.value


def error(message: str, **others: Any) -> dict[str, Any]:
    return {"message": message, **others}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("refused", "kind", "words"),
    [
        (Refused(status=401, error=error("Incorrect API key")), Misconfigured, "check the key in MY_OWN_KEY"),
        (Refused(status=403, error=error("No")), Misconfigured, "check what the key in MY_OWN_KEY may do"),
        (
            Refused(status=404, error="model 'm' not found"),
            Misconfigured,
            "model 'm' not found; check model and base_url",
        ),
        (Refused(status=402, error=error("Pay")), Misconfigured, "has no credit left"),
        (Refused(status=429, error=error("Slow down")), EnvironmentFault, "answered 429 Too Many Requests: Slow down"),
        (Refused(status=429, error=error("No", code="insufficient_quota")), Misconfigured, "has no credit left"),
        (Refused(status=503, text="<html>", kind="text/html"), EnvironmentFault, "answered 503 Service Unavailable"),
        (Refused(status=500, error=error("Oops")), AgentFault, "answered 500 Internal Server Error: Oops"),
        (Refused(status=501, text="no"), AgentFault, "answered 501 Not Implemented: no"),
        (Refused(status=400, error=error("Bad image", param="messages[0]")), AgentFault, "Bad image"),
        (
            Refused(status=400, error=error("No such value", param="temperature", code="unsupported_value")),
            Misconfigured,
            "No such value; change or remove that option",
        ),
        (Refused(status=422, error=error("Wrong", param="temperature")), Misconfigured, "change or remove that option"),
        (Refused(status=422, text='{"detail": [{"loc": ["body"]}]}'), AgentFault, '[{"loc":["body"]}]'),
        (Refused(status=200, text="{"), AgentFault, "the reply is "),
        (Refused(status=200, text="<html>", kind="text/html"), AgentFault, "the reply is 'text/html'; expected"),
    ],
)
async def test_every_fault_is_told_for_what_it_is(
    way: dict[str, Any], refused: Refused, kind: type, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_OWN_KEY", KEY)
    fault = await fault_of(refused, key_env="MY_OWN_KEY", temperature=1, **way)
    assert type(fault) is kind
    assert words in str(fault)


@pytest.mark.parametrize(
    "refused",
    [
        Refused(status=400, error=error("Too long", code="context_length_exceeded", param="messages")),
        Refused(status=400, error=error("the request exceeds the available context size", type="x")),
        Refused(status=400, error=error("request is long", code=400, type="exceed_context_size_error")),
        Refused(status=500, error=error("Context size has been exceeded.", code=500, type="server_error")),
        Refused(
            status=400, error=error("However, the model's context length is only 1024 tokens.", param="input_tokens")
        ),
        Refused(status=413, error="prompt is too long: 300000 tokens > 200000 maximum"),
    ],
    ids=["openai", "llama.cpp old", "llama.cpp", "llama.cpp 500", "vllm", "others"],
)
async def test_a_conversation_that_outgrew_the_window_is_the_agents_own_failure(refused: Refused) -> None:
    fault = await fault_of(refused)
    assert isinstance(fault, AgentFault)
    assert str(fault).startswith("the conversation exceeded the model's context window")


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"Retry-After": "7"}, 7.0), ({"Retry-After-Ms": "1500"}, 1.5), ({}, None)]
)
async def test_the_wish_to_wait_is_kept(headers: dict[str, str], seconds: float | None) -> None:
    fault = await fault_of(Refused(status=429, error=error("Slow down"), headers=headers))
    assert isinstance(fault, EnvironmentFault)
    assert fault.retry_after == seconds


async def test_a_key_that_the_server_repeats_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDLY_NAMED", KEY)
    refused = Refused(status=401, error=error(f"Incorrect key: {KEY} / X-Own: header-value"))
    fault = await fault_of(refused, key_env="ODDLY_NAMED", headers={"X-Own": "header-value"})
    assert KEY not in str(fault)
    assert "header-value" not in str(fault)
    assert "Incorrect key" in str(fault)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": {"message": "Upstream is busy", "code": 429}}, EnvironmentFault, "Upstream is busy"),
        ({"error": {"message": "Upstream broke", "code": "server_error"}}, AgentFault, "Upstream broke"),
        ({"choices": []}, AgentFault, "it has no choices[0].message"),
        ({"choices": "none"}, AgentFault, "the reply is not a completion: choices is a text; expected a list"),
        ([], AgentFault, "the reply is not a completion"),
    ],
)
async def test_success_without_a_completion_is_none(body: Any, kind: type, words: str) -> None:
    fault = await fault_of(Refused(status=200, text=json.dumps(body)))
    assert type(fault) is kind
    assert words in str(fault)


async def test_a_failed_response_is_told() -> None:
    body = {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Too fast"}, "output": []}
    fault = await fault_of(Refused(status=200, text=json.dumps(body)), api="responses")
    assert type(fault) is EnvironmentFault
    fault = await fault_of(Refused(status=200, text="{}"), api="responses")
    assert "it has no output" in str(fault)


# --- streams ----------------------------------------------------------------------------------


def streamed(*events: str) -> Refused:
    return Refused(status=200, text="".join(f"data: {event}\n\n" for event in events), kind="text/event-stream")


CHUNK = '{"choices": [{"delta": {"content": "Ad"}}]}'
DELTA = '{"type": "response.output_text.delta", "delta": "Ad"}'


@pytest.mark.parametrize(
    ("way", "events", "kind", "words"),
    [
        ("chat", [CHUNK], AgentFault, "the stream ended before the reply did"),
        ("chat", [CHUNK, "{"], AgentFault, "not valid JSON"),
        ("chat", [CHUNK, '{"error": {"message": "Busy", "code": 503}}'], EnvironmentFault, "Busy"),
        ("chat", [CHUNK, '{"error": {"message": "Busy", "type": "overloaded_error"}}'], EnvironmentFault, "Busy"),
        ("chat", [CHUNK, '{"error": "the model is overloaded"}'], EnvironmentFault, "overloaded"),
        ("chat", [CHUNK, CHUNK[:-1] + ', "error": {"message": "Busy", "code": 502}}'], EnvironmentFault, "Busy"),
        ("chat", [CHUNK, CHUNK[:-1] + ', "error": {"message": "Oops", "code": "odd"}}'], AgentFault, "Oops"),
        ("responses", [DELTA], AgentFault, "the stream ended before the reply did"),
        ("responses", [DELTA, '{"type": "error", "code": "503", "message": "Busy"}'], EnvironmentFault, "Busy"),
        ("responses", [DELTA, '{"type": "error", "code": "server_error", "message": "Oops"}'], AgentFault, "Oops"),
        (
            "responses",
            ['{"type": "error", "error": {"type": "insufficient_quota", "message": "Quota"}}'],
            Misconfigured,
            "Quota",
        ),
        (
            "responses",
            ['{"type": "response.failed", "response": {"error": {"code": "server_error", "message": "Oops"}}}'],
            AgentFault,
            "Oops",
        ),
    ],
)
async def test_a_stream_that_breaks_off_is_no_reply(way: str, events: list[str], kind: type, words: str) -> None:
    fault = await fault_of(streamed(*events), api=way, stream=True)
    assert type(fault) is kind
    assert words in str(fault)


@pytest.mark.parametrize(
    ("data", "kind"),
    [('{"message": "Busy", "code": 503}', EnvironmentFault), ("overloaded", EnvironmentFault), ("Oops", AgentFault)],
)
async def test_an_event_that_is_named_an_error_is_one(data: str, kind: type) -> None:
    text = f"data: {CHUNK}\n\nevent: error\ndata: {data}\n\ndata: [DONE]\n\n"
    fault = await fault_of(Refused(status=200, text=text, kind="text/event-stream"), api="chat", stream=True)
    assert type(fault) is kind


async def test_a_stream_of_a_server_with_ways_of_its_own_is_understood() -> None:
    first = {"function": {"name": "a", "arguments": '{"x"'}, "id": "one"}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"delta": {"tool_calls": [first]}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": ": 1}"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": {"name": "b", "arguments": {"y": 2}}, "id": "two"}]}}]},
        {"choices": [{"delta": {"content": [{"type": "text", "text": "hm"}]}, "finish_reason": "stop"}], "usage": None},
    ]
    script = [streamed(*map(json.dumps, chunks)), streamed(CHUNK, "[DONE]")]
    async with asking(*script, stream=True) as (agent, server):
        reply = await agent.reply(ASKED)
    assert reply.text == "Ad"
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("one", "a", {"x": 1}),
        ("two", "b", {"y": 2}),
    ]
    assert server.bodies[1]["messages"][1]["content"] == "hm"


async def test_the_first_token_is_timed_and_comes_before_the_last() -> None:
    middle, seen = asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"data: {CHUNK}\n\n".encode())
        seen.set()
        await middle.wait()
        await response.write(b"data: [DONE]\n\n")
        return response

    async with serving(answer) as server:
        agent = load("m", {"base_url": f"{server.url}/v1", "stream": True})
        loop = asyncio.get_running_loop()
        asked, started = asyncio.create_task(agent.reply(ASKED)), loop.time()
        await seen.wait()
        await asyncio.sleep(0.05)
        middle.set()
        reply = await asked
        taken = loop.time() - started
        await agent.close()
    assert reply.first_token is not None
    assert 0 < reply.first_token < taken - 0.04


# --- the network ------------------------------------------------------------------------------


async def test_a_refused_connection_is_the_environments() -> None:
    async with api() as server:
        pass
    agent = load("m", {"base_url": server.url})
    with pytest.raises(EnvironmentFault, match="cannot connect to"):
        await agent.reply(ASKED)
    await agent.close()


async def test_a_connection_dropped_after_the_request_is_the_agents() -> None:
    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await hear(reader)

    async with raw(drop) as url:
        agent = load("m", {"base_url": f"{url}/v1"})
        with pytest.raises(AgentFault, match="dropped the connection"):
            await agent.reply(ASKED)
        await agent.close()


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n"])
async def test_a_server_that_drops_the_connection_and_then_refuses_is_the_environments(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib.request.getproxies", dict)
    server: asyncio.Server

    async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await hear(reader)
        writer.write(begun)
        server.close()
        writer.close()

    server = await asyncio.start_server(die, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    agent = load("m", {"base_url": f"http://127.0.0.1:{port}/v1", "stream": bool(begun)})
    with pytest.raises(AgentFault) as caught:
        await agent.reply(ASKED)
    await agent.close()
    assert (caught.value.kind, caught.value.host) == ("dropped", f"127.0.0.1:{port}")
    assert isinstance(await reclassify_drop(caught.value), EnvironmentFault)


async def test_an_endless_reply_is_cut_off() -> None:
    fault = await fault_of(Refused(status=200, text=json.dumps("x" * 5000)), max_bytes=1000)
    assert "more than 1,000 bytes" in str(fault)


# --- limits -----------------------------------------------------------------------------------


async def test_too_many_requests_slow_down_everybody_who_calls_that_server() -> None:
    def plays(body: dict[str, Any]) -> Refused | Said:
        busy = body["messages"][0]["content"] == "busy"
        return Refused(status=429, error=error("Slow down"), headers={"Retry-After": "0"}) if busy else Said(text="x")

    limits = Limits({"openai-compatible": {"concurrency": 8}})
    async with asking(plays=plays) as (agent, server):
        throttle = limits.of(source_at("openai", server.url))
        with enforce_limits(RunLimits(limits=limits)):
            questions = [type(ASKED)(question="busy", conversation=str(n)) for n in range(8)]
            results = await asyncio.gather(*map(agent.reply, questions), return_exceptions=True)
            assert all(isinstance(result, EnvironmentFault) for result in results)
            assert throttle.concurrency == 4
            for _ in range(30):
                await agent.reply(ASKED)
        assert throttle.concurrency == 8


async def test_waiting_for_our_own_limits_is_not_the_agents_time() -> None:
    async def slow(_: web.Request) -> web.Response:
        await asyncio.sleep(0.05)
        return web.json_response({"choices": [{"message": {"content": "x"}}]})

    async with serving(slow) as server:
        agent = load("m", {"base_url": f"{server.url}/v1"})
        started = time.perf_counter()
        with enforce_limits(RunLimits(limits=Limits({"openai-compatible": {"concurrency": 1}}))):
            *_, last = await asyncio.gather(*(agent.reply(ASKED) for _ in range(4)))
        taken = time.perf_counter() - started
        await agent.close()
    assert last.seconds is not None
    assert 0.05 <= last.seconds <= taken - 0.15
