"""Responses of the Responses API, OpenAI's newer API, which a few other servers also speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor import codec
from proctor.codec import read_json
from proctor.codec.invalid import describe_invalid
from proctor.codec.replies import is_cut_off
from proctor.errors import AgentFault
from proctor.models.openai.completion import Completion, Item, RequestedCall, Tokens, arguments_in
from proctor.models.openai.errors import fault_in, no_completion
from proctor.transcript import UNKNOWN, Citation, ToolCall

PATH = "/responses"
"""Path below the base URL."""


class ResponseUsage(msgspec.Struct):
    """Token usage as reported by the server."""

    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_details: dict[str, Any] | None = None


class ModelResponse(msgspec.Struct):
    """A complete response."""

    output: list[dict[str, Any]] | None = None
    usage: ResponseUsage | None = None
    incomplete_details: Any = None
    error: Any = None


def read(body: bytes) -> Completion:
    """Read a complete response; raise a fault if it is invalid."""
    return completion_of(decode_json(ModelResponse, body))


def decode_json(kind: Any, data: bytes | str) -> Any:
    """Parse the server's data as this type; raise a fault if it is invalid."""
    try:
        return read_json(data, kind)
    except msgspec.ValidationError as error:
        raise no_completion(describe_invalid(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AgentFault(f"the reply is not valid JSON: {error}", kind="wrong_type") from error


def completion_of(response: ModelResponse) -> Completion:
    """Convert all output items into a Completion."""
    if response.error is not None:
        raise fault_in(response.error)
    if response.output is None:
        raise no_completion("it has no output")
    parts = [part for item in response.output if item.get("type") == "message" for part in _content_parts(item)]
    wanted = tuple(_requested_call(item) for item in response.output if item.get("type") == "function_call")
    return Completion(
        text="".join(str(part.get("text") or part.get("refusal") or "") for part in parts),
        refusal="".join(str(part.get("refusal") or "") for part in parts),
        wanted=wanted,
        cut_off=is_cut_off({"incomplete_details": response.incomplete_details}),
        made=tuple(_server_tool_call(item) for item in response.output if item.get("type") in _OF_THE_SERVER),
        citations=tuple(citation for part in parts for citation in _citations(part)),
        echo=tuple(_echo(response.output)) if wanted else (),
        tokens=None if response.usage is None else _tokens(response.usage),
    )


def _content_parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _requested_call(item: Mapping[str, Any]) -> RequestedCall:
    name, arguments = str(item.get("name") or ""), str(item.get("arguments") or "")
    return RequestedCall(id=str(item.get("call_id") or item.get("id") or ""), name=name, arguments=arguments)


_OF_THE_SERVER: Mapping[str, str] = {
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "mcp_call": "arguments",
}
"""Type of a call executed by the server → the item's field with its arguments."""


def _server_tool_call(item: Mapping[str, Any]) -> ToolCall:
    kind, where = str(item["type"]), _OF_THE_SERVER[str(item["type"])]
    given = item.get(where)
    if kind == "mcp_call":
        given = arguments_in(str(given or ""))
    error = item.get("error")
    result = item.get("output", item.get("results", item.get("outputs")))
    return ToolCall(
        name=str(item.get("name") or kind.removesuffix("_call")),
        arguments=given if isinstance(given, dict) else {} if given is None else {where: given},
        result=UNKNOWN if result is None else result,
        error=None if error is None else error if isinstance(error, str) else codec.encode(error),
        id=item.get("id") if isinstance(item.get("id"), str) else None,
    )


def _citations(part: Mapping[str, Any]) -> list[Citation]:
    noted = part.get("annotations")
    found = [each for each in noted if isinstance(each, dict)] if isinstance(noted, list) else []
    sources = (each.get("url") or each.get("filename") or each.get("file_id") for each in found)
    return [Citation(source=str(source)) for source in sources if source]


def _echo(output: Sequence[Item]) -> list[Item]:
    """Return the model's turn as the next request must repeat it.

    It is unchanged if its encrypted reasoning can be sent back, else without it. In the latter case ids are removed
    too, because the server would look for the reasoning that belongs to an id.
    """
    if any(item.get("type") == "reasoning" and item.get("encrypted_content") for item in output):
        return list(output)
    kept = (item for item in output if item.get("type") in ("message", "function_call"))
    return [{name: value for name, value in item.items() if name not in ("id", "status")} for item in kept]


def _tokens(usage: ResponseUsage) -> Tokens | None:
    if not usage.input_tokens and not usage.output_tokens:
        return None
    cached = (usage.input_tokens_details or {}).get("cached_tokens")
    return Tokens(sent=usage.input_tokens, received=usage.output_tokens, cached=cached or 0)
