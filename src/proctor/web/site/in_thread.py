"""Compute slow values in background threads and cache them: callers wait briefly and ask again later."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from proctor.errors import UsageError

T = TypeVar("T")
_SHOWN_FOR = 10.0
"""Seconds for which a failure is returned again before a retry: a page is notified, then reloads itself to show it."""


class TooBusy(UsageError):
    """Raised when too many computations are running or queued."""


@dataclass(slots=True)
class _Making(Generic[T]):
    future: Future[T] = field(default_factory=Future)
    told: float | None = None
    """Time at which the failure was first returned."""


class InThread(Generic[T]):
    """Cache of values computed in threads by key; a running computation is neither repeated nor evicted."""

    def __init__(
        self, name: str, *, kept: int, most: int, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create a cache of up to `kept` values; at most `most` computations are pending, `at_once` of them running."""
        self._name = name
        self._kept = kept
        self._most = most
        self._room = threading.Semaphore(at_once)
        self._clock = clock
        self._known: OrderedDict[Hashable, _Making[T]] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, key: Hashable, make: Callable[[], T], patience: float | None = None) -> T | None:
        """Return the value, or None if not ready within `patience`. Raise the computation's error, or TooBusy."""
        making = self._find(key, make)
        if not wait([making.future], patience).done:
            return None
        if making.future.exception() is not None and making.told is None:
            making.told = self._clock()
        return making.future.result()

    def _find(self, key: Hashable, make: Callable[[], T]) -> _Making[T]:
        with self._lock:
            known = self._known.get(key)
            if known is None or self._was_shown(known):
                known = self._begin(make)
                self._known[key] = known
            self._known.move_to_end(key)
            self._forget_the_oldest()
            return known

    def _was_shown(self, making: _Making[T]) -> bool:
        """Whether it failed and the failure has been shown long enough to try again."""
        return making.told is not None and self._clock() - making.told > _SHOWN_FOR

    def _begin(self, make: Callable[[], T]) -> _Making[T]:
        if sum(not each.future.done() for each in self._known.values()) >= self._most:
            raise TooBusy(f"{self._most} others are being read or wait for it; try again in a moment")
        making = _Making[T]()

        def work() -> None:
            try:
                with self._room:
                    making.future.set_result(make())
            except BaseException as error:
                making.future.set_exception(error)

        # a daemon thread does not prevent the server from exiting
        threading.Thread(target=work, name=f"proctor-{self._name}", daemon=True).start()
        return making

    def _forget_the_oldest(self) -> None:
        done = [key for key, each in self._known.items() if each.future.done()]
        for key in done[: max(0, len(self._known) - self._kept)]:
            del self._known[key]
