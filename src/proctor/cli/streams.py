"""Standard streams that never raise: a reader that has gone away, a full disk or a closed stream ends no command.

What could not be written to standard output is remembered, and told when the command is over.
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
    """One descriptor: what it does not take is dropped, and why is kept."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.closed_at_start = False
        self.unheard = False
        """Whether something was written although the stream was closed."""
        self.trouble: OSError | None = None
        self.raises = False
        self.told = False
        """Whether whoever wrote has been told, and tells it on."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some of it; all counts as written once nobody takes more."""
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
        """The same; a pipe that is full and does not wait, as some programs set it, is waited for."""
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])


_raw: dict[int, _RetryingStream] = {}


def guard() -> None:
    """Put such streams in the place of Python's own, and something harmless where a descriptor is closed.

    Else the next file that is opened, such as the store, would be standard output or error, and be printed into.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is one of these
    sys.stdout, sys.stderr = open_guarded_stream(1, sys.stdout), open_guarded_stream(2, sys.stderr)
    vars(sys).update(__stdout__=sys.stdout, __stderr__=sys.stderr)
    for number in (1, 2):
        _raw[number].closed_at_start = number in closed


def open_guarded_stream(descriptor: int, like: TextIO | None) -> TextIO:
    """A stream on this descriptor, in the encoding of another one."""
    raw = _RetryingStream(descriptor)
    if (before := _raw.get(descriptor)) is not None:  # an agent has closed it, or keeps what is left of it
        raw.closed_at_start, raw.unheard, raw.trouble = before.closed_at_start, before.unheard, before.trouble
    _raw[descriptor] = raw
    stream = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(like, "encoding", None) or "utf-8",
        errors="backslashreplace" if descriptor == 2 else getattr(like, "errors", None) or "strict",
        line_buffering=descriptor == 2 or raw.isatty(),
    )
    vars(stream)["mode"] = "w"  # as `open` does
    return stream


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


@contextmanager
def raising() -> Iterator[None]:
    """While it lasts, standard output raises what goes wrong: whoever writes much must know when to stop."""
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
    """Why the output was not written; empty: it was, or its reader had gone away, as `head` does."""
    error = _raw[1].trouble if 1 in _raw and not _raw[1].told else None
    if error is None or isinstance(error, BrokenPipeError):
        return ""
    return error.strerror or str(error)


def is_unheard() -> bool:
    """Whether something was printed although standard output was closed from the start."""
    return 1 in _raw and _raw[1].unheard
