"""The main thread, while it waits for others: some modules can only be imported there.

A module may install a signal handler or run an event loop when it is imported. Neither is possible in other threads
or where a loop runs, so whoever imports code that is not ours asks for it with `call_in_main`.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK_UP = 0.2
"""Seconds after which a signal is heard that did not wake the main thread."""


class WaitingPlace:
    """Where a thread waits for the end of something, and does meanwhile what others ask it to."""

    def __init__(self) -> None:
        self._orders: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock, self._closed = threading.Lock(), False

    def end(self, *_: object) -> None:
        """Whoever waits need not do so any longer."""
        self._orders.put(None)

    def wait(self) -> None:
        """Wait for the end, and look up now and then: of a signal that came in another thread it hears only then."""
        while True:
            try:
                order = self._orders.get(timeout=_LOOK_UP)
            except queue.Empty:
                continue
            if order is None:
                return
            order()

    def take(self, order: Callable[[], None]) -> bool:
        """Have it done by whoever waits here; False: nobody does any more."""
        with self._lock:
            if not self._closed:
                self._orders.put(order)
            return not self._closed

    def close(self) -> None:
        """Nobody waits here from now on; what was asked for is done still."""
        with self._lock:
            self._closed = True
        while not self._orders.empty():
            if (order := self._orders.get()) is not None:
                order()


_open: list[WaitingPlace] = []
"""The waiting places of the main thread; at the last one it waits."""


@contextmanager
def waiting_place() -> Iterator[WaitingPlace]:
    """A place to wait at; in the main thread, others are served there."""
    made = WaitingPlace()
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        _open.append(made)
    try:
        yield made
    finally:
        if is_main:
            _open.remove(made)
        made.close()


def call_in_main(function: Callable[[], T]) -> T:
    """Call it in the main thread, in this context, where that has a waiting place; else here."""
    if threading.current_thread() is threading.main_thread():
        return function()
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    order = partial(_fulfil, future, partial(contextvars.copy_context().run, function))
    if not any(each.take(order) for each in _open[-1:]):
        return function()
    return future.result()


def _fulfil(future: concurrent.futures.Future[Any], function: Callable[[], Any]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:
        future.set_exception(error)
        if type(error) is KeyboardInterrupt:
            raise
