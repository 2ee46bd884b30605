"""A text stream that tells no secret."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from proctor.redaction.known import without_known


class ScrubbedStream:
    """A stream that whoever borrows it cannot close, and that tells no secret."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write it without secrets; who wrote it is told that all was written."""
        self._stream.write(without_known(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """The same for several."""
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Nothing but what was said so far is written."""
        self._stream.flush()
