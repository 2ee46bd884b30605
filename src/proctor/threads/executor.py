"""Default executor of internal event loops, used by `asyncio.to_thread` and name resolution.

Python's own has only a few threads: a few agents with hung or slow calls would delay the calls of all others. This one
starts threads up to its usual number right away, and more while calls are stalled. It has no threads of its own (they
come from the pool) and is never joined.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from proctor.threads.pool import end_a_forked_child, take_thread

T = TypeVar("T")
_USUAL = 64
"""Number of threads that are started without waiting."""
_STALLED = 0.05
"""Seconds after which a call that has not started shows that more threads are needed."""


class _Call(NamedTuple):
    came: float
    future: Future[Any]
    run: Callable[[], Any]


class GrowingExecutor(ThreadPoolExecutor):
    """A ThreadPoolExecutor, as event loops require, that uses threads of the pool instead of its own."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self.is_shut_down = False
        self._calls: deque[_Call] = deque()
        self._changing = threading.Lock()
        self._working = 0
        self._begun = 0
        self._watched = False

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function in a thread; raise RuntimeError if no thread can be started for it."""
        if self.is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        call = _Call(time.monotonic(), Future(), lambda: function(*args, **kwargs))
        with self._changing:
            grows = self._working < _USUAL
            watches = not grows and not self._watched
            self._calls.append(call)
            self._working += grows
            self._watched = self._watched or watches
        if grows or watches:
            self._start(self._work if grows else self._watch, call)
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more calls; do not wait for running ones."""
        self.is_shut_down = True
        super().shutdown(wait=False)

    def _start(self, job: Callable[[], None], call: _Call) -> None:
        """Where there is no thread for the job, take the call back, unless it has been begun."""
        try:
            take_thread().put(job)
        except RuntimeError:
            with self._changing:
                self._working -= job == self._work
                self._watched = self._watched and job != self._watch
                if call in self._calls:
                    self._calls.remove(call)
                    raise

    def _work(self) -> None:
        """Run calls until the queue is empty."""
        parent = os.getpid()
        while (call := self._next()) is not None:
            if call.future.set_running_or_notify_cancel():
                _run_call(call)
            end_a_forked_child(parent)

    def _next(self) -> _Call | None:
        with self._changing:
            if self._calls:
                self._begun += 1
                return self._calls.popleft()
            self._working -= 1
            return None

    def _watch(self) -> None:
        """Start further threads while queued calls are stalled."""
        begun = -1
        while True:
            time.sleep(_STALLED)
            with self._changing:
                if not self._calls:
                    self._watched = False
                    return
                more = self._missing()
                self._working += more
                is_stuck, begun = self._begun == begun, self._begun
            self._grow(more, is_stuck=is_stuck)

    def _missing(self) -> int:
        overdue = time.monotonic() - self._calls[0].came > _STALLED
        return min(len(self._calls), max(self._working, 1)) if overdue else 0

    def _grow(self, more: int, *, is_stuck: bool) -> None:
        for started in range(more):
            try:
                take_thread().put(self._work)
            except RuntimeError as error:  # no more threads can be started on this machine
                with self._changing:
                    self._working -= more - started
                    lost = list(self._calls) if is_stuck else []
                    self._calls = deque() if is_stuck else self._calls
                for call in lost:
                    if call.future.set_running_or_notify_cancel():
                        call.future.set_exception(error)
                return


def _run_call(call: _Call) -> None:
    try:
        call.future.set_result(call.run())
    except BaseException as error:
        call.future.set_exception(error)
