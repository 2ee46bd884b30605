"""A streamed reply: server-sent events, gathered into one."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.agents.http.expression import Expression, shape
from proctor.agents.http.options import PARTS
from proctor.agents.http.response import made_of, text_of
from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.net.events import ServerSentEvent, events
from proctor.transcript import Reply

_DONE = "[DONE]"
_PLACES = ("choices[0].delta.content", "delta.text", "delta.content", "delta", "text", "token", "content", "answer")
_COMMON_DELTA = Expression(" || ".join(_PLACES), option="delta")
_COMMON_SILENCE = Expression(" || ".join(f"{place} == ''" for place in _PLACES), option="delta")
_ERROR_SHOWN = 200


@dataclass(slots=True)
class StreamedReply:
    """What the events have said so far."""

    expressions: Mapping[str, Expression]
    started: float
    pieces: list[str] = field(default_factory=list)
    silent: bool = False
    """Whether an event held an empty text: where none holds more, the reply is empty, and not missing."""
    found: dict[str, Any] = field(default_factory=dict)
    session: Any = None
    first: float | None = None
    last: Any = None

    def take(self, event: ServerSentEvent) -> None:
        """One event: a piece of the text, or something else of the reply."""
        body = self._body(event)
        self.last = body
        piece = body if isinstance(body, str) else self.expressions.get("delta", _COMMON_DELTA).find(body)
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
        """All of it."""
        text = text_of(self.found.get("text"))
        if text is None and not self.pieces and not self.silent:
            delta = self.expressions.get("delta", _COMMON_DELTA)
            raise AgentFault(
                f"no event held text at delta = {delta.source!r}; of the last one: {shape(self.last)}",
                kind="wrong_type",
            )
        whole = made_of({**self.found, "text": text if text is not None else "".join(self.pieces)})
        return replace(whole, first_token=self.first)

    def _body(self, event: ServerSentEvent) -> Any:
        try:
            return read_json(event.data)
        except (ValueError, RecursionError) as error:
            if "delta" in self.expressions:
                raise AgentFault(f"an event is not valid JSON: {error}", kind="wrong_type") from error
            return event.data

    def _part(self, part: str, body: Any) -> Any:
        if part in self.expressions:
            return self.expressions[part].find(body)
        return body.get(part) if isinstance(body, dict) and part != "text" else None

    def _keep(self, part: str, value: Any) -> None:
        """Lists grow, everything else is replaced by what comes later."""
        if isinstance(value, list) and part != "text":
            self.found[part] = [*self.found.get(part, ()), *value]
        elif value is not None:
            self.found[part] = value


async def gather(chunks: AsyncIterable[bytes], expressions: Mapping[str, Expression], started: float) -> StreamedReply:
    """Every event up to the end, or to `[DONE]`."""
    gathered = StreamedReply(expressions=expressions, started=started)
    async with aclosing(events(chunks)) as stream:
        async for event in stream:
            if event.data.strip() == _DONE:
                break
            if event.name == "error":
                raise AgentFault(f"the stream ended in an error: {' '.join(event.data.split())[:_ERROR_SHOWN]}")
            gathered.take(event)
    return gathered
