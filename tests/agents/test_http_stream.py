"""HTTP agents that stream."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from tests.agents.test_http import ASKED, agent_at
from tests.net.serving import Handler

from proctor.agents.http import stream as streams
from proctor.errors import AgentFault, EnvironmentFault
from proctor.net.events import ServerSentEvent
from proctor.transcript import Reply, Request


def streaming(*events: Any, end: str = "data: [DONE]\n\n", kind: str = "text/event-stream") -> Handler:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for event in events:
            text = event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n"
            await response.write(text.encode())
        await response.write(end.encode())
        return response

    return stream


async def reply_of(*events: Any, end: str = "data: [DONE]\n\n", **options: Any) -> Reply:
    async with agent_at(streaming(*events, end=end), stream="sse", **options) as (agent, _):
        return await agent.reply(ASKED)


def chunk(content: Any = None, **others: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"role": "assistant", "content": content, **others}}], "usage": None}


def test_the_first_token_is_timed_and_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((12.0, 40.0, 70.0))
    monkeypatch.setattr(streams, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    gathered = streams.StreamedReply(expressions={}, started=10.0)
    for piece in ("", "one ", "two ", "three"):
        gathered.take(ServerSentEvent(name="message", data=json.dumps({"text": piece})))
    assert gathered.reply().first_token == 2.0


async def test_deltas_are_put_together_up_to_done() -> None:
    reply = await reply_of(chunk(), chunk("ye"), chunk("s"), {"choices": [], "usage": {"prompt_tokens": 3}})
    assert reply.text == "yes"
    assert reply.usage is not None
    assert reply.usage.input_tokens == 3
    assert reply.first_token is not None
    assert 0 < reply.first_token < 30


async def test_what_comes_after_done_is_not_waited_for() -> None:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: yes\n\ndata: [DONE]\n\n")
        await asyncio.Event().wait()
        return response

    async with agent_at(stream, stream="sse") as (agent, _), asyncio.timeout(20):
        assert (await agent.reply(ASKED)).text == "yes"


@pytest.mark.parametrize("event", [{"delta": "yes"}, {"text": "yes"}, {"delta": {"text": "yes"}}, "data: yes\n\n"])
async def test_the_shapes_that_are_common_need_no_delta(event: Any) -> None:
    assert (await reply_of(event)).text == "yes"
    assert (await reply_of(event, end="")).text == "yes"


@pytest.mark.parametrize("event", [{"delta": ""}, {"delta": {"text": ""}}, chunk("")])
async def test_a_stream_of_nothing_is_an_empty_reply(event: Any) -> None:
    reply = await reply_of(chunk(), event, {"choices": [], "usage": {"prompt_tokens": 3}})
    assert reply.text == ""
    assert reply.first_token is None


async def test_an_expression_says_where_deltas_tools_and_sessions_stand() -> None:
    events = [
        {"kind": "call", "tool": {"name": "find"}},
        {"kind": "call", "tool": {"name": "read"}},
        {"kind": "token", "t": "ye"},
        {"kind": "token", "t": "s"},
        {"kind": "end", "id": "s1"},
    ]
    reply = await reply_of(*events, delta="t", tool_calls="tool && [tool]", session="id")
    assert reply.text == "yes"
    assert [call.name for call in reply.tool_calls] == ["find", "read"]


async def test_a_whole_text_at_the_end_comes_before_the_pieces() -> None:
    assert (await reply_of({"d": "yse"}, {"final": "yes"}, delta="d", text="final")).text == "yes"


async def test_the_session_of_a_stream_is_remembered() -> None:
    seen: list[Any] = []
    inner = streaming({"delta": "yes", "id": "s1"})

    async def stream(request: web.Request) -> web.StreamResponse:
        seen.append((await request.json())["s"])
        return await inner(request)

    async with agent_at(stream, stream="sse", session="id", body={"s": "{{session}}"}) as (agent, _):
        for _ in range(2):
            await agent.reply(Request(question="q", conversation="one"))
    assert seen == [None, "s1"]


@pytest.mark.parametrize(
    ("handler", "options", "words"),
    [
        (streaming({"a": "hush"}), {"delta": "t"}, r"no event held text at delta = 't'.*keys are \['a'\]"),
        (streaming(), {}, "no event held text"),
        (streaming("data: {oops\n\n"), {"delta": "t"}, "an event is not valid JSON"),
        (streaming("event: error\ndata: no\ndata: memory\n\n"), {}, "ended in an error: no memory"),
        (streaming({"text": "a"}, kind="application/json"), {}, "'application/json'; expected text/event-stream"),
    ],
)
async def test_a_stream_that_says_nothing_usable_is_the_agents_fault(
    handler: Handler, options: dict[str, Any], words: str
) -> None:
    async with agent_at(handler, stream="sse", **options) as (agent, _):
        with pytest.raises(AgentFault, match=words) as caught:
            await agent.reply(ASKED)
    assert "hush" not in str(caught.value)


async def test_a_stream_that_breaks_off_is_the_agents_fault() -> None:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: half of\n\n")
        assert request.transport is not None
        request.transport.abort()
        return response

    async with agent_at(stream, stream="sse") as (agent, _):
        with pytest.raises(AgentFault, match=r"did not send its reply to the end|dropped the connection"):
            await agent.reply(ASKED)


async def test_a_status_is_heeded_before_the_stream() -> None:
    async def busy(_: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "3"})

    async with agent_at(busy, stream="sse") as (agent, _):
        with pytest.raises(EnvironmentFault, match="answered 429") as caught:
            await agent.reply(ASKED)
    assert caught.value.retry_after == 3


OVERLOADED = {"error": {"message": "overloaded", "code": 503}}


@pytest.mark.parametrize(
    "told",
    [
        OVERLOADED,
        {"error": {"message": "slow down", "code": "429"}},
        {"error": {"message": "slow down", "type": "rate_limit_error"}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"error": "the model is overloaded"},
        {"error": True, "message": "Too many requests"},
        {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "slow down"}}},
        'event: error\ndata: {"message": "come back later", "status": 503}\n\n',
        "event: error\ndata: the server is overloaded\n\n",
    ],
)
@pytest.mark.parametrize("options", [{}, {"delta": "choices[0].delta.content"}])
async def test_an_overloaded_server_that_says_so_in_a_stream_is_the_environments(
    told: Any, options: dict[str, Any]
) -> None:
    for end in ("", "data: [DONE]\n\n"):
        with pytest.raises(EnvironmentFault, match="the stream ended in an error: "):
            await reply_of(chunk("Paris"), told, end=end, **options)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"error": {"message": "the chain broke", "code": 500}}, "500 Internal Server Error: the chain broke"),
        ({"error": {"message": "no such document", "code": 404}}, "404 Not Found: no such document"),
        ({"error": {"message": "we are overloaded", "code": "bad_input"}}, "in an error: we are overloaded"),
        ({"error": {"detail": "odd"}}, 'in an error: {"detail":"odd"}'),
        ({"type": "error", "message": "odd"}, "in an error: odd"),
        ("event: error\ndata: null\n\n", "in an error: null"),
        ({"type": "response.failed", "response": {"error": {"message": "odd"}}}, "in an error: odd"),
        ({"type": "response.failed"}, "in an error: "),
    ],
)
async def test_any_other_error_in_a_stream_is_the_agents_own(told: Any, words: str) -> None:
    with pytest.raises(AgentFault) as caught:
        await reply_of(chunk("Paris"), told)
    assert words in str(caught.value)


async def test_a_step_that_failed_ends_no_stream_nor_does_an_end_that_nobody_has_promised() -> None:
    failed = {"tool": "search", "error": "timed out, trying another"}
    assert (await reply_of(chunk("Par"), failed, chunk("is"), end="")).text == "Paris"


async def test_an_error_that_is_none_is_nothing() -> None:
    assert (await reply_of({"text": "yes", "error": None}, {"text": "", "error": False}, end="")).text == "yes"


@pytest.mark.parametrize(
    "events",
    [
        [{"choices": [{"delta": {"content": "Paris"}, "finish_reason": None}]}],
        [{"type": "message_start"}, {"type": "content_block_delta", "delta": {"text": "Paris"}}],
        [{"type": "response.created"}, {"type": "response.output_text.delta", "delta": "Paris"}],
    ],
)
async def test_a_stream_that_stops_before_the_end_that_its_protocol_tells_was_dropped(events: list[Any]) -> None:
    with pytest.raises(AgentFault, match="the stream ended before the reply did") as caught:
        await reply_of(*events, end="")
    assert caught.value.kind == "dropped"


@pytest.mark.parametrize(
    "events",
    [
        [chunk("Paris"), {"choices": [{"delta": {}, "finish_reason": "stop"}]}],
        [
            {"type": "message_start"},
            {"type": "content_block_delta", "delta": {"text": "Paris"}},
            {"type": "message_stop"},
        ],
    ],
)
async def test_one_that_tells_its_end_is_whole_without_another_mark(events: list[Any]) -> None:
    assert (await reply_of(*events, end="")).text == "Paris"


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [{"delta": {}, "finish_reason": "length"}]},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    ],
)
async def test_a_stream_that_reached_the_output_limit_is_cut_off(last: Any) -> None:
    assert (await reply_of(chunk("Par"), last)).cut_off
    assert not (await reply_of(chunk("Par"))).cut_off


async def test_a_refusal_in_a_stream_is_the_reply() -> None:
    refused = [chunk(None, refusal="I cannot "), chunk(None, refusal="say.")]
    assert (await reply_of(*refused)).text == "I cannot say."
    assert (await reply_of(*refused, delta="choices[0].delta.content")).text == "I cannot say."
