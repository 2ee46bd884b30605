"""Waiting for a coroutine, but not for ever. One that needs no waiting costs no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from proctor.net.limits import TIME_LIMIT

T = TypeVar("T")
_GRACE = 1.0
"""Seconds to clean up in after each cancellation."""
_CANCELLATIONS = 5
"""That a coroutine may swallow before it is left behind."""


class Late(TimeoutError):
    """The time given is over; a TimeoutError of the coroutine's own is not this one."""


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; raises Late when it takes longer, even if it swallows its cancellation and answers.

    One that goes on all the same is cancelled again, and dropped in the end: the run must not wait for it.
    """
    try:
        first = work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    limit = _Deadline(seconds)
    token = TIME_LIMIT.set(limit)
    try:
        answer = await _Begun(work, first, limit)
    except asyncio.CancelledError:
        if limit.end():
            raise Late from None
        raise
    finally:
        TIME_LIMIT.reset(token)
        limit.end()
    if limit.cancellations:
        raise Late
    return answer


class _Deadline:
    """Cancels the task that it was made in when the time is over, and again while that is not heeded.

    `asyncio.timeout` does it once, and then waits for ever.
    """

    __slots__ = ("_before", "_ended", "_task", "_timer", "cancellations")

    def __init__(self, seconds: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._before = task.cancelling()
        self._ended = False
        self._timer: asyncio.TimerHandle | None = task.get_loop().call_later(seconds, self._cancel)
        self.cancellations = 0

    @property
    def exhausted(self) -> bool:
        """Whether it has been cancelled often enough."""
        return self.cancellations > _CANCELLATIONS

    def when(self) -> float | None:
        """The end, by the loop's clock; None: the time stands still, or is over."""
        return None if self._timer is None or self.cancellations else self._timer.when()

    def reschedule(self, when: float | None) -> None:
        """Move the end, or have the time stand still; too late once it is over."""
        if self.cancellations or self._ended:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if when is None else self._task.get_loop().call_at(when, self._cancel)

    def end(self) -> bool:
        """Stop the clock; whether the task was cancelled by this limit alone."""
        if self._ended:
            return False
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        for _ in range(self.cancellations):
            self._task.uncancel()
        return self.cancellations > 0 and self._task.cancelling() <= self._before

    def _cancel(self) -> None:
        self.cancellations += 1
        self._timer = self._task.get_loop().call_later(_GRACE, self._cancel)
        self._task.cancel()


class _Begun(Generic[T]):
    """A coroutine that has run up to its first wait, to be awaited from there."""

    __slots__ = ("_limit", "_waits_for", "_work")

    def __init__(self, work: Coroutine[Any, Any, T], first: Any, limit: _Deadline) -> None:
        self._work = work
        self._waits_for = first
        self._limit = limit

    def __await__(self) -> Generator[Any, Any, T]:
        work, waits_for = self._work, self._waits_for
        while True:
            try:
                sent = yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as thrown:
                if self._limit.exhausted:
                    with suppress(RuntimeError):  # it ignores that as well
                        work.close()
                    raise
                step = partial(work.throw, thrown)
            else:
                step = partial(work.send, sent)
            try:
                waits_for = step()
            except StopIteration as done:
                result: T = done.value
                return result
