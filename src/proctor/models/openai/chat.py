"""Answers of Chat Completions: the way that every compatible server speaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from proctor import codec
from proctor.codec import read_json
from proctor.codec.invalid import describe_invalid
from proctor.codec.replies import is_cut_off
from proctor.errors import AgentFault
from proctor.models.openai.completion import Completion, Item, RequestedCall, Tokens
from proctor.models.openai.errors import fault_in, no_completion
from proctor.transcript import Citation

PATH = "/chat/completions"
"""Where it is spoken, below the base URL."""


def output_limit(*, own: bool) -> str:
    """The field for the most tokens of an answer: OpenAI's own newer models know no other, many servers the older."""
    return "max_completion_tokens" if own else "max_tokens"


class Function(msgspec.Struct):
    """A function that the model wants to have called."""

    name: str | None = None
    arguments: Any = ""


class ChatCall(msgspec.Struct):
    """A tool call, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: Function = msgspec.field(default_factory=Function)


class ChatMessage(msgspec.Struct):
    """What the model says, or a piece of it."""

    content: Any = None
    refusal: str | None = None
    tool_calls: list[ChatCall] | None = None
    annotations: list[Any] | None = None


class ChatChoice(msgspec.Struct):
    """One answer, whole or in part."""

    message: ChatMessage | None = None
    delta: ChatMessage | None = None
    finish_reason: str | None = None


class ChatUsage(msgspec.Struct):
    """What was used."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: dict[str, Any] | None = None


class ChatBody(msgspec.Struct):
    """A whole response, or one chunk of a stream."""

    choices: list[ChatChoice] | None = None
    usage: ChatUsage | None = None
    error: Any = None


def read(body: bytes) -> Completion:
    """The first choice of a whole response; raises a fault where there is none."""
    whole = decode_body(body)
    if not whole.choices or whole.choices[0].message is None:
        raise no_completion("it has no choices[0].message")
    first = whole.choices[0]
    assert first.message is not None
    return completion_of(first.message, whole.usage, cut_off=is_cut_off(first.finish_reason))


def decode_body(data: bytes | str) -> ChatBody:
    """The response, or a chunk of it; raises the fault that it tells of, or that it is none."""
    try:
        body: ChatBody = read_json(data, ChatBody)
    except msgspec.ValidationError as error:
        raise no_completion(describe_invalid(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AgentFault(f"the reply is not valid JSON: {error}", kind="wrong_type") from error
    if body.error or (body.error is not None and not body.choices):
        raise fault_in(body.error)
    return body


def completion_of(message: ChatMessage, usage: ChatUsage | None, *, cut_off: bool) -> Completion:
    """A message, put in our words."""
    text = text_of(message.content) or message.refusal or ""
    wanted = tuple(
        RequestedCall(
            id=call.id or f"call_{place}",
            name=call.function.name or "",
            arguments=written(call.function.arguments),
        )
        for place, call in enumerate(message.tool_calls or (), start=1)
    )
    return Completion(
        text=text,
        refusal=message.refusal or "",
        wanted=wanted,
        cut_off=cut_off,
        citations=tuple(_citations(message.annotations or ())),
        echo=(turn_with_calls(text, wanted),) if wanted else (),
        tokens=None if usage is None else _tokens(usage),
    )


def text_of(content: Any) -> str:
    """A text, or the texts among its parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def written(arguments: Any) -> str:
    """Arguments as text; a few servers send them as what they say."""
    return arguments if isinstance(arguments, str) else codec.encode(arguments) if arguments is not None else ""


def _tokens(usage: ChatUsage) -> Tokens | None:
    if not usage.prompt_tokens and not usage.completion_tokens:
        return None
    cached = (usage.prompt_tokens_details or {}).get("cached_tokens")
    return Tokens(sent=usage.prompt_tokens, received=usage.completion_tokens, cached=cached or 0)


def _citations(annotations: Sequence[Any]) -> list[Citation]:
    found = [each.get("url_citation") for each in annotations if isinstance(each, dict)]
    return [Citation(source=str(each["url"])) for each in found if isinstance(each, dict) and each.get("url")]


def turn_with_calls(text: str, wanted: Sequence[RequestedCall]) -> Item:
    """The model's own turn in which it asks for tool calls."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in wanted
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}
