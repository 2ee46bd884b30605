"""The C library's `exit` while a run is played: native code that calls it would end the process with its own code.

What is to happen then is registered with the library itself, and taken back when the run is over: after Python has
ended, there is nobody to call. Only glibc can take it back; elsewhere nothing is done.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

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
        atexit.register(self._end)
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

    def _end(self) -> None:
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
