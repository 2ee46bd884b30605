"""A provider on loopback that is paid: it counts what it is sent and answers, and has its limits."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from tests.net.serving import serving

TEXT = "It is the sum of both, as far as I can tell."


@dataclass(kw_only=True, slots=True)
class Provider:
    """What it was asked and what came of it. Speaks Chat Completions, with and without a schema."""

    latency: float = 0.0
    capacity: float = math.inf
    """Calls that it takes at once; it answers 429 to any more."""
    retry_after: str | None = None
    tool: str | None = None
    """A tool that it calls once before each reply."""
    url: str = ""
    answered: list[tuple[str, int, int]] = field(default_factory=list)
    """Model, tokens sent, tokens received."""
    refused: int = 0
    inside: int = 0
    most_inside: int = 0
    times: list[float] = field(default_factory=list)
    waiting: asyncio.Event | None = None
    """Where it is set, answers wait for it."""

    @property
    def tokens(self) -> int:
        return sum(sent + received for _, sent, received in self.answered)

    def calls(self, model: str) -> int:
        return sum(name == model for name, _, _ in self.answered)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if self.inside >= self.capacity:
            self.refused += 1
            headers = {} if self.retry_after is None else {"Retry-After": self.retry_after}
            return web.json_response({"error": {"message": "Too many"}}, status=429, headers=headers)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.times.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(self.latency)
            if self.waiting is not None:
                await self.waiting.wait()
        finally:
            self.inside -= 1
        return web.json_response(self._completion(body))

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        message = self._message(body)
        sent = math.ceil(len(json.dumps(body["messages"])) / 4)
        received = math.ceil(len(json.dumps(message)) / 4)
        received = min(received, body.get("max_completion_tokens") or body.get("max_tokens") or received)
        self.answered.append((body["model"], sent, received))
        return {
            "id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
        }  # fmt: skip

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        if (wanted := body.get("response_format")) is not None:
            schema = wanted["json_schema"]["schema"]
            text = json.dumps(_filled(schema, schema.get("$defs", {}), len(self.answered)))
            return {"role": "assistant", "content": text}
        if self.tool is not None and body["messages"][-1]["role"] != "tool":
            call = {"name": self.tool, "arguments": '{"text": "a"}'}
            return {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": call}],
            }
        return {"role": "assistant", "content": TEXT}


def _filled(schema: Mapping[str, Any], parts: Mapping[str, Any], number: int) -> Any:
    """Something that fits the schema; every question differs from the one before."""
    if "$ref" in schema:
        return _filled(parts[schema["$ref"].rpartition("/")[2]], parts, number)
    kinds = schema.get("anyOf", [schema])
    kind = kinds[0].get("type") if not any(one.get("type") == "null" for one in kinds) else "null"
    made: dict[Any, Callable[[], Any]] = {
        "object": lambda: {name: _filled(one, parts, number) for name, one in schema["properties"].items()},
        "array": list,
        "number": lambda: 0.9,
        "integer": lambda: 1,
        "boolean": lambda: False,
        "null": lambda: None,
        "string": lambda: f"And what makes you so sure of that, in the {number}th place?",
    }
    return made[kind]()


@asynccontextmanager
async def provider(**others: Any) -> AsyncIterator[Provider]:
    """A provider that is up while it is used."""
    made = Provider(**others)
    async with serving(made.answer) as server:
        made.url = f"{server.url}/v1"
        yield made


def upper(text: str) -> str:
    """A tool."""
    return text.upper()
