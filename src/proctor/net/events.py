"""Parse a `text/event-stream` into server-sent events as its bytes arrive."""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from dataclasses import dataclass

from proctor.errors import AgentFault

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSentEvent:
    """One server-sent event."""

    name: str
    """Event type; `message` if not given."""
    data: str
    """Data lines, joined by line breaks."""
    id: str = ""
    """The last event id sent so far."""
    retry: float | None = None
    """Reconnection time in seconds requested by the server, or None."""


async def events(chunks: AsyncIterable[bytes]) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield every event with data, including a last one without a terminating empty line."""
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
    """Incremental parser that accepts text in chunks of any size."""

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
        """Return the complete lines. A trailing CR is held back, since an LF may follow."""
        if self._unfinished and self._unfinished[-1].endswith("\r"):
            text = self._unfinished.pop() + text
        complete_text = text[:-1] if text.endswith("\r") else text
        *lines, rest = _LINE_END.split(complete_text)
        rest += text[len(complete_text) :]
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
