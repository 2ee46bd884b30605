"""Where words go: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """JSON and nothing else on standard output."""
    try:
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        sys.stdout.write(json.dumps(value, ensure_ascii=not unicode, indent=2, allow_nan=False) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        nobody_listens()


def folded(text: str, *, under: int = 0) -> str:
    """The text in lines that fit, the later ones indented; a word, such as an address, is never broken."""
    import shutil
    import textwrap

    width, indent = shutil.get_terminal_size().columns, " " * under
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def tell(text: str) -> None:
    """A sentence on standard error; a reader that has gone away stops nothing."""
    try:
        sys.stderr.write(f"{folded(text)}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        nobody_listens(2)


def read_apart() -> bool:
    """Whether standard error leads elsewhere than standard output, so that its reader has not seen the report."""
    try:
        return not os.path.sameopenfile(1, 2)
    except OSError:  # one of them is closed
        return True


def nobody_listens(descriptor: int = 1) -> None:
    """The reader has closed the pipe, as `head` does: say the rest to nobody, and keep the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def console(*, stderr: bool = False) -> Console:
    """A console that is 80 columns wide where nobody looks, and as wide as the terminal where somebody does."""
    from rich.console import Console

    class Patient(Console):
        def on_broken_pipe(self) -> None:
            nobody_listens()

    made = Patient(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = 80
    return made


@contextmanager
def agents_speak_on_stderr() -> Iterator[None]:
    """While it lasts, whatever prints to standard output prints to standard error instead.

    An agent that prints must not spoil `--json`, nor draw over the progress line.
    """
    try:
        sys.stdout.flush()
        saved = os.dup(1)
    except (OSError, AttributeError):  # no standard output at all
        yield
        return
    python_stdout, sys.stdout = sys.stdout, sys.stderr
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout = python_stdout
        os.dup2(saved, 1)
        os.close(saved)
