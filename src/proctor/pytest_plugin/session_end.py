"""The end of a process in which pytest has examined an agent: it keeps pytest's exit code."""

from __future__ import annotations

import atexit
import sys
import threading

from proctor.plugins import exits

_codes: list[int] = []
"""The exit code of each session of this process, the last one last."""


def tell(done: str) -> None:
    """Somebody ends the process in the middle of a session; pytest has put its own streams in the usual places."""
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"proctor: {done} was called before pytest was over; no verdict is complete\n")
        sys.__stderr__.flush()


def keep(code: int) -> None:
    """A session is over: when Python ends, whoever calls `os._exit` ends the process with this code."""
    exits.leave_program()  # a program that goes on after pytest ends as it wants
    if not _codes:
        register = getattr(threading, "_register_atexit", atexit.register)  # which come before the others
        register(_end)
        atexit.register(_end)
    _codes.append(code)


def _end() -> None:
    exits.end_program(_codes[-1])
