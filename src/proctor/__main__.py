"""Entry point of the `proctor` program."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from types import TracebackType
from typing import NoReturn

from proctor.cli import main as run_command
from proctor.cli import streams
from proctor.plugins import exits
from proctor.redaction import without_secrets

_PATIENCE = 3.0
"""Maximum seconds that threads, child processes and exit handlers left by agents may delay the exit."""
_GARBAGE = 50_000
"""Allocations before garbage collection runs; imports allocate many objects, none of which are garbage."""


def main() -> NoReturn:
    """Run one command. Nothing that agents leave behind can change its output or exit code, or delay the exit."""
    gc.set_threshold(_GARBAGE)
    exits.begin_program(_tell_exit)
    sys.excepthook = _tell_traceback
    streams.guard()
    code = _flush_output(run_command())
    _end_soon(code)
    gc.freeze()  # skip a pointless garbage collection at exit
    raise SystemExit(code)  # an agent may have replaced `sys.exit`


def _tell_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback that PROCTOR_TRACEBACK asks for, with secrets redacted."""
    from proctor.reports.words import harmless

    if sys.stderr is not None:
        sys.stderr.write(harmless(without_secrets("".join(traceback.format_exception(kind, error, trace)))))


def _flush_output(code: int) -> int:
    """Flush standard output and return the exit code; anything that agents print later is not part of the output."""
    with suppress(ValueError):  # already closed
        sys.stdout.flush()
    if streams.is_unheard():
        sys.stderr.write("Standard output is closed: nothing was printed.\n")
    if trouble := streams.trouble():
        sys.stderr.write(f"Error: the output could not be written ({trouble}); what is stored is safe.\n")
        code = exits.INCOMPLETE
    _silence_stdout()
    return code


def _silence_stdout() -> None:
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        with suppress(OSError):  # an agent has left no file handle
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _tell_exit(done: str) -> None:
    sys.stderr.write(f"Error: {done} was called before the command was over; `proctor list` shows what is stored.\n")
    sys.stderr.flush()


def _end_soon(code: int) -> None:
    """Force the process to exit with this code shortly, even if threads or exit handlers block or want another code."""
    exits.end_program(code)
    try:
        threading.Thread(target=_end_late, args=(code,), daemon=True).start()
    except RuntimeError:  # no thread can be started
        exits.exit_now(code)


def _end_late(code: int) -> None:
    time.sleep(_PATIENCE)
    exits.exit_now(code)


if __name__ == "__main__":
    main()
