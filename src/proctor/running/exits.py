"""`os._exit`, `os.exec…` and the C library's `exit` while a run is played: they end the run, but not the process.

install()                   before an agent is imported, so that `from os import _exit` gets ours too
with intercept_exits(told): …        while a run is played
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, NoReturn

from proctor.run import Stage
from proctor.running import c_exit
from proctor.threads import exit_now

INCOMPLETE = 4
"""The exit code of a run that did not complete, whatever code was asked for."""
CALLED: ContextVar[Stage] = ContextVar("proctor_called", default="agent")
"""Whose code runs in this context; threads that somebody starts on their own are taken for the agent's."""
_MODULES = (os, sys.modules[os.name])
"""`posix`, or `nt`, from which `os` has them."""
_REAL: Mapping[str, Callable[..., NoReturn]] = {
    "_exit": exit_now, **{name: getattr(os, name) for name in ("execv", "execve") if hasattr(os, name)}
}  # fmt: skip
"""The other ways to put a program in the place of this one, such as `os.execlp`, call one of these."""
_listeners: list[tuple[int, int, Callable[[str], None]]] = []
_changing = threading.Lock()
"""Held while a run begins or ends: one that begins must not lose what another that ends takes back."""


def _begin_anew_in_child() -> None:
    global _changing
    _changing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew_in_child)


def install() -> None:
    """Stand where they stand; they are the real ones in forked children and while nothing is played."""
    for module in _MODULES:
        vars(module).update(_OURS)


def _exit(status: int) -> NoReturn:
    _stay(_REAL["_exit"], f"os._exit({status!r})", status)


def _execv(path: Any, argv: Any) -> NoReturn:
    _stay(_REAL["execv"], f"os.execv({path!r})", path, argv)


def _execve(path: Any, argv: Any, env: Any) -> NoReturn:
    _stay(_REAL["execve"], f"os.execve({path!r})", path, argv, env)


_OURS: Mapping[str, Callable[..., NoReturn]] = {
    name: ours for name, ours in (("_exit", _exit), ("execv", _execv), ("execve", _execve)) if name in _REAL
}


def _exit_of_c() -> None:
    """Return where nothing is played in this process: the library then goes on to end it."""
    if any(owner == os.getpid() for owner, _, _ in _listeners):
        _stay(exit_now, "the C library's exit()", INCOMPLETE)


def _stay(real: Callable[..., NoReturn], done: str, *given: Any) -> NoReturn:
    """Tell on whoever calls, and keep it here; where nothing is played, do what it wants."""
    process, thread = os.getpid(), threading.get_ident()
    listening = [(driver, told) for owner, driver, told in _listeners if owner == process]
    if not listening:
        real(*given)
    for _, told in listening:
        told(f"the {CALLED.get()} called {done}, which would have ended the process")
    if any(driver == thread for driver, _ in listening):
        exit_now(INCOMPLETE)  # who would store and report what is left is the one who calls
    while True:  # it expects never to return; the thread is left behind
        threading.Event().wait()


@contextmanager
def intercept_exits(told: Callable[[str], None]) -> Iterator[None]:
    """While it lasts, whoever calls one of them in this process is told on and stays where it is."""
    listener = (os.getpid(), threading.get_ident(), told)
    with _changing:
        before = [(module, {name: vars(module)[name] for name in _OURS}) for module in _MODULES]
        install()
        _listeners.append(listener)
        c_exit.hold(_exit_of_c, code=INCOMPLETE)
    try:
        yield
    finally:
        with _changing:
            _listeners.remove(listener)
            if not _listeners:
                _stand_back(before)


def _stand_back(before: list[tuple[ModuleType, dict[str, Any]]]) -> None:
    c_exit.release()
    for module, functions in before:
        vars(module).update(functions)
