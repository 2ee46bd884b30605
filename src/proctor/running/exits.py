"""`os._exit` while a run is played: an agent that calls it ends the run, but not the process that plays it.

install()                   before an agent is imported, so that `from os import _exit` gets ours too
with intercept_exits(told): …        while a run is played
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from proctor.threads import exit_now

INCOMPLETE = 4
"""The exit code of a run that did not complete, whatever code the agent asked for."""
_listeners: list[tuple[int, int, Callable[[str], None]]] = []


def install() -> None:
    """Stand where `os._exit` stands; it is the real one in forked children and while nothing is played."""
    os._exit = _exit


def _exit(status: int) -> NoReturn:
    process, thread = os.getpid(), threading.get_ident()
    heeding = [(driver, told) for owner, driver, told in _listeners if owner == process]
    if not heeding:
        exit_now(status)
    for _, told in heeding:
        told(f"the agent called os._exit({status!r}), which would have ended the process")
    if any(driver == thread for driver, _ in heeding):
        exit_now(INCOMPLETE)  # who would store and report what is left is the one who calls
    while True:  # it expects never to return; the thread is left behind
        threading.Event().wait()


@contextmanager
def intercept_exits(told: Callable[[str], None]) -> Iterator[None]:
    """While it lasts, whoever calls `os._exit` in this process is told on and stays where it is."""
    before = os._exit
    install()
    listener = (os.getpid(), threading.get_ident(), told)
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
        if not _listeners:
            os._exit = before
