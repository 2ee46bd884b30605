"""OpenAI's API on loopback, scripted: both ways of speaking, whole and streamed, well-behaved and otherwise."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from tests.net.serving import serving

TOKENS = (70, 30)
"""Sent and received, as the server says."""


@dataclass(kw_only=True, slots=True)
class Said:
    """One answer of the model."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    """Tool and arguments; text is sent as it is."""
    cut_off: bool = False
    """Whether it stops at the output limit."""
    counted: bool = True
    """Whether the server says what it used."""
    extra: list[dict[str, Any]] = field(default_factory=list)
    """Further output items (Responses), or annotations (Chat)."""


@dataclass(kw_only=True, slots=True)
class Refused:
    """One answer of the server that is no answer of the model."""

    status: int = 400
    error: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    kind: str = "application/json"


Answer = Said | Refused
Script = list[Answer] | Callable[[dict[str, Any]], Answer]


@dataclass(kw_only=True, slots=True)
class Api:
    """A server that plays a script, and keeps what it was sent."""

    script: Script
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.paths.append(request.path)
        said = self.script(body) if callable(self.script) else self.script.pop(0)
        if isinstance(said, Refused):
            text = said.text if said.text is not None else json.dumps({"error": said.error})
            return web.Response(status=said.status, text=text, content_type=said.kind, headers=said.headers)
        speaks = _responses if request.path.endswith("/responses") else _chat
        if not body.get("stream"):
            return web.json_response(speaks(said, body["model"]))
        events = _response_events(said) if speaks is _responses else _chat_events(said, body)
        return web.Response(text="".join(events), content_type="text/event-stream")


@asynccontextmanager
async def api(*script: Answer, plays: Callable[[dict[str, Any]], Answer] | None = None) -> AsyncIterator[Api]:
    """A server that gives these answers, one after the other, or those of a function of the request."""
    made = Api(script=plays or list(script))
    async with serving(made.answer) as server:
        made.url = f"{server.url}/v1"
        yield made


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _chat_calls(said: Said) -> list[dict[str, Any]]:
    return [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": _written(arguments)}}
        for number, (name, arguments) in enumerate(said.calls, start=1)
    ]


def _chat_usage() -> dict[str, Any]:
    sent, received = TOKENS
    return {"prompt_tokens": sent, "completion_tokens": received, "prompt_tokens_details": {"cached_tokens": 50}}


def _chat(said: Said, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text or None, "tool_calls": _chat_calls(said) or None}
    message["annotations"] = said.extra
    stopped = "length" if said.cut_off else "tool_calls" if said.calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": stopped}
    body = {"id": "1", "object": "chat.completion", "model": model, "choices": [choice]}
    return {**body, "usage": _chat_usage()} if said.counted else body


def _chat_events(said: Said, body: dict[str, Any]) -> list[str]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(said.text)]
    for index, call in enumerate(_chat_calls(said)):
        arguments = call["function"].pop("arguments")
        deltas.append({"tool_calls": [{"index": index, **call}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in _pieces(arguments)]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    stopped = "length" if said.cut_off else "stop"
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": stopped}]})
    if said.counted and body["stream_options"]["include_usage"]:
        chunks.append({"choices": [], "usage": _chat_usage()})
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


def _pieces(text: str) -> list[str]:
    return [text[place : place + 5] for place in range(0, len(text), 5)]


def _responses(said: Said, model: str = "") -> dict[str, Any]:
    output = list(said.extra)
    for number, (name, arguments) in enumerate(said.calls, start=1):
        call = {"type": "function_call", "id": f"fc{number}", "call_id": f"c{number}", "status": "completed"}
        output.append({**call, "name": name, "arguments": _written(arguments)})
    if said.text:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        output.append({"type": "message", "id": "m1", "role": "assistant", "content": [part]})
    body: dict[str, Any] = {"id": "r1", "object": "response", "status": "completed", "error": None, "output": output}
    if said.cut_off:
        body |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    sent, received = TOKENS
    usage = {"input_tokens": sent, "output_tokens": received, "input_tokens_details": {"cached_tokens": 50}}
    return {**body, "usage": usage} if said.counted else body


def _response_events(said: Said) -> list[str]:
    whole = _responses(said)
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"status": "in_progress", "output": []}}]
    events += [{"type": "response.output_text.delta", "delta": piece} for piece in _pieces(said.text)]
    events += [{"type": "response.output_item.done", "item": item} for item in whole["output"]]
    events.append({"type": "response.completed", "response": whole})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
