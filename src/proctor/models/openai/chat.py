"""Responses of the Chat Completions API, which every compatible server speaks."""

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
"""Path below the base URL."""


def output_limit(*, own: bool) -> str:
    """Return the field for the output limit: OpenAI's newer models know only the new one, many servers the old."""
    return "max_completion_tokens" if own else "max_tokens"


class Function(msgspec.Struct):
    """A function call within a tool call."""

    name: str | None = None
    arguments: Any = ""


class ChatCall(msgspec.Struct):
    """A tool call, or a fragment of one when streaming."""

    index: int | None = None
    id: str | None = None
    function: Function = msgspec.field(default_factory=Function)


class ChatMessage(msgspec.Struct):
    """A message of the model, or a fragment of one when streaming."""

    content: Any = None
    refusal: str | None = None
    tool_calls: list[ChatCall] | None = None
    annotations: list[Any] | None = None


class ChatChoice(msgspec.Struct):
    """One choice, complete or as a delta."""

    message: ChatMessage | None = None
    delta: ChatMessage | None = None
    finish_reason: str | None = None


class ChatUsage(msgspec.Struct):
    """Token usage as reported by the server."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: dict[str, Any] | None = None


class ChatBody(msgspec.Struct):
    """A complete response, or one chunk of a stream."""

    choices: list[ChatChoice] | None = None
    usage: ChatUsage | None = None
    error: Any = None


def read(body: bytes) -> Completion:
    """Read the first choice of a complete response; raise a fault if there is none."""
    response = decode_body(body)
    if not response.choices or response.choices[0].message is None:
        raise no_completion("it has no choices[0].message")
    first = response.choices[0]
    assert first.message is not None
    return completion_of(first.message, response.usage, cut_off=is_cut_off(first.finish_reason))


def decode_body(data: bytes | str) -> ChatBody:
    """Parse a response or chunk; raise a fault if it is an error or invalid."""
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
    """Convert a message into a Completion."""
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
    """Return the text of the content, joining the textual parts of a list."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def written(arguments: Any) -> str:
    """Return the arguments as text; a few servers send them as JSON values."""
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
    """Build the assistant message with tool calls that the next request must repeat."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in wanted
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}
