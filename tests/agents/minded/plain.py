"""Minds without a framework: behind a Python function, a program, an HTTP server, in a file of recordings."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from tests.agents.minded.door import loaded
from tests.net.serving import Handler, serving

from proctor.agents import command, function, http, openai, recorded
from proctor.agents.contract import minds
from proctor.agents.contract.minds import (
    TOOLS,
    Body,
    Heard,
    Mind,
    Status,
    Tools,
    Wish,
    context_in,
    heard_in,
    read_result,
)
from proctor.roles import Agent
from proctor.transcript import Request

ROOT = Path(__file__).parents[3]


def as_function(mind: Mind, tools: Tools = TOOLS) -> Agent:
    """Behind an async function."""
    body = Body(mind=mind, tools=tools)

    async def answer(request: Request) -> dict[str, Any]:
        return await body.answer(heard_in(request))

    return loaded(function.load, answer)


def as_program(mind: Mind) -> Agent:
    """In a process of its own, which finds the mind by its name."""
    place = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "tests.agents.minded.program"]
    return command.load(shlex.join([*place, mind.__name__]), {"input": "json"})


@asynccontextmanager
async def over_http(mind: Mind, tools: Tools = TOOLS) -> AsyncIterator[Agent]:
    """On a server; one that is cut off has none."""
    body = Body(mind=mind, tools=tools)

    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        history = tuple(message["content"] for message in asked["history"])
        heard = Heard(question=asked["question"], context=asked["context"] or "", history=history)
        return web.json_response(await body.answer(heard))

    async with _served(answer) as url:
        agent = http.load(_place(url, mind).removeprefix("http:") + "/ask", {})
        try:
            yield agent
        finally:
            await agent.close()


@asynccontextmanager
async def over_chat(mind: Mind, tools: Iterable[str]) -> AsyncIterator[Agent]:
    """On a server that speaks OpenAI's protocol; the tools, named as `python:module:function`, run here."""

    async def answer(request: web.Request) -> web.Response:
        messages = (await request.json())["messages"]
        heard = _heard_in_chat(messages)
        move = await mind(heard)
        calls = [_call(wish, f"call-{len(heard.results) + n}") for n, wish in enumerate(move.calls, 1)]
        said = {"role": "assistant", "content": None if calls else move.text, "tool_calls": calls or None}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        finish = "tool_calls" if calls else "stop"
        return web.json_response({"choices": [{"index": 0, "message": said, "finish_reason": finish}], "usage": usage})

    async with _served(answer) as url:
        options = {"base_url": f"{_place(url, mind)}/v1", "tools": list(tools)}
        agent = openai.load("minded", options)
        try:
            yield agent
        finally:
            await agent.close()


async def as_recording(mind: Mind, requests: Iterable[Request], path: Path, tools: Tools = TOOLS) -> Agent:
    """Played beforehand, and said again."""
    body = Body(mind=mind, tools=tools)
    with path.open("w", encoding="utf-8") as file:
        for request in requests:
            try:
                told: dict[str, Any] = {"reply": await body.answer(heard_in(request))}
            except RuntimeError as error:
                told = {"error": str(error)}
            file.write(json.dumps({"case": request.case, "question": request.question, **told}) + "\n")
    return recorded.load(str(path), {})


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


def _heard_in_chat(messages: list[dict[str, Any]]) -> Heard:
    last = max(place for place, each in enumerate(messages) if each["role"] == "user")
    spoken = [each["content"] for each in messages[:last] if each["role"] in ("user", "assistant")]
    return Heard(
        question=messages[last]["content"],
        context=context_in(each["content"] for each in messages if each["role"] == "system"),
        history=tuple(spoken),
        results=tuple(_result(each["content"]) for each in messages[last:] if each["role"] == "tool"),
    )


def _result(content: str) -> Any:
    said = content.removeprefix("Error: ")
    return read_result(said.partition(": ")[2], failed=True) if said != content else read_result(content)


def _call(wish: Wish, call_id: str) -> dict[str, Any]:
    function = {"name": wish.name, "arguments": json.dumps(wish.arguments)}
    return {"id": call_id, "type": "function", "function": function}
