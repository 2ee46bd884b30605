"""The Responses API: OpenAI's newer way, which a few other servers speak too.

Nothing is left with the provider (`store` is false), so every call carries the whole conversation. A model's reasoning
goes along where the provider hands it out encrypted (`parameters = {include = ["reasoning.encrypted_content"]}`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor import codec
from proctor.agents.openai.completion import Completion, Item, RequestedCall, Tokens
from proctor.agents.openai.conversation import instructions, outcome, rounds
from proctor.agents.openai.options import OpenAIOptions
from proctor.agents.openai.tools import arguments_in
from proctor.agents.openai.trouble import fault_in, no_completion
from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.net.events import ServerSentEvent
from proctor.transcript import UNKNOWN, Citation, Request, ToolCall

_DONE = "[DONE]"
_OVER = frozenset({"response.completed", "response.incomplete", "response.failed"})
_PIECES = frozenset({"response.output_text.delta", "response.refusal.delta"})


class _ResponseUsage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_details: dict[str, Any] | None = None


class _Response(msgspec.Struct):
    output: list[dict[str, Any]] | None = None
    usage: _ResponseUsage | None = None
    incomplete_details: Any = None
    error: Any = None


class _Event(msgspec.Struct):
    type: str = ""
    delta: Any = None
    item: dict[str, Any] | None = None
    response: _Response | None = None
    error: Any = None
    code: Any = None
    message: str | None = None


class Responses:
    """Writes conversations as items, and reads responses."""

    path = "/responses"

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
        """History with its tool calls, and the question."""
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
        """The request."""
        said = instructions(self._options.system, request.context)
        spoken = {} if said is None else {"instructions": said}
        return {"model": self._options.model, **spoken, "input": items, **self._fixed}

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """One item for each call."""
        return [{"type": "function_call_output", "call_id": call.id, "output": outcome(call)} for call in made]

    def read(self, body: bytes) -> Completion:
        """All output items."""
        return _completion(_decode_json(_Response, body))

    def stream(self) -> ResponseStream:
        """What waits for the whole."""
        return ResponseStream()


class ResponseStream:
    """Events; the last one holds the whole response again."""

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._whole: _Response | None = None

    def take(self, event: ServerSentEvent) -> bool:
        """One event."""
        if event.data.strip() == _DONE:
            return False
        told = _decode_json(_Event, event.data)
        kind = told.type or event.name
        if kind == "error":
            raise fault_in(told.error or {"code": told.code, "message": told.message})
        if kind == "response.output_item.done" and told.item is not None:
            self._items.append(told.item)
        if kind in _OVER:
            self._whole = told.response or _Response()
        return kind in _PIECES and bool(told.delta)

    def completion(self) -> Completion:
        """The response; its items as they came by, where the last event does not repeat them."""
        if self._whole is None:
            raise AgentFault("the stream ended before the reply did", kind="dropped")
        self._whole.output = self._whole.output or self._items
        return _completion(self._whole)


def _decode_json(kind: Any, data: bytes | str) -> Any:
    try:
        return read_json(data, kind)
    except msgspec.ValidationError as error:
        raise no_completion(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AgentFault(f"the reply is not valid JSON: {error}", kind="wrong_type") from error


def _completion(response: _Response) -> Completion:
    if response.error is not None:
        raise fault_in(response.error)
    if response.output is None:
        raise no_completion("it has no output")
    parts = [part for item in response.output if item.get("type") == "message" for part in _parts(item)]
    wanted = tuple(_requested_call(item) for item in response.output if item.get("type") == "function_call")
    return Completion(
        text="".join(str(part.get("text") or part.get("refusal") or "") for part in parts),
        wanted=wanted,
        cut_off=codec.is_cut_off({"incomplete_details": response.incomplete_details}),
        made=tuple(_made(item) for item in response.output if item.get("type") in _OF_THE_SERVER),
        citations=tuple(citation for part in parts for citation in _citations(part)),
        echo=tuple(_echo(response.output)) if wanted else (),
        tokens=None if response.usage is None else _tokens(response.usage),
    )


def _parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
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
"""Tools that the server runs itself, and where an item tells what they were given."""


def _made(item: Mapping[str, Any]) -> ToolCall:
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
    """The model's turn, to be repeated: as it is where its reasoning can be read again, else without it.

    Then ids are left out too, because a call with an id would be looked for beside the reasoning that led to it.
    """
    if any(item.get("type") == "reasoning" and item.get("encrypted_content") for item in output):
        return list(output)
    kept = (item for item in output if item.get("type") in ("message", "function_call"))
    return [{name: value for name, value in item.items() if name not in ("id", "status")} for item in kept]


def _call_item(call: ToolCall) -> Item:
    """A tool call of an earlier turn."""
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": codec.encode(call.arguments),
    }


def _tokens(usage: _ResponseUsage) -> Tokens | None:
    if not usage.input_tokens and not usage.output_tokens:
        return None
    cached = (usage.input_tokens_details or {}).get("cached_tokens")
    return Tokens(sent=usage.input_tokens, received=usage.output_tokens, cached=cached or 0)
