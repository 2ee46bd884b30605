"""The C library's `exit` while a run is played: native code that calls it would end the process with its own code.

What is to happen then is registered with the library itself, and taken back when the run is over: after Python has
ended, there is nobody to call. Only glibc can take it back; elsewhere nothing is done.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any


class _Guard:
    """What glibc calls when somebody calls `exit`."""

    def __init__(self, ctypes: Any, library: Any) -> None:
        self._register, self._take_back = library["__cxa_atexit"], library["__cxa_finalize"]
        self._handle = ctypes.create_string_buffer(1)  # whose address tells ours from others'
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._called)
        self._told: Callable[[], None] | None = None
        atexit.register(self.release)
        os.register_at_fork(after_in_child=self.release)

    def hold(self, told: Callable[[], None]) -> None:
        if self._told is None:
            self._register(self._callback, None, self._handle)
        self._told = told

    def release(self) -> None:
        if self._told is not None:
            self._told = None  # what is taken back is called a last time
            self._take_back(self._handle)

    def _called(self, _: object) -> None:
        if self._told is not None:
            self._told()


def hold(told: Callable[[], None]) -> None:
    """From now on, whoever calls `exit` of the C library calls this first; where it returns, the process ends."""
    if (guard := _guard()) is not None:
        guard.hold(told)


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
