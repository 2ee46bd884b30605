"""Responses API: build items, read whole and streamed responses.

Nothing is stored at the provider (`store` is false), so every call carries the whole conversation, including the
model's reasoning if the provider returns it encrypted (`parameters = {include = ["reasoning.encrypted_content"]}`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor import codec
from proctor.agents.openai.conversation import instructions, outcome, rounds
from proctor.agents.openai.options import OpenAIOptions
from proctor.errors import AgentFault
from proctor.models.openai import responses
from proctor.models.openai.completion import Completion, Item
from proctor.models.openai.errors import fault_in
from proctor.net.events import ServerSentEvent
from proctor.transcript import Request, ToolCall

_DONE = "[DONE]"
_OVER = frozenset({"response.completed", "response.incomplete", "response.failed"})
_PIECES = frozenset({"response.output_text.delta", "response.refusal.delta"})


class _Event(msgspec.Struct):
    type: str = ""
    delta: Any = None
    item: dict[str, Any] | None = None
    response: responses.ModelResponse | None = None
    error: Any = None
    code: Any = None
    message: str | None = None


class Responses:
    """Builds items and reads responses."""

    path = responses.PATH

    def __init__(self, options: OpenAIOptions) -> None:
        self._options = options
        settings = {"temperature": options.temperature, "max_output_tokens": options.max_output_tokens}
        self._fixed: Item = {name: value for name, value in settings.items() if value is not None}
        if options.tools:
            self._fixed["tools"] = [dict(tool.declaration) for tool in options.tools]
        if options.stream:
            self._fixed["stream"] = True
        self._fixed |= {"store": False, **options.parameters}

    def opening(self, request: Request) -> list[Item]:
        """Return the items for history with its tool calls, and the question."""
        items: list[Item] = []
        for turn in request.history:
            if turn.reply is None:
                continue
            items.append({"role": "user", "content": turn.question})
            for calls in rounds(turn.reply, self._options.functions):
                items += [*map(_call_item, calls), *self.results(calls)]
            items.append({"role": "assistant", "content": turn.reply.text})
        items.append({"role": "user", "content": request.question})
        return items

    def body(self, items: Sequence[Item], request: Request) -> Mapping[str, Any]:
        """Return the request body."""
        system_text = instructions(self._options.system, request.context)
        spoken = {} if system_text is None else {"instructions": system_text}
        return {"model": self._options.model, **spoken, "input": items, **self._fixed}

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """Return one item per tool call."""
        return [{"type": "function_call_output", "call_id": call.id, "output": outcome(call)} for call in made]

    def read(self, body: bytes) -> Completion:
        """Return the completion from all output items."""
        return responses.read(body)

    def stream(self) -> ResponseStream:
        """Return a reader of streamed events."""
        return ResponseStream()


class ResponseStream:
    """Reads streamed events; the last one repeats the whole response."""

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._whole: responses.ModelResponse | None = None

    def take(self, event: ServerSentEvent) -> bool:
        """Process one event."""
        if event.data.strip() == _DONE:
            return False
        event_body = responses.decode_json(_Event, event.data)
        kind = event_body.type or event.name
        if kind == "error":
            raise fault_in(event_body.error or {"code": event_body.code, "message": event_body.message})
        if kind == "response.output_item.done" and event_body.item is not None:
            self._items.append(event_body.item)
        if kind in _OVER:
            self._whole = event_body.response or responses.ModelResponse()
        return kind in _PIECES and bool(event_body.delta)

    def completion(self) -> Completion:
        """Return the response; if the last event has no items, use those of earlier events."""
        if self._whole is None:
            raise AgentFault("the stream ended before the reply did", kind="dropped")
        self._whole.output = self._whole.output or self._items
        return responses.completion_of(self._whole)


def _call_item(call: ToolCall) -> Item:
    """Return the item for a tool call of an earlier turn."""
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": codec.encode(call.arguments),
    }
