"""Output helpers: results go to standard output, everything else to standard error."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from proctor import reports
from proctor.cli.streams import open_guarded_stream
from proctor.redaction import private
from proctor.redaction.known import ScrubbedStream

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from rich.console import Console

_LONGEST = 2000
"""Maximum characters of a printed error."""


def print_json(value: Any) -> None:
    """Print JSON to standard output."""
    if sys.stdout is None:
        return
    try:
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        text = json.dumps(value, ensure_ascii=not unicode, indent=2, allow_nan=False) + "\n"
        sys.stdout.write(text if text.isascii() else reports.words.escape_json(text))
        sys.stdout.flush()
    except BrokenPipeError:
        on_closed_pipe()


def echo(text: str = "", *, err: bool = False) -> None:
    """Print a line to standard output or error, without terminal escape sequences."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    line = f"{reports.words.harmless(text)}\n"
    if err:
        with ignore_broken_pipe():
            stream.write(line)
            stream.flush()
    else:
        stream.write(_writable(line, stream))


def _writable(text: str, stream: TextIO) -> str:
    return text if text.isascii() else reports.terminal.writable(text, stream.encoding or "utf-8")


_error_file = ""


def leave_errors_in(path: str) -> None:
    """Where errors are left for a program too, with their kind; empty: nowhere."""
    global _error_file
    _error_file = path


def tell_error(error: object, *, kind: str = "") -> None:
    """Print an error to standard error: wrapped in a terminal, else on one line."""
    if _error_file:
        with suppress(OSError):
            private.write(Path(_error_file), json.dumps({"kind": kind, "said": str(error)[:_LONGEST]}).encode())
    line = reports.words.cut(" ".join(reports.words.harmless(f"Error: {error}").split("\n")), _LONGEST)
    echo(wrap_text(line) if _is_terminal(sys.stderr) else line, err=True)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # already closed
        return False


def wrap_text(text: str, *, under: int = 0) -> str:
    """Wrap a text to the terminal width, with a hanging indent of `under`; long words such as URLs are not broken."""
    import shutil
    import textwrap

    width, indent = shutil.get_terminal_size().columns, " " * under
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def tell(text: str) -> None:
    """Print a sentence to standard error; a closed pipe is ignored."""
    if sys.stderr is None:
        return
    with ignore_broken_pipe():
        sys.stderr.write(f"{wrap_text(reports.words.harmless(text))}\n")
        sys.stderr.flush()


@contextmanager
def ignore_broken_pipe() -> Iterator[None]:
    """Ignore failed writes to standard error, because its pipe or stream is closed or the disk is full."""
    try:
        yield
    except (OSError, ValueError):
        on_closed_pipe(2)


def stderr_is_separate() -> bool:
    """Whether standard error goes elsewhere than standard output, so that its reader has not seen the report."""
    try:
        return not os.path.sameopenfile(1, 2)
    except OSError:  # one of them is closed
        return True


def on_closed_pipe(descriptor: int = 1) -> None:
    """Redirect a closed pipe, as left by `head`, to /dev/null, so that the command goes on with its exit code."""
    with suppress(OSError):  # no free file descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


def console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or 80 columns if there is none."""

    class Patient(reports.terminal.HarmlessConsole):
        def on_broken_pipe(self) -> None:
            on_closed_pipe()

    made = Patient(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = 80
    return made


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect standard output to standard error within this block.

    An agent that prints must not corrupt `--json` or draw over the progress bar; whatever it does to the streams, such
    as closing them, is undone afterwards.
    """
    descriptors = {number: _duplicate_descriptor(number) for number in (1, 2)}
    python_stdout, python_stderr = sys.stdout, sys.stderr
    if python_stdout is not None:
        with suppress(OSError, ValueError):
            python_stdout.flush()
    if descriptors[1] is not None:
        _redirect(1, to=descriptors[2])
    if python_stderr is not None:
        sys.stderr = _Borrowed(python_stderr)
    sys.stdout = borrowed = sys.stderr
    originals = {name: vars(sys)[name] for name in ("__stdout__", "__stderr__")}
    vars(sys).update(dict.fromkeys(originals, borrowed))  # redirect those who bypass sys.stdout, too
    try:
        yield
    finally:
        vars(sys).update(originals)
        sys.stdout = sys.stderr = borrowed  # destroys streams installed by agents, which flush now
        for number, kept in descriptors.items():
            if kept is not None:
                os.dup2(kept, number)
                os.close(kept)
        sys.stdout, sys.stderr = _open_again(python_stdout, 1), _open_again(python_stderr, 2)
        if sys.stdout is sys.__stdout__ and sys.stdout is not None:
            sys.stdout = _Ours(sys.stdout)


class _Ours:
    """Standard output for the main thread only: threads left by agents write to standard error instead."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        here = threading.current_thread() is threading.main_thread()
        return getattr(self._stream if here or sys.stderr is None else sys.stderr, name)


def _duplicate_descriptor(descriptor: int) -> int | None:
    """Duplicate a file descriptor; return None if it is closed."""
    try:
        return os.dup(descriptor)
    except OSError:
        return None


def _redirect(descriptor: int, *, to: int | None) -> None:
    if to is not None:
        os.dup2(to, descriptor)
    else:
        on_closed_pipe(descriptor)


class _Borrowed(ScrubbedStream):
    """The redirected stream for agents: secrets and terminal escape sequences are removed, and it cannot be closed."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.drawn_on = ScrubbedStream(stream)
        """For the progress bar, which may use escape sequences."""
        self.buffer = _BorrowedBytes(self)

    def write(self, text: str) -> int:
        """Write text without control sequences; a carriage return starts a new line."""
        super().write(reports.words.clean(text))
        return len(text)

    def detach(self) -> _BorrowedBytes:
        """Return a byte stream for `io.TextIOWrapper(sys.stdout.detach(), …)`; this stream stays usable."""
        return _BorrowedBytes(self)


class _BorrowedBytes(io.RawIOBase):
    """Byte stream below a borrowed stream: bytes are decoded and written as text, and closing it has no effect."""

    def __init__(self, stream: _Borrowed) -> None:
        self._borrowed = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._borrowed.fileno())

    def isatty(self) -> bool:
        return bool(self._borrowed.isatty())

    def write(self, data: ReadableBuffer, /) -> int:
        self._borrowed.write(self._decoder.decode(bytes(data)))
        return len(memoryview(data))

    def flush(self) -> None:
        with suppress(ValueError):  # already closed
            self._borrowed.flush()


def stream_to_draw_on() -> TextIO:
    """Return standard error for output that is redrawn, such as a progress bar."""
    return sys.stderr.drawn_on if isinstance(sys.stderr, _Borrowed) else sys.stderr  # type: ignore[return-value]


def _open_again(stream: TextIO | None, descriptor: int) -> TextIO:
    """Return the stream, or a new one for its descriptor if it was closed or detached."""
    try:
        if stream is None or not stream.closed:
            return stream  # type: ignore[return-value]
    except ValueError:  # detached
        stream = None
    return open_guarded_stream(descriptor, stream)
