"""Chat Completions: the way that every compatible server speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor import codec
from proctor.agents.openai.completion import Completion, Item, RequestedCall, Tokens
from proctor.agents.openai.conversation import instructions, outcome, rounds
from proctor.agents.openai.options import OpenAIOptions
from proctor.agents.openai.trouble import fault_in, no_completion
from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.net.events import ServerSentEvent
from proctor.transcript import Citation, Request, ToolCall

_DONE = "[DONE]"


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = ""


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function = msgspec.field(default_factory=_Function)


class _Message(msgspec.Struct):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    annotations: list[Any] | None = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _ChatUsage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: dict[str, Any] | None = None


class _ChatBody(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _ChatUsage | None = None
    error: Any = None


class Chat:
    """Writes conversations as messages, and reads completions."""

    path = "/chat/completions"

    def __init__(self, options: OpenAIOptions) -> None:
        self._options = options
        limit = "max_completion_tokens" if options.own else "max_tokens"  # what other servers know is the older name
        settings = {"temperature": options.temperature, "seed": options.seed, limit: options.max_output_tokens}
        self._fixed: Item = {name: value for name, value in settings.items() if value is not None}
        if options.tools:
            self._fixed["tools"] = [_tool_item(tool.declaration) for tool in options.tools]
        if options.stream:
            self._fixed |= {"stream": True, "stream_options": {"include_usage": True}}
        self._fixed |= options.parameters

    def opening(self, request: Request) -> list[Item]:
        """Instructions, history with its tool calls, and the question."""
        said = instructions(self._options.system, request.context)
        items: list[Item] = [] if said is None else [{"role": "system", "content": said}]
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
        """The request."""
        return {"model": self._options.model, "messages": items, **self._fixed}

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """One message for each call."""
        return [{"role": "tool", "tool_call_id": call.id, "content": outcome(call)} for call in made]

    def read(self, body: bytes) -> Completion:
        """The first choice."""
        whole = _decode_body(body)
        if not whole.choices or whole.choices[0].message is None:
            raise no_completion("it has no choices[0].message")
        first = whole.choices[0]
        assert first.message is not None
        return _completion(first.message, whole.usage, cut_off=codec.is_cut_off(first.finish_reason))

    def stream(self) -> ChatStream:
        """What puts the pieces together."""
        return ChatStream()


class ChatStream:
    """Deltas, put together into one message."""

    def __init__(self) -> None:
        self._message = _Message(content="")
        self._calls: list[_Call] = []
        self._usage: _ChatUsage | None = None
        self._over = False
        self._cut_off = False

    def take(self, event: ServerSentEvent) -> bool:
        """One chunk."""
        if event.data.strip() == _DONE:
            self._over = True
            return False
        chunk = _decode_body(event.data)
        self._usage = chunk.usage or self._usage
        told = False
        for choice in (chunk.choices or [])[:1]:
            self._over = self._over or choice.finish_reason is not None
            self._cut_off = self._cut_off or codec.is_cut_off(choice.finish_reason)
            told = choice.delta is not None and self._add(choice.delta)
        return told

    def completion(self) -> Completion:
        """The whole message."""
        if not self._over:
            raise AgentFault("the stream ended before the reply did", kind="dropped")
        self._message.tool_calls = self._calls
        return _completion(self._message, self._usage, cut_off=self._cut_off)

    def _add(self, delta: _Message) -> bool:
        piece = _text(delta.content)
        self._message.content += piece
        if delta.refusal:
            self._message.refusal = (self._message.refusal or "") + delta.refusal
        self._message.annotations = [*(self._message.annotations or ()), *(delta.annotations or ())]
        for call in delta.tool_calls or ():
            self._add_call(call)
        return bool(piece or delta.refusal)

    def _add_call(self, piece: _Call) -> None:
        """A piece with a place goes there; one without is a new call if it has a name, else more of the last."""
        place = piece.index if piece.index is not None else len(self._calls) - (not piece.function.name)
        if not 0 <= place < len(self._calls):
            self._calls.append(piece)
            return
        call = self._calls[place]
        call.id = call.id or piece.id
        call.function.name = call.function.name or piece.function.name
        call.function.arguments = _written(call.function.arguments) + _written(piece.function.arguments)


def _decode_body(data: bytes | str) -> _ChatBody:
    try:
        body: _ChatBody = read_json(data, _ChatBody)
    except msgspec.ValidationError as error:
        raise no_completion(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AgentFault(f"the reply is not valid JSON: {error}", kind="wrong_type") from error
    if body.error is not None and not body.choices:
        raise fault_in(body.error)
    return body


def _completion(message: _Message, usage: _ChatUsage | None, *, cut_off: bool) -> Completion:
    text = _text(message.content) or message.refusal or ""
    wanted = tuple(
        RequestedCall(
            id=call.id or f"call_{place}",
            name=call.function.name or "",
            arguments=_written(call.function.arguments),
        )
        for place, call in enumerate(message.tool_calls or (), start=1)
    )
    return Completion(
        text=text,
        wanted=wanted,
        cut_off=cut_off,
        citations=tuple(_citations(message.annotations or ())),
        echo=(_asking(text, wanted),) if wanted else (),
        tokens=None if usage is None else _tokens(usage),
    )


def _text(content: Any) -> str:
    """A text, or the texts among its parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _written(arguments: Any) -> str:
    """Arguments as text; a few servers send them as what they say."""
    return arguments if isinstance(arguments, str) else codec.encode(arguments) if arguments is not None else ""


def _tokens(usage: _ChatUsage) -> Tokens | None:
    if not usage.prompt_tokens and not usage.completion_tokens:
        return None
    cached = (usage.prompt_tokens_details or {}).get("cached_tokens")
    return Tokens(sent=usage.prompt_tokens, received=usage.completion_tokens, cached=cached or 0)


def _citations(annotations: Sequence[Any]) -> list[Citation]:
    found = [each.get("url_citation") for each in annotations if isinstance(each, dict)]
    return [Citation(source=str(each["url"])) for each in found if isinstance(each, dict) and each.get("url")]


def _tool_item(declaration: Mapping[str, Any]) -> Item:
    """A function is nested here; anything else is handed over as it is."""
    if declaration.get("type") != "function" or "function" in declaration:
        return dict(declaration)
    return {"type": "function", "function": {name: value for name, value in declaration.items() if name != "type"}}


def _asking(text: str, wanted: Sequence[RequestedCall]) -> Item:
    """The model's own turn in which it asks for tool calls."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in wanted
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _calling(made: Sequence[ToolCall]) -> Item:
    """The same for calls of an earlier turn."""
    return _asking(
        "", [RequestedCall(id=call.id or "", name=call.name, arguments=codec.encode(call.arguments)) for call in made]
    )
