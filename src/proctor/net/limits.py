"""Rate limits shared by many calls: requests and tokens per minute, and adaptive concurrency.

Pure logic: clock and sleep are injected, and nothing here depends on HTTP or models. A throttle may be shared by
several event loops: a sync agent runs in a thread, and calls it makes there in a loop of its own are limited too.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from contextvars import ContextVar
from functools import partial
from typing import Protocol

_SLOW_DOWN = frozenset({429, 503})
_LONGEST_HOLD = 60.0
_LOOK_AGAIN = 1.0


class TimeLimit(Protocol):
    """A timeout that can be suspended, such as `asyncio.Timeout`."""

    def when(self) -> float | None:
        """Return the deadline by the loop's clock, or None."""

    def reschedule(self, when: float | None) -> None:
        """Change or remove the deadline."""

    def expired(self) -> bool:
        """Whether it is over, and has cancelled the call."""


TIME_LIMIT: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)
"""Timeout of the current call, set by its caller; it is suspended while waiting for our own rate limits."""


class Bucket:
    """Token bucket with a rate per minute; one second's worth is available at once, more goes into debt."""

    def __init__(self, per_minute: float, *, now: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate)
        self._level = self._most
        self._seen = now

    def take(self, amount: float, *, now: float) -> float:
        """Take an amount and return the seconds to wait before using it."""
        self._level = min(self._most, self._level + max(0.0, now - self._seen) * self._rate)
        self._seen = max(self._seen, now)
        short = min(amount, self._most) - self._level
        self._level -= amount
        return max(0.0, short / self._rate)

    def give_back(self, amount: float) -> None:
        """Return an amount that was not used."""
        self._level = min(self._most, self._level + amount)


class Waiter:
    """A waiter in its own event loop that can be woken from any thread."""

    __slots__ = ("_loop", "_woken", "gone", "let_in")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = self._loop.create_future()
        self.let_in = False
        self.gone = False

    def wake(self) -> bool:
        """Wake the waiter; return False if its loop is closed."""
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False
        return True

    async def until_woken(self, *, at_most: float | None = None) -> None:
        """Wait until woken, or for at most this many seconds."""
        await asyncio.wait({self._woken}, timeout=at_most)

    def _wake(self) -> None:
        if not self._woken.done():
            self._woken.set_result(None)


class Throttle:
    """Admits calls as the limits allow, first come, first served.

    Concurrency is halved when a server answers "too many requests", once for all calls in flight at that time, and
    grows by one whenever as many calls as are allowed have succeeded. With `concurrency` None there is no limit until a
    server asks for one.
    """

    def __init__(
        self,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrency: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        now = clock()
        self._requests = Bucket(requests_per_minute, now=now) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute, now=now) if tokens_per_minute else None
        self._most = float(concurrency) if concurrency else math.inf
        self._allowed = self._most
        self._inside = 0
        self._queue: deque[Waiter] = deque()
        self._lock = threading.RLock()  # reentrant: the garbage collector may close a call at any point
        self._halved = -math.inf
        self._held_until = -math.inf
        _throttles.add(self)

    @property
    def concurrency(self) -> float:
        """Number of calls that may currently be in flight."""
        return self._allowed if math.isinf(self._allowed) else math.floor(self._allowed)

    def slot(self, tokens: int = 0) -> AbstractAsyncContextManager[float]:
        """Context manager for a call that uses about this many tokens; yields the time of admission."""
        return _Slot(self, tokens)

    async def enter(self, tokens: int) -> float:
        """Wait for admission and return its time; `leave` must follow."""
        await self._wait_for_place()
        try:
            await self._wait_for_turn(tokens)
        except BaseException:
            self._give_place_back()
            raise
        return self._clock()

    def leave(self) -> None:
        """Release the slot."""
        self._give_place_back()

    async def _wait_for_others(self) -> None:
        """Wait until other users of a shared limit leave room; this class shares with nobody."""

    def _give_place_back(self) -> None:
        with self._lock:
            self._inside -= 1
            self._let_in()

    def report(self, status: int, *, retry_after: float | None = None, began: float | None = None) -> None:
        """Report the status of a call; `began`, its time of admission, keeps outdated refusals from counting twice."""
        with self._lock:
            if status in _SLOW_DOWN:
                self._slow_down(retry_after, began)
            elif status < 400 and self._allowed < self._most:
                self._allowed = min(self._most, self._allowed + 1 / self._allowed)
                self._let_in()

    def charge(self, tokens: int) -> None:
        """Charge tokens that were not known at admission."""
        if self._tokens is not None:
            with self._lock:
                self._tokens.take(tokens, now=self._clock())

    def _slow_down(self, retry_after: float | None, began: float | None) -> None:
        now = self._clock()
        self._held_until = max(self._held_until, now + min(retry_after or 0.0, _LONGEST_HOLD))
        if began is None or began > self._halved:
            self._allowed = max(1.0, min(self._allowed, self._inside) / 2)
            self._halved = now

    async def _wait_for_place(self) -> None:
        waiter = self._queue_up()
        if waiter is None:
            return
        try:
            await wait_outside_time_limit(partial(self._until_let_in, waiter))
        except BaseException:
            self._give_up(waiter)
            raise

    def _queue_up(self) -> Waiter | None:
        """Take a slot, or return a waiter if none is free."""
        with self._lock:
            if not self._queue and self._inside < self.concurrency:
                self._inside += 1
                return None
            waiter = Waiter()
            self._queue.append(waiter)
            self._let_in()  # earlier waiters may all have given up
            return waiter

    def _give_up(self, waiter: Waiter) -> None:
        with self._lock:
            waiter.gone = True
            if waiter.let_in:  # admitted and cancelled at the same moment
                self._give_place_back()

    async def _until_let_in(self, waiter: Waiter) -> None:
        """Wait for admission, checking regularly, since the limit may grow without any call leaving."""
        while not waiter.let_in:
            await waiter.until_woken(at_most=_LOOK_AGAIN)
            with self._lock:
                self._let_in()

    def _let_in(self) -> None:
        while self._queue and self._inside < self.concurrency:
            waiter = self._queue.popleft()
            if not waiter.gone and waiter.wake():
                self._inside += 1
                waiter.let_in = True

    def _take_rates(self, tokens: int) -> float:
        """Take what a call needs from the rate limits and return when it may start."""
        if self._requests is self._tokens is None:
            return -math.inf
        with self._lock:
            now = self._clock()
            waits = [bucket.take(amount, now=now) for bucket, amount in self._rates(tokens)]
        return max([now, *(now + seconds for seconds in waits)])

    def _rates(self, tokens: int) -> list[tuple[Bucket, int]]:
        return [(bucket, amount) for bucket, amount in ((self._requests, 1), (self._tokens, tokens)) if bucket]

    async def _wait_for_turn(self, tokens: int) -> None:
        """Wait until the rate limits allow the call, no server's hold is in force, and other users leave room."""
        ready = self._take_rates(tokens)
        try:
            while (seconds := max(ready, self._held_until) - self._clock()) > 0:
                await wait_outside_time_limit(partial(self._sleep, seconds))
            await self._wait_for_others()
        except BaseException:
            self._give_rates_back(tokens)
            raise

    def _give_rates_back(self, tokens: int) -> None:
        with self._lock:
            for bucket, amount in self._rates(tokens):
                bucket.give_back(amount)

    def _reset(self) -> None:
        """Forget the parent's calls in a forked child, where they will never end."""
        self._inside = 0
        self._queue.clear()
        self._lock = threading.RLock()


_throttles: weakref.WeakSet[Throttle] = weakref.WeakSet()


def _reset_in_child() -> None:
    for throttle in list(_throttles):
        throttle._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


class _Slot(AbstractAsyncContextManager[float]):
    """A slot in use; written as a class rather than a generator because every call passes through it."""

    __slots__ = ("_throttle", "_tokens")

    def __init__(self, throttle: Throttle, tokens: int) -> None:
        self._throttle = throttle
        self._tokens = tokens

    async def __aenter__(self) -> float:
        return await self._throttle.enter(self._tokens)

    async def __aexit__(self, *_: object) -> None:
        self._throttle.leave()


async def wait_outside_time_limit(wait: Callable[[], Awaitable[None]]) -> None:
    """Wait while the time limit of the call, if any, is suspended."""
    await asyncio.sleep(0)  # let a timer start that is created only for calls that wait
    limit, loop = TIME_LIMIT.get(), asyncio.get_running_loop()
    deadline = None if limit is None or not _set_in(limit, loop) else limit.when()
    if limit is None or deadline is None:
        await wait()
        return
    left = deadline - loop.time()
    _reschedule(limit, None)
    try:
        await wait()
    finally:
        _reschedule(limit, loop.time() + left)


def _set_in(limit: TimeLimit, loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the timeout belongs to this loop; a thread inherits it, but must not move its timer into its own loop."""
    task: asyncio.Task[object] | None = getattr(limit, "_task", None)
    return task is None or task.get_loop() is loop


def _reschedule(limit: TimeLimit, when: float | None) -> None:
    with suppress(RuntimeError):  # it has expired, or a task that outlived its call is still running
        limit.reschedule(when)
