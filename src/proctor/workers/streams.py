"""What agents print in a worker, without secrets: it goes where others read it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from proctor.redaction import without_known


def scrub_streams() -> None:
    """Have everything that is printed in this process from now on tell no secret."""
    sys.stdout, sys.stderr = _Scrubbed(sys.stdout), _Scrubbed(sys.stderr)


class _Scrubbed:
    """A stream that tells no secret."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write it without secrets; who wrote it is told that all was written."""
        self._stream.write(without_known(text))
        self._stream.flush()
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """The same for several."""
        for line in lines:
            self.write(line)
