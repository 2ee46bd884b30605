"""Rate limits that many calls share: so many requests and tokens a minute, and concurrency that heeds "too many".

Logic alone: the clock and the sleep are handed in, nothing here knows HTTP or a model. A throttle may be used from
several event loops: a sync agent runs in a thread, and what it calls there in a loop of its own keeps to them too.
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
    """A limit whose clock can be stopped, such as `asyncio.Timeout`."""

    def when(self) -> float | None:
        """When it ends, by the loop's clock; None: it does not."""

    def reschedule(self, when: float | None) -> None:
        """Have it end at another time, or not at all."""

    def expired(self) -> bool:
        """Whether it is over, and has cancelled the call."""


TIME_LIMIT: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)
"""The limit on the call under way, set by whoever times it: waiting for our own rate limits does not count."""


class Bucket:
    """So many a minute, evenly: a second's worth may come at once, a larger amount goes into debt."""

    def __init__(self, per_minute: float, *, now: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate)
        self._level = self._most
        self._seen = now

    def take(self, amount: float, *, now: float) -> float:
        """Take it, and say how many seconds to wait before using it."""
        self._level = min(self._most, self._level + max(0.0, now - self._seen) * self._rate)
        self._seen = max(self._seen, now)
        short = min(amount, self._most) - self._level
        self._level -= amount
        return max(0.0, short / self._rate)

    def give_back(self, amount: float) -> None:
        """Undo a take that was not used."""
        self._level = min(self._most, self._level + amount)


class Waiter:
    """One who waits in its own event loop, and can be woken from any thread."""

    __slots__ = ("_loop", "_woken", "gone", "let_in")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = self._loop.create_future()
        self.let_in = False
        self.gone = False

    def wake(self) -> bool:
        """Whether it will hear of it; its loop may be closed."""
        try:
            self._loop.call_soon_threadsafe(self._hear)
        except RuntimeError:
            return False
        return True

    async def until_woken(self, *, at_most: float | None = None) -> None:
        """Wait for it, or for so many seconds."""
        await asyncio.wait({self._woken}, timeout=at_most)

    def _hear(self) -> None:
        if not self._woken.done():
            self._woken.set_result(None)


class Throttle:
    """Lets calls in as the limits allow, first come, first served.

    Concurrency is halved when a server answers "too many", once for all calls that were under way then, and grows by
    one each time that as many calls as are allowed have succeeded. None: no limit, until a server asks for one.
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
        self._lock = threading.RLock()  # again in the same thread: the garbage collector may close a call at any point
        self._halved = -math.inf
        self._held_until = -math.inf
        _throttles.add(self)

    @property
    def concurrency(self) -> float:
        """How many calls may be under way just now."""
        return self._allowed if math.isinf(self._allowed) else math.floor(self._allowed)

    def slot(self, tokens: int = 0) -> AbstractAsyncContextManager[float]:
        """A place among the calls under way, for a call of about so many tokens; gives the time it was let in."""
        return _Slot(self, tokens)

    async def enter(self, tokens: int) -> float:
        """Take a place by hand: `leave` must follow. Gives the time."""
        await self._wait_for_place()
        try:
            await self._wait_for_turn(tokens)
        except BaseException:
            self._give_place_back()
            raise
        return self._clock()

    def leave(self) -> None:
        """Give the place back."""
        self._give_place_back()

    async def _wait_for_others(self) -> None:
        """Until those with whom a limit is shared have room for one more; here it is shared with nobody."""

    def _give_place_back(self) -> None:
        with self._lock:
            self._inside -= 1
            self._let_in()

    def report(self, status: int, *, retry_after: float | None = None, began: float | None = None) -> None:
        """Tell how a call went. `began`, as the slot gave it, tells old news from new."""
        with self._lock:
            if status in _SLOW_DOWN:
                self._slow_down(retry_after, began)
            elif status < 400 and self._allowed < self._most:
                self._allowed = min(self._most, self._allowed + 1 / self._allowed)
                self._let_in()

    def charge(self, tokens: int) -> None:
        """Count tokens that were not known when the slot was taken."""
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
        """Take a place; where there is none, who waits for one."""
        with self._lock:
            if not self._queue and self._inside < self.concurrency:
                self._inside += 1
                return None
            waiter = Waiter()
            self._queue.append(waiter)
            self._let_in()  # those before it may all have given up
            return waiter

    def _give_up(self, waiter: Waiter) -> None:
        with self._lock:
            waiter.gone = True
            if waiter.let_in:  # let in and called off at the same moment
                self._give_place_back()

    async def _until_let_in(self, waiter: Waiter) -> None:
        """Look again now and then: what is allowed may have grown without anybody leaving."""
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
        """Take what a call needs; when it may be used."""
        if self._requests is self._tokens is None:
            return -math.inf
        with self._lock:
            now = self._clock()
            waits = [bucket.take(amount, now=now) for bucket, amount in self._rates(tokens)]
        return max([now, *(now + seconds for seconds in waits)])

    def _rates(self, tokens: int) -> list[tuple[Bucket, int]]:
        return [(bucket, amount) for bucket, amount in ((self._requests, 1), (self._tokens, tokens)) if bucket]

    async def _wait_for_turn(self, tokens: int) -> None:
        """Until what the call takes is there, no server asked to be left alone, and others have room for it."""
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
        """A forked child is rid of the calls that its parent has under way: none of them will end in it."""
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
    """One place, while it is used. Written out, because it stands in the way of every call."""

    __slots__ = ("_throttle", "_tokens")

    def __init__(self, throttle: Throttle, tokens: int) -> None:
        self._throttle = throttle
        self._tokens = tokens

    async def __aenter__(self) -> float:
        return await self._throttle.enter(self._tokens)

    async def __aexit__(self, *_: object) -> None:
        self._throttle.leave()


async def wait_outside_time_limit(wait: Callable[[], Awaitable[None]]) -> None:
    """Wait while the time limit of the call, if it has one, stands still."""
    await asyncio.sleep(0)  # a timer that is only started for calls that wait is running after this
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
    """Whether a limit's timer runs in this loop: a thread inherits it, but its own loop would take the timer along."""
    task: asyncio.Task[object] | None = getattr(limit, "_task", None)
    return task is None or task.get_loop() is loop


def _reschedule(limit: TimeLimit, when: float | None) -> None:
    with suppress(RuntimeError):  # it has run out, or the call is over and a task that it left behind goes on
        limit.reschedule(when)
