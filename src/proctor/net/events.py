"""Server-sent events: the bytes of a `text/event-stream` as they arrive → events."""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from dataclasses import dataclass

from proctor.errors import AgentFault

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSentEvent:
    """One event."""

    name: str
    """Its kind; `message` where the server names none."""
    data: str
    """Its lines, joined."""
    id: str = ""
    """The last id that the server gave an event by then."""
    retry: float | None = None
    """How many seconds to wait before asking for more, where the server has said so."""


async def events(chunks: AsyncIterable[bytes]) -> AsyncGenerator[ServerSentEvent, None]:
    """Every event that carries data; also a last one that the server did not end with an empty line."""
    reader = _EventReader()
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        async for chunk in chunks:
            for event in reader.feed(decoder.decode(chunk)):
                yield event
        for event in reader.feed(decoder.decode(b"", final=True) + "\n\n"):
            yield event
    except UnicodeDecodeError:
        raise AgentFault("the stream of events is not UTF-8", kind="wrong_type") from None


class _EventReader:
    """Text in pieces of any size → events."""

    def __init__(self) -> None:
        self._unfinished: list[str] = []
        self._name = ""
        self._data: list[str] = []
        self._id = ""
        self._retry: float | None = None

    def feed(self, text: str) -> Iterator[ServerSentEvent]:
        for line in self._lines(text):
            if line:
                self._take(line)
                continue
            if self._data:
                data = "\n".join(self._data)
                yield ServerSentEvent(name=self._name or "message", data=data, id=self._id, retry=self._retry)
            self._name, self._data = "", []

    def _lines(self, text: str) -> list[str]:
        """The lines that are whole by now. A CR at the end waits: an LF may follow it."""
        if self._unfinished and self._unfinished[-1].endswith("\r"):
            text = self._unfinished.pop() + text
        whole = text[:-1] if text.endswith("\r") else text
        *lines, rest = _LINE_END.split(whole)
        rest += text[len(whole) :]
        if lines:
            lines[0] = "".join(self._unfinished) + lines[0]
            self._unfinished = []
        if rest:
            self._unfinished.append(rest)
        return lines

    def _take(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self._retry = int(value[:9]) / 1000
