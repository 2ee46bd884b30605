"""Rate limits that many calls share: so many requests and tokens a minute, and concurrency that heeds "too many".

Logic alone: the clock and the sleep are handed in, nothing here knows HTTP or a model.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from functools import partial

_SLOW_DOWN = frozenset({429, 503})
_LONGEST_HOLD = 60.0
_LOOK_AGAIN = 1.0

TIME_LIMIT: ContextVar[asyncio.Timeout | None] = ContextVar("time_limit", default=None)
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
        self._level = min(self._most, self._level + (now - self._seen) * self._rate)
        self._seen = now
        short = min(amount, self._most) - self._level
        self._level -= amount
        return max(0.0, short / self._rate)

    def give_back(self, amount: float) -> None:
        """Undo a take that was not used."""
        self._level = min(self._most, self._level + amount)


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
        self._queue: deque[asyncio.Future[None]] = deque()
        self._halved = -math.inf
        self._held_until = -math.inf

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
            await self._wait_for_rates(tokens)
        except BaseException:
            self.leave()
            raise
        return self._clock()

    def leave(self) -> None:
        """Give the place back."""
        self._inside -= 1
        self._let_in()

    def report(self, status: int, *, retry_after: float | None = None, began: float | None = None) -> None:
        """Tell how a call went. `began`, as the slot gave it, tells old news from new."""
        if status in _SLOW_DOWN:
            self._slow_down(retry_after, began)
        elif status < 400 and self._allowed < self._most:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
            self._let_in()

    def charge(self, tokens: int) -> None:
        """Count tokens that were not known when the slot was taken."""
        if self._tokens is not None:
            self._tokens.take(tokens, now=self._clock())

    def _slow_down(self, retry_after: float | None, began: float | None) -> None:
        now = self._clock()
        self._held_until = max(self._held_until, now + min(retry_after or 0.0, _LONGEST_HOLD))
        if began is None or began > self._halved:
            self._allowed = max(1.0, min(self._allowed, self._inside) / 2)
            self._halved = now

    async def _wait_for_place(self) -> None:
        if not self._queue and self._inside < self.concurrency:
            self._inside += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await uncounted(partial(self._until, turn))
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # let in and called off at the same moment
            turn.cancel()
            raise

    async def _until(self, turn: asyncio.Future[None]) -> None:
        """Look again now and then: what is allowed may have grown without anybody leaving."""
        while not turn.done():
            await asyncio.wait({turn}, timeout=_LOOK_AGAIN)
            self._let_in()

    def _let_in(self) -> None:
        while self._queue and self._inside < self.concurrency:
            turn = self._queue.popleft()
            if not turn.done():
                self._inside += 1
                turn.set_result(None)

    async def _wait_for_rates(self, tokens: int) -> None:
        """Until what the call takes is there and no server asked to be left alone."""
        if self._requests is self._tokens is None and self._held_until == -math.inf:
            return
        now = self._clock()
        taken = [(bucket, amount) for bucket, amount in ((self._requests, 1), (self._tokens, tokens)) if bucket]
        ready = max([now, *(now + bucket.take(amount, now=now) for bucket, amount in taken)])
        try:
            while (seconds := max(ready, self._held_until) - self._clock()) > 0:
                await uncounted(partial(self._sleep, seconds))
        except BaseException:
            for bucket, amount in taken:
                bucket.give_back(amount)
            raise


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


async def uncounted(wait: Callable[[], Awaitable[None]]) -> None:
    """Wait while the time limit of the call, if it has one, stands still."""
    await asyncio.sleep(0)  # a timer that is only started for calls that wait is running after this
    limit, loop = TIME_LIMIT.get(), asyncio.get_running_loop()
    deadline = None if limit is None else limit.when()
    if limit is None or deadline is None:
        await wait()
        return
    left = deadline - loop.time()
    limit.reschedule(None)
    try:
        await wait()
    finally:
        if not limit.expired():
            limit.reschedule(loop.time() + left)
