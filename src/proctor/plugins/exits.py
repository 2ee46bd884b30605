"""Intercept `os._exit`, `os.exec…` and the C library's `exit` in foreign code, so that no verdict is lost.

install()                    before importing an agent, so that `from os import _exit` gets our version
with refuse_exits(): …       while importing a foreign module: calls raise
with intercept_exits(told): …    while playing a run: calls end the run, but not the process
begin_program(told)          at the start of a program: until its report, calls end it, but never with success
end_program(code)            after its report: calls end it with the report's exit code
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from proctor.run import Stage

exit_now = os._exit
"""The original `os._exit`, whatever it is replaced by at the moment."""
_PATIENCE = 10
"""Seconds before the process is forced to end once Python's shutdown has begun, if a thread is blocked in `exit`."""
_CLOCK_MONOTONIC, _SIGEV_THREAD = 1, 2


class _Guard:
    """Handler that glibc calls on `exit`."""

    def __init__(self, ctypes: Any, library: Any) -> None:
        self._ctypes, self._library = ctypes, library
        self._handle = ctypes.create_string_buffer(1)  # its address identifies our handler
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._at_exit)
        self._told: Callable[[], None] | None = None
        self._registered = self._entered = False
        self._code = 0
        os.register_at_fork(after_in_child=self._forget)

    def hold(self, on_exit: Callable[[], None], code: int) -> None:
        self._told, self._code = on_exit, code
        if not self._registered:
            self._register()

    def release(self) -> None:
        self._told = None  # removing the handler calls it one last time
        if self._registered:
            self._registered = False
            self._library["__cxa_finalize"](self._handle)

    def _register(self) -> None:
        self._registered = True
        self._library["__cxa_atexit"](self._callback, None, self._handle)

    def _at_exit(self, _: object) -> None:
        if self._told is None:
            return
        self._entered = True
        self._register()  # it is called only once, and another thread may call exit
        self._told()
        self._told = None  # the callback has returned: the process ends

    def _forget(self) -> None:
        """Disable the handler in a forked child, where removing it could wait forever for another thread's lock."""
        self._told = None

    def end(self) -> None:
        """Release the handler at Python's shutdown.

        From glibc 2.41 on, the final `exit` would otherwise wait forever for a thread that is already inside it.
        """
        self.release()
        if self._entered:
            with suppress(AttributeError):  # older versions lack these timers and do not block
                _end_later(self._ctypes, self._library, self._code)


def _end_later(ctypes: Any, library: Any, code: int) -> None:
    """Let the C library call `_exit` after a delay, since no Python thread survives the shutdown."""

    class Event(ctypes.Structure):  # type: ignore[misc]
        _fields_ = (
            ("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int),
            ("function", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("rest", ctypes.c_char * 64),
        )  # fmt: skip

    ends = ctypes.cast(library["_exit"], ctypes.c_void_p)
    event, timer = Event(value=code, notify=_SIGEV_THREAD, function=ends), ctypes.c_void_p()
    once = (ctypes.c_long * 4)(0, 0, _PATIENCE, 0)
    if library.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0:
        library.timer_settime(timer, 0, ctypes.byref(once), None)


def hold(on_exit: Callable[[], None], *, code: int) -> None:
    """Call `on_exit` whenever the C library's `exit` is called; if it returns, the process ends.

    If it does not return and the process then cannot end by itself, it ends with this code.
    """
    if (guard := _guard()) is not None:
        guard.hold(on_exit, code)


def release() -> None:
    """Stop intercepting the C library's `exit`."""
    if (guard := _guard()) is not None:
        guard.release()


def _let_go() -> None:
    """Exit handler that runs last, because it is registered first."""
    if _guard.cache_info().currsize:
        guard = _guard()
        if guard is not None:
            guard.end()


atexit.register(_let_go)


@cache
def _guard() -> _Guard | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        library = ctypes.CDLL(None)
        return _Guard(ctypes, library) if hasattr(library, "gnu_get_libc_version") else None
    except (ImportError, OSError, AttributeError, MemoryError):  # callbacks are forbidden, or there is no such library
        return None


INCOMPLETE = 4
"""Exit code of a run that did not complete, whatever code was requested."""
_EXIT_OF_C = "the C library's exit()"
CALLED: ContextVar[Stage] = ContextVar("proctor_called", default="agent")
"""Role whose code runs in this context; threads that foreign code starts count as the agent's."""
_MODULES = (os, sys.modules[os.name])
"""`os` and the module it imports from: `posix` or `nt`."""
_REAL: Mapping[str, Callable[..., NoReturn]] = {
    "_exit": exit_now, **{name: getattr(os, name) for name in ("execv", "execve") if hasattr(os, name)}
}  # fmt: skip
"""The original functions; all other exec functions, such as `os.execlp`, call one of these."""
_listeners: list[tuple[int, int, Callable[[str], None]]] = []
_refusing: set[tuple[int, int]] = set()
"""(process, thread) in which the functions raise."""


class _Program(NamedTuple):
    """Our own program running in this process."""

    process: int
    code: int
    told: Callable[[str], None] | None
    """Callback told which function was called; None once the report is out."""

    def end(self, done: str) -> None:
        """End with the program's code, unless this is a forked child, which ends as it wants."""
        if self.process != os.getpid():
            return
        if self.told is not None:
            with suppress(Exception):
                self.told(done)
        exit_now(self.code)


_program: _Program | None = None
_changing = threading.Lock()
"""Held while a run begins or ends, so that concurrent runs do not undo each other's replacements."""


def _reset_in_child() -> None:
    global _changing
    _changing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


def install() -> None:
    """Replace the functions; they act as the originals in forked children and while nothing is played."""
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
    """Handle the C library's `exit`; return, so that it proceeds, if this process is not ours."""
    if any(owner == os.getpid() for owner, _, _ in _listeners):
        _stay(exit_now, _EXIT_OF_C, INCOMPLETE)
    if _program is not None:
        _program.end(_EXIT_OF_C)


def _stay(real: Callable[..., NoReturn], done: str, *given: Any) -> NoReturn:
    """Report the caller and block it, or do what it asks if nothing is being played."""
    process, thread = os.getpid(), threading.get_ident()
    if (process, thread) in _refusing:
        raise ExitRefused(done)
    listening = [(driver, callback) for owner, driver, callback in _listeners if owner == process]
    if not listening:
        if _program is not None:
            _program.end(done)
        real(*given)
    for _, callback in listening:
        callback(f"the {CALLED.get()} called {done}, which would have ended the process")
    if any(driver == thread for driver, _ in listening):
        exit_now(INCOMPLETE)  # the caller itself would have to store and report the results
    while True:  # the caller expects no return, so its thread is abandoned
        threading.Event().wait()


@contextmanager
def intercept_exits(on_exit: Callable[[str], None]) -> Iterator[None]:
    """Within the context, report calls of these functions in this process and block their callers."""
    listener = (os.getpid(), threading.get_ident(), on_exit)
    with _changing:
        before = [(module, {name: vars(module)[name] for name in _OURS}) for module in _MODULES]
        install()
        _listeners.append(listener)
        hold(_exit_of_c, code=INCOMPLETE)
    try:
        yield
    finally:
        with _changing:
            _listeners.remove(listener)
            if not _listeners:
                _stand_back(before)


def _stand_back(before: list[tuple[ModuleType, dict[str, Any]]]) -> None:
    if _program is None or _program.process != os.getpid():
        release()
    for module, functions in before:
        vars(module).update(functions)


class ExitRefused(SystemExit):
    """Raised when a foreign module calls one of the functions while being imported."""

    def __str__(self) -> str:
        return f"called {self.code}, which would have ended the process"


@contextmanager
def refuse_exits() -> Iterator[None]:
    """Within the context, make the functions raise ExitRefused in this thread."""
    here = (os.getpid(), threading.get_ident())
    install()
    if _program is not None:
        hold(_exit_of_c, code=INCOMPLETE)
    inner = here in _refusing
    _refusing.add(here)
    try:
        yield
    finally:
        if not inner:
            _refusing.discard(here)


def begin_program(on_exit: Callable[[str], None], *, code: int = INCOMPLETE) -> None:
    """Declare this process to be our program: calls of these functions are reported and end it with this code."""
    global _program
    install()
    _program = _Program(os.getpid(), code, on_exit)


def end_program(code: int) -> None:
    """Declare the report complete: whatever is called or left behind, the process ends with this code."""
    global _program
    install()  # an agent may have replaced the functions
    _program = _Program(os.getpid(), code, None)


def leave_program() -> None:
    """Declare that this process is no longer our program."""
    global _program
    _program = None
    if not _listeners:
        release()
