"""Minds behind HTTP servers on loopback: JSON in one piece, streamed or polled, and OpenAI's two protocols."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from tests.net.serving import Handler, serving

from proctor.agents import http, openai
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.minds import TOOLS, Body, Heard, Mind, Move, Status, Tools, context_in, read_result

JSON_WAYS: Mapping[str, Mapping[str, Any]] = {
    "json": {},
    "sse": {"stream": "sse", "delta": "t", "tool_calls": "tool_calls", "citations": "citations"},
    "poll": {"poll": {"url": "/jobs/{{id}}", "id": "id", "done": "done", "every": 0.001}},
}
"""Ways of an HTTP agent, with the options that each needs."""


@asynccontextmanager
async def over_http(mind: Mind, tools: Tools = TOOLS, *, way: str = "json") -> AsyncIterator[Agent]:
    """On a server; one that is cut off has none."""
    body = Body(mind=mind, tools=tools)
    jobs: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response({"done": True, **jobs[int(request.path.rpartition("/")[2])]})
        asked = await request.json()
        history = tuple(message["content"] for message in asked["history"])
        said = await body.answer(Heard(question=asked["question"], context=asked["context"] or "", history=history))
        if way == "sse":
            return await _streamed(request, said)
        if way == "poll":
            jobs.append(said)
            return web.json_response({"done": False, "id": len(jobs) - 1}, status=202)
        return web.json_response(said)

    async with _served(answer) as url:
        agent = http.load(_place(url, mind).removeprefix("http:") + "/ask", JSON_WAYS[way])
        try:
            yield agent
        finally:
            await agent.close()


async def _streamed(request: web.Request, said: Mapping[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    events = [{"t": piece} for piece in said["text"] or [""]]
    for event in [{"tool_calls": said["tool_calls"]}, *events, {"citations": said["citations"]}]:
        await response.write(f"data: {json.dumps(event)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response


# --- OpenAI's protocols ---------------------------------------------------------------------------


@asynccontextmanager
async def over_openai(mind: Mind, tools: Iterable[str], *, api: str) -> AsyncIterator[Agent]:
    """On a server that speaks this protocol; the tools, named as `python:module:function`, run here."""

    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        if api == "chat":
            heard = _heard_in_chat(asked["messages"])
            return web.json_response(_chat(await mind(heard), len(heard.results)))
        heard = _heard_in_items(asked["input"], asked.get("instructions", ""))
        return web.json_response(_response(await mind(heard), len(heard.results)))

    async with _served(answer) as url:
        agent = openai.load("minded", {"base_url": f"{_place(url, mind)}/v1", "tools": list(tools), "api": api})
        try:
            yield agent
        finally:
            await agent.close()


def _heard_in_chat(messages: list[dict[str, Any]]) -> Heard:
    last = max(place for place, each in enumerate(messages) if each["role"] == "user")
    spoken = [each["content"] for each in messages[:last] if each["role"] in ("user", "assistant")]
    return Heard(
        question=messages[last]["content"],
        context=context_in(each["content"] for each in messages if each["role"] == "system"),
        history=tuple(spoken),
        results=tuple(_result(each["content"]) for each in messages[last:] if each["role"] == "tool"),
    )


def _heard_in_items(items: list[dict[str, Any]], instructions: str) -> Heard:
    last = max(place for place, each in enumerate(items) if each.get("role") == "user")
    outputs = [each["output"] for each in items[last:] if each.get("type") == "function_call_output"]
    return Heard(
        question=items[last]["content"],
        context=context_in([instructions]),
        history=tuple(each["content"] for each in items[:last] if "role" in each),
        results=tuple(map(_result, outputs)),
    )


def _result(content: str) -> Any:
    said = content.removeprefix("Error: ")
    return read_result(said.partition(": ")[2], failed=True) if said != content else read_result(content)


def _chat(move: Move, done: int) -> dict[str, Any]:
    calls = [
        {"id": f"call-{done + n}", "type": "function", "function": {"name": wish.name, "arguments": _args(wish)}}
        for n, wish in enumerate(move.calls, 1)
    ]
    noted = [{"type": "url_citation", "url_citation": {"url": each["source"]}} for each in move.citations]
    said = {
        "role": "assistant",
        "content": None if calls else move.text,
        "tool_calls": calls or None,
        "annotations": noted,
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    finish = "tool_calls" if calls else "stop"
    return {"choices": [{"index": 0, "message": said, "finish_reason": finish}], "usage": usage}


def _response(move: Move, done: int) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {"type": "function_call", "call_id": f"call-{done + n}", "name": wish.name, "arguments": _args(wish)}
        for n, wish in enumerate(move.calls, 1)
    ]
    noted = [{"type": "url_citation", "url": each["source"]} for each in move.citations]
    text = {"type": "output_text", "text": move.text, "annotations": noted}
    message = {"type": "message", "role": "assistant", "content": [text]}
    return {
        "status": "completed",
        "output": output or [message],
        "usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
    }


def _args(wish: minds.Wish) -> str:
    return json.dumps(wish.arguments)


# --- servers ---------------------------------------------------------------------------------------


@asynccontextmanager
async def _served(handler: Handler) -> AsyncIterator[str]:
    async def guarded(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except Status as status:
            return web.json_response({"error": str(status)}, status=status.status_code)
        except RuntimeError as error:
            return web.json_response({"error": str(error)}, status=500)

    async with serving(guarded) as server:
        yield server.url


def _place(url: str, mind: Mind) -> str:
    """Where the agent is told to go; nobody listens on port 1."""
    return "http://127.0.0.1:1" if mind is minds.cut_off else url
