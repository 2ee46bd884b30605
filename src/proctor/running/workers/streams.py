"""What agents print in a worker, without secrets: it goes where others read it."""

from __future__ import annotations

import sys

from proctor.redaction.stream import ScrubbedStream


def scrub_streams() -> None:
    """Have everything that is printed in this process from now on tell no secret."""
    sys.stdout, sys.stderr = _PromptStream(sys.stdout), _PromptStream(sys.stderr)


class _PromptStream(ScrubbedStream):
    """What is written is sent at once: a worker may be killed."""

    def write(self, text: str) -> int:
        """Write it without secrets, now."""
        written = super().write(text)
        self._stream.flush()
        return written
