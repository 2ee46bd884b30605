"""The program `proctor`."""

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
"""Seconds that threads, children and exit handlers that agents have left behind may keep the program from ending."""
_GARBAGE = 50_000
"""New objects after which cycles are looked for: imports make many, and none of them are garbage."""


def main() -> NoReturn:
    """Run one command. What agents have left behind changes neither its output nor its exit code, nor holds it up."""
    gc.set_threshold(_GARBAGE)
    exits.begin_program(_tell_exit)
    sys.excepthook = _tell_traceback
    streams.guard()
    code = _flush_output(run_command())
    _end_soon(code)
    gc.freeze()  # or what ends with the process anyway is looked through once more
    raise SystemExit(code)  # `sys.exit` may be an agent's


def _tell_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What PROCTOR_TRACEBACK asks for, without secrets."""
    from proctor.reports.words import harmless

    if sys.stderr is not None:
        sys.stderr.write(harmless(without_secrets("".join(traceback.format_exception(kind, error, trace)))))


def _flush_output(code: int) -> int:
    """The exit code, once everything is written; what agents still print then does not belong to the output."""
    with suppress(ValueError):  # somebody has closed it
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
    except OSError:  # no standard error
        with suppress(OSError):  # an agent has left no file handle
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _tell_exit(done: str) -> None:
    sys.stderr.write(f"Error: {done} was called before the command was over; `proctor list` shows what is stored.\n")
    sys.stderr.flush()


def _end_soon(code: int) -> None:
    """End with this code in a moment, whatever still wants to be waited for, or wants another code."""
    exits.end_program(code)
    try:
        threading.Thread(target=_end_late, args=(code,), daemon=True).start()
    except RuntimeError:  # no thread is left
        exits.exit_now(code)


def _end_late(code: int) -> None:
    time.sleep(_PATIENCE)
    exits.exit_now(code)


if __name__ == "__main__":
    main()
