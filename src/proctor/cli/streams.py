"""Standard streams that never raise: a closed pipe, a full disk or a closed stream does not end a command.

Write errors on standard output are remembered and reported at the end of the command.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _RetryingStream(io.RawIOBase):
    """Raw stream of a descriptor that drops data it cannot write and remembers the error."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.closed_at_start = False
        self.unheard = False
        """Whether something was written although the stream was closed from the start."""
        self.trouble: OSError | None = None
        self.raises = False
        self.told = False
        """Whether the error was raised to the caller, who reports it."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write data; after an error, pretend that everything was written."""
        self.unheard = self.unheard or self.closed_at_start
        try:
            return self._written(data) if self.trouble is None else len(memoryview(data))
        except OSError as error:
            self.trouble = error
            if self.raises:
                self.told = True
                raise
            return len(memoryview(data))

    def _written(self, data: ReadableBuffer) -> int:
        """Write data; if a non-blocking pipe is full, wait."""
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])


_raw: dict[int, _RetryingStream] = {}


def guard() -> None:
    """Replace Python's standard streams with guarded ones, and open /dev/null for closed descriptors.

    Otherwise the next opened file, such as the store, would become standard output or error and be printed into.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor, which is one of these
    sys.stdout, sys.stderr = open_guarded_stream(1, sys.stdout), open_guarded_stream(2, sys.stderr)
    vars(sys).update(__stdout__=sys.stdout, __stderr__=sys.stderr)
    for number in (1, 2):
        _raw[number].closed_at_start = number in closed


def open_guarded_stream(descriptor: int, like: TextIO | None) -> TextIO:
    """Open a guarded stream on a descriptor, with the encoding of another stream."""
    raw = _RetryingStream(descriptor)
    if (before := _raw.get(descriptor)) is not None:  # replaces one closed or kept by an agent
        raw.closed_at_start, raw.unheard, raw.trouble = before.closed_at_start, before.unheard, before.trouble
    _raw[descriptor] = raw
    stream = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(like, "encoding", None) or "utf-8",
        errors="backslashreplace" if descriptor == 2 else getattr(like, "errors", None) or "strict",
        line_buffering=descriptor == 2 or raw.isatty(),
    )
    vars(stream)["mode"] = "w"  # as with `open`
    return stream


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


@contextmanager
def raising() -> Iterator[None]:
    """Let standard output raise write errors within this block, so that a large export stops."""
    raw = _raw.get(1)
    if raw is None:
        yield
        return
    raw.raises = True
    try:
        yield
    finally:
        raw.raises = False


def trouble() -> str:
    """Return the write error of standard output; empty if there was none, or only a closed pipe as with `head`."""
    error = _raw[1].trouble if 1 in _raw and not _raw[1].told else None
    if error is None or isinstance(error, BrokenPipeError):
        return ""
    return error.strerror or str(error)


def is_unheard() -> bool:
    """Whether something was printed although standard output was closed from the start."""
    return 1 in _raw and _raw[1].unheard
