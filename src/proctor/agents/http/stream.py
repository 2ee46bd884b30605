"""Server-sent events → one reply."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.agents.http.expression import Expression, shape
from proctor.agents.http.options import PARTS
from proctor.agents.http.response import error_in, fault_told, is_body_cut_off, made_of, text_of
from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.net.events import ServerSentEvent, events
from proctor.transcript import Reply

_DONE = "[DONE]"
_PLACES = ("choices[0].delta.content", "delta.text", "delta.content", "delta", "text", "token", "content", "answer")
_COMMON_DELTA = Expression(" || ".join(_PLACES), option="delta")
_COMMON_SILENCE = Expression(" || ".join(f"{place} == ''" for place in _PLACES), option="delta")
_COMMON_REFUSAL = Expression("choices[0].delta.refusal", option="delta")
_OVER = frozenset({"message_stop", "response.completed", "response.incomplete", "response.done"})
"""Events that end Anthropic and OpenAI streams."""


@dataclass(slots=True)
class StreamedReply:
    """The reply built up from the events so far."""

    expressions: Mapping[str, Expression]
    started: float
    pieces: list[str] = field(default_factory=list)
    silent: bool = False
    """Whether an event had an empty text: if no other has text, the reply is empty rather than missing."""
    found: dict[str, Any] = field(default_factory=dict)
    session: Any = None
    first: float | None = None
    last: Any = None
    marked: bool = False
    """Whether the protocol marks the end of a reply."""
    over: bool = False
    """Whether the end was reached."""
    cut_off: bool = False

    def take(self, event: ServerSentEvent) -> None:
        """Process one event: a piece of text, or another part of the reply."""
        body = self._body(event)
        if (error := _error_in(event, body)) is not None:
            raise fault_told(error, "the stream ended in an error")
        self.last = body
        self._watch_for_the_end(body)
        piece = body if isinstance(body, str) else self.expressions.get("delta", _COMMON_DELTA).find(body)
        if not piece and isinstance(body, dict):
            piece = _COMMON_REFUSAL.find(body) or piece
        if isinstance(piece, str) and piece:
            self.first = time.perf_counter() - self.started if self.first is None else self.first
            self.pieces.append(piece)
        elif not self.silent:
            self.silent = piece == "" or ("delta" not in self.expressions and _COMMON_SILENCE.find(body) is True)
        for part in (*PARTS, "text"):
            self._keep(part, self._part(part, body))
        if "session" in self.expressions:
            self.session = self.expressions["session"].find(body) or self.session

    def reply(self) -> Reply:
        """Return the complete reply; raise AgentFault if the stream ended before the protocol's end marker."""
        if self.marked and not self.over:
            raise AgentFault("the stream ended before the reply did", kind="dropped")
        text = text_of(self.found.get("text"))
        if text is None and not self.pieces and not self.silent:
            delta = self.expressions.get("delta", _COMMON_DELTA)
            raise AgentFault(
                f"no event held text at delta = {delta.source!r}; of the last one: {shape(self.last)}",
                kind="wrong_type",
            )
        reply = made_of({**self.found, "text": text if text is not None else "".join(self.pieces)})
        return replace(reply, first_token=self.first, cut_off=reply.cut_off or self.cut_off)

    def _watch_for_the_end(self, body: Any) -> None:
        if not isinstance(body, dict):
            return
        self.cut_off = self.cut_off or is_body_cut_off(body)
        kind, choices = body.get("type"), body.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict) and "delta" in first and "finish_reason" in first:
            self.marked = True
            self.over = self.over or first.get("finish_reason") is not None
        elif isinstance(kind, str) and (kind == "message_start" or kind in _OVER or kind == "response.created"):
            self.marked = True
            self.over = self.over or kind in _OVER

    def _body(self, event: ServerSentEvent) -> Any:
        try:
            return read_json(event.data)
        except (ValueError, RecursionError) as error:
            if "delta" in self.expressions and event.name != "error":
                raise AgentFault(f"an event is not valid JSON: {error}", kind="wrong_type") from error
            return event.data

    def _part(self, part: str, body: Any) -> Any:
        if part in self.expressions:
            return self.expressions[part].find(body)
        return body.get(part) if isinstance(body, dict) and part != "text" else None

    def _keep(self, part: str, value: Any) -> None:
        """Append to lists; replace any other value with the later one."""
        if isinstance(value, list) and part != "text":
            self.found[part] = [*self.found.get(part, ()), *value]
        elif value is not None:
            self.found[part] = value


async def gather(chunks: AsyncIterable[bytes], expressions: Mapping[str, Expression], started: float) -> StreamedReply:
    """Collect all events up to the end or `[DONE]`."""
    gathered = StreamedReply(expressions=expressions, started=started)
    async with aclosing(events(chunks)) as stream:
        async for event in stream:
            if event.data.strip() == _DONE:
                gathered.over = True
                break
            gathered.take(event)
    return gathered


def _error_in(event: ServerSentEvent, body: Any) -> Any:
    """Return the error that ends the stream, or None if the event reports none."""
    if isinstance(body, dict) and body.get("type") == "response.failed":
        failed = body.get("response")
        return (failed.get("error") if isinstance(failed, dict) else None) or body
    named = event.name == "error" or (isinstance(body, dict) and body.get("type") == "error")
    if (error := error_in(body, named=named)) is not None or not named:
        return error
    return event.data if body is None else body
