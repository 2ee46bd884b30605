"""Chat Completions API: build messages, read whole and streamed completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor import codec
from proctor.agents.openai.conversation import instructions, outcome, rounds
from proctor.agents.openai.options import OpenAIOptions
from proctor.codec import read_json
from proctor.codec.replies import is_cut_off
from proctor.errors import AgentFault, CallError
from proctor.models.openai import chat
from proctor.models.openai.completion import Completion, Item, RequestedCall
from proctor.models.openai.errors import fault_in
from proctor.net.events import ServerSentEvent
from proctor.transcript import Request, ToolCall

_DONE = "[DONE]"


class Chat:
    """Builds messages and reads completions."""

    path = chat.PATH

    def __init__(self, options: OpenAIOptions) -> None:
        self._options = options
        limit = chat.output_limit(own=options.own)
        settings = {"temperature": options.temperature, "seed": options.seed, limit: options.max_output_tokens}
        self._fixed: Item = {name: value for name, value in settings.items() if value is not None}
        if options.tools:
            self._fixed["tools"] = [_tool_item(tool.declaration) for tool in options.tools]
        if options.stream:
            self._fixed |= {"stream": True, "stream_options": {"include_usage": True}}
        self._fixed |= options.parameters

    def opening(self, request: Request) -> list[Item]:
        """Return the messages for instructions, history with its tool calls, and the question."""
        system_text = instructions(self._options.system, request.context)
        items: list[Item] = [] if system_text is None else [{"role": "system", "content": system_text}]
        for turn in request.history:
            if turn.reply is None:
                continue
            items.append({"role": "user", "content": turn.question})
            for calls in rounds(turn.reply, self._options.functions):
                items += [_calling(calls), *self.results(calls)]
            items.append({"role": "assistant", "content": turn.reply.text})
        items.append({"role": "user", "content": request.question})
        return items

    def body(self, items: Sequence[Item], request: Request) -> Mapping[str, Any]:
        """Return the request body."""
        return {"model": self._options.model, "messages": items, **self._fixed}

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """Return one message per tool call."""
        return [{"role": "tool", "tool_call_id": call.id, "content": outcome(call)} for call in made]

    def read(self, body: bytes) -> Completion:
        """Return the first choice."""
        return chat.read(body)

    def stream(self) -> ChatStream:
        """Return a reader of streamed chunks."""
        return ChatStream()


class ChatStream:
    """Assembles streamed deltas into one message."""

    def __init__(self) -> None:
        self._message = chat.ChatMessage(content="")
        self._calls: list[chat.ChatCall] = []
        self._usage: chat.ChatUsage | None = None
        self._over = False
        self._cut_off = False

    def take(self, event: ServerSentEvent) -> bool:
        """Process one chunk."""
        if event.data.strip() == _DONE:
            self._over = True
            return False
        if event.name == "error":
            raise _fault_told(event.data)
        chunk = chat.decode_body(event.data)
        self._usage = chunk.usage or self._usage
        has_content = False
        for choice in (chunk.choices or [])[:1]:
            self._over = self._over or choice.finish_reason is not None
            self._cut_off = self._cut_off or is_cut_off(choice.finish_reason)
            has_content = choice.delta is not None and self._add(choice.delta)
        return has_content

    def completion(self) -> Completion:
        """Return the whole message; raise AgentFault if the stream broke off."""
        if not self._over:
            raise AgentFault("the stream ended before the reply did", kind="dropped")
        self._message.tool_calls = self._calls
        return chat.completion_of(self._message, self._usage, cut_off=self._cut_off)

    def _add(self, delta: chat.ChatMessage) -> bool:
        piece = chat.text_of(delta.content)
        self._message.content += piece
        if delta.refusal:
            self._message.refusal = (self._message.refusal or "") + delta.refusal
        self._message.annotations = [*(self._message.annotations or ()), *(delta.annotations or ())]
        for call in delta.tool_calls or ():
            self._add_call(call)
        return bool(piece or delta.refusal)

    def _add_call(self, piece: chat.ChatCall) -> None:
        """Add a fragment by its index; without one, a named fragment starts a new call, others extend the last one."""
        place = piece.index if piece.index is not None else len(self._calls) - (not piece.function.name)
        if not 0 <= place < len(self._calls):
            self._calls.append(piece)
            return
        call = self._calls[place]
        call.id = call.id or piece.id
        call.function.name = call.function.name or piece.function.name
        call.function.arguments = chat.written(call.function.arguments) + chat.written(piece.function.arguments)


def _fault_told(data: str) -> CallError:
    """Return the fault for an event named `error`, whatever its data."""
    try:
        error_body = read_json(data)
    except (ValueError, RecursionError):
        return fault_in(data)
    return fault_in((error_body.get("error") or error_body) if isinstance(error_body, dict) else error_body)


def _tool_item(declaration: Mapping[str, Any]) -> Item:
    """Nest a function declaration as this API requires; other tools stay as they are."""
    if declaration.get("type") != "function" or "function" in declaration:
        return dict(declaration)
    return {"type": "function", "function": {name: value for name, value in declaration.items() if name != "type"}}


def _calling(made: Sequence[ToolCall]) -> Item:
    """Return the assistant message with the tool calls of an earlier turn."""
    return chat.turn_with_calls(
        "", [RequestedCall(id=call.id or "", name=call.name, arguments=codec.encode(call.arguments)) for call in made]
    )
