"""`os._exit`, `os.exec…` and the C library's `exit`, called by code that is not ours: no verdict is lost by them.

install()                    before an agent is imported, so that `from os import _exit` gets ours too
with refuse_exits(): …       while somebody's module is imported: they raise
with intercept_exits(told): …    while a run is played: they end the run, but not the process
begin_program(told)          a program of ours begins: until its report they end it, but never as if all were well
end_program(code)            its report is out: whoever still calls them ends it with the report's exit code
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
"""The real one, whatever `os._exit` stands for at the moment."""
_PATIENCE = 10
"""Seconds that a process has to end by itself once Python's own end has begun, where a thread is kept in `exit`."""
_CLOCK_MONOTONIC, _SIGEV_THREAD = 1, 2


class _Guard:
    """What glibc calls when somebody calls `exit`."""

    def __init__(self, ctypes: Any, library: Any) -> None:
        self._ctypes, self._library = ctypes, library
        self._handle = ctypes.create_string_buffer(1)  # whose address tells ours from others'
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._at_exit)
        self._told: Callable[[], None] | None = None
        self._registered = self._entered = False
        self._code = 0
        os.register_at_fork(after_in_child=self._forget)

    def hold(self, told: Callable[[], None], code: int) -> None:
        self._told, self._code = told, code
        if not self._registered:
            self._register()

    def release(self) -> None:
        self._told = None  # what is taken back is called a last time
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
        self._register()  # it is called once, and another thread may come
        self._told()
        self._told = None  # it has returned: the process ends

    def _forget(self) -> None:
        """In a forked child: to take it back now could wait for ever for a lock that another thread held then."""
        self._told = None

    def end(self) -> None:
        """Python ends. From glibc 2.41 on, its last `exit` waits for whoever is in there already: so for ever."""
        self.release()
        if self._entered:
            with suppress(AttributeError):  # an old one, which has no timers, and which nobody waits in
                _end_later(self._ctypes, self._library, self._code)


def _end_later(ctypes: Any, library: Any, code: int) -> None:
    """Have the library itself call `_exit` in a while: no thread of Python's goes on after its end."""

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


def hold(told: Callable[[], None], *, code: int) -> None:
    """From now on, whoever calls `exit` of the C library calls this first; where it returns, the process ends.

    Where it does not, and the process then cannot end by itself, it ends with this code.
    """
    if (guard := _guard()) is not None:
        guard.hold(told, code)


def release() -> None:
    """No longer."""
    if (guard := _guard()) is not None:
        guard.release()


def _let_go() -> None:
    """The last of all exit handlers, as it is registered first."""
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
"""The exit code of a run that did not complete, whatever code was asked for."""
_EXIT_OF_C = "the C library's exit()"
CALLED: ContextVar[Stage] = ContextVar("proctor_called", default="agent")
"""Whose code runs in this context; threads that somebody starts on their own are taken for the agent's."""
_MODULES = (os, sys.modules[os.name])
"""`posix`, or `nt`, from which `os` has them."""
_REAL: Mapping[str, Callable[..., NoReturn]] = {
    "_exit": exit_now, **{name: getattr(os, name) for name in ("execv", "execve") if hasattr(os, name)}
}  # fmt: skip
"""The other ways to put a program in the place of this one, such as `os.execlp`, call one of these."""
_listeners: list[tuple[int, int, Callable[[str], None]]] = []
_refusing: set[tuple[int, int]] = set()
"""The processes and threads in which they raise."""


class _Program(NamedTuple):
    """The program of ours that this process is."""

    process: int
    code: int
    told: Callable[[str], None] | None
    """Who hears what was called; None: the report is out, and it matters to nobody."""

    def end(self, done: str) -> None:
        """End with its code; a forked child is another process, and ends as it wants."""
        if self.process != os.getpid():
            return
        if self.told is not None:
            with suppress(Exception):
                self.told(done)
        exit_now(self.code)


_program: _Program | None = None
_changing = threading.Lock()
"""Held while a run begins or ends: one that begins must not lose what another that ends takes back."""


def _reset_in_child() -> None:
    global _changing
    _changing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


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
    """Return where this process is none of ours: the library then goes on to end it."""
    if any(owner == os.getpid() for owner, _, _ in _listeners):
        _stay(exit_now, _EXIT_OF_C, INCOMPLETE)
    if _program is not None:
        _program.end(_EXIT_OF_C)


def _stay(real: Callable[..., NoReturn], done: str, *given: Any) -> NoReturn:
    """Tell on whoever calls, and keep it here; where nothing is played, do what it wants."""
    process, thread = os.getpid(), threading.get_ident()
    if (process, thread) in _refusing:
        raise ExitRefused(done)
    listening = [(driver, told) for owner, driver, told in _listeners if owner == process]
    if not listening:
        if _program is not None:
            _program.end(done)
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
    """Somebody's module has called one of them; the words say which."""

    def __str__(self) -> str:
        return f"called {self.code}, which would have ended the process"


@contextmanager
def refuse_exits() -> Iterator[None]:
    """While it lasts, they raise ExitRefused in this thread."""
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


def begin_program(told: Callable[[str], None], *, code: int = INCOMPLETE) -> None:
    """This process is a program of ours: whoever calls one of them is told on, and ends it with this code."""
    global _program
    install()
    _program = _Program(os.getpid(), code, told)


def end_program(code: int) -> None:
    """Its report is out: whatever else is called, and whatever is left behind, it ends with this code."""
    global _program
    install()  # an agent may have put others there
    _program = _Program(os.getpid(), code, None)


def leave_program() -> None:
    """This process is a program of ours no longer."""
    global _program
    _program = None
    if not _listeners:
        release()
