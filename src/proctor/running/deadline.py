"""Await a coroutine with a timeout, even if it ignores cancellation. A coroutine that never waits needs no timer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Generator
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from proctor.net.limits import TIME_LIMIT
from proctor.running.clock import CHARGED, LONG_STEP, LoopClock

T = TypeVar("T")
_GRACE = 1.0
"""Seconds for cleaning up after each cancellation."""
_CANCELLATIONS = 5
"""Number of cancellations that a coroutine may swallow before it is abandoned."""


class Late(TimeoutError):
    """The timeout has expired; distinct from a TimeoutError that the coroutine raises itself."""

    def __init__(self, *, blocked: float = 0.0) -> None:
        super().__init__()
        self.blocked = blocked
        """Seconds for which the coroutine itself blocked the event loop."""


class Escaped(Exception):
    """The coroutine raised a BaseException, kept as `__cause__`, which would stop the event loop if it propagated."""


async def within(seconds: float, work: Coroutine[Any, Any, T], clock: LoopClock | None = None) -> T:
    """Return the result of a coroutine; raises Late on timeout, even if it swallows its cancellation and returns.

    A coroutine that goes on regardless is cancelled again and finally abandoned, so that the run does not wait for it.
    With a clock, time for which others blocked the loop is not counted, and time for which it did so itself is.
    """
    began = time.monotonic()
    try:
        first = work.send(None)
    except StopIteration as done:
        if (took := time.monotonic() - began) > seconds:
            raise Late(blocked=took) from None
        result: T = done.value
        return result
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as error:
        raise Escaped from error
    limit = _Deadline(seconds, began=began, clock=clock)
    limit.count_step(time.monotonic() - began)
    token = TIME_LIMIT.set(limit)
    try:
        answer = await _Begun(work, first, limit)
    except asyncio.CancelledError:
        if limit.end():
            raise Late(blocked=limit.seconds_blocked()) from None
        raise
    finally:
        TIME_LIMIT.reset(token)
        limit.end()
    if limit.cancellations or (limit.seconds_blocked() and limit.seconds_elapsed() > seconds):
        raise Late(blocked=limit.seconds_blocked())
    return answer


class _Deadline:
    """Cancels the current task when the timeout expires, and again if the cancellation is ignored.

    `asyncio.timeout` cancels once, and then waits indefinitely.
    """

    __slots__ = (
        "_before", "_began", "_charged", "_charged_before", "_clock", "_ended", "_given_back", "_held_before",
        "_own", "_paused", "_seconds", "_task", "_timer", "cancellations",
    )  # fmt: skip

    def __init__(self, seconds: float, *, began: float, clock: LoopClock | None) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._before = task.cancelling()
        self._seconds = seconds
        self._began = began
        self._clock = clock
        self._charged = CHARGED.get() if clock is not None else None
        self._charged_before = self._charged.held if self._charged is not None else 0.0
        self._held_before = clock.held(began) if clock is not None else 0.0
        self._own = 0.0
        self._given_back = 0.0
        self._paused: float | None = None
        self._ended = False
        self._timer: asyncio.TimerHandle | None = task.get_loop().call_later(seconds, self._look)
        self.cancellations = 0

    @property
    def exhausted(self) -> bool:
        """Whether the task has been cancelled the maximum number of times."""
        return self.cancellations > _CANCELLATIONS

    def expired(self) -> bool:
        """Whether the time is over."""
        return self.cancellations > 0

    def count_step(self, took: float) -> None:
        """Record the duration of one step of the coroutine; a long step has blocked the loop."""
        if took > LONG_STEP:
            self._own += took

    def seconds_blocked(self) -> float:
        """Return the seconds for which the coroutine, or a task that it started, blocked the loop."""
        if self._clock is None or self._charged is None:
            return self._own
        self._clock.held(time.monotonic())  # also charge the time since the last beat
        return self._own + self._charged.held - self._charged_before

    def seconds_elapsed(self) -> float:
        """Return the seconds since the start, without pauses and time for which others blocked the loop."""
        now = time.monotonic()
        others = max(0.0, self._clock.held(now) - self._held_before - self.seconds_blocked()) if self._clock else 0.0
        waiting = now - self._paused if self._paused is not None else 0.0
        return now - self._began - self._given_back - waiting - others

    def when(self) -> float | None:
        """Return the deadline in the loop's time, or None if the timer is paused or has expired."""
        return None if self._timer is None or self.cancellations else self._timer.when()

    def reschedule(self, when: float | None) -> None:
        """Move the deadline, or pause the timer with None; has no effect after it has expired."""
        if self.cancellations or self._ended:
            return
        if self._timer is not None:
            self._timer.cancel()
        if when is None:
            self._paused, self._timer = time.monotonic(), None
            return
        if self._paused is not None:
            self._given_back += time.monotonic() - self._paused
            self._paused = None
        self._timer = self._task.get_loop().call_at(when, self._look)

    def end(self) -> bool:
        """Stop the timer; return whether the task was cancelled by this timeout alone."""
        if self._ended:
            return False
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        for _ in range(self.cancellations):
            self._task.uncancel()
        return self.cancellations > 0 and self._task.cancelling() <= self._before

    def _look(self) -> None:
        """Cancel the task if its time is up; otherwise extend the timer by the time that others blocked the loop."""
        left = self._seconds - self.seconds_elapsed() if self._clock is not None else 0.0
        if left > 0.001:
            self._timer = self._task.get_loop().call_later(left, self._look)
        else:
            self._cancel()

    def _cancel(self) -> None:
        self.cancellations += 1
        self._timer = self._task.get_loop().call_later(_GRACE, self._cancel)
        self._task.cancel()


class _Begun(Generic[T]):
    """A coroutine that has run up to its first wait and can be awaited from there."""

    __slots__ = ("_limit", "_waits_for", "_work")

    def __init__(self, work: Coroutine[Any, Any, T], first: Any, limit: _Deadline) -> None:
        self._work = work
        self._waits_for = first
        self._limit = limit

    def __await__(self) -> Generator[Any, Any, T]:
        work, waits_for, now = self._work, self._waits_for, time.monotonic
        while True:
            try:
                sent = yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as thrown:
                if self._limit.exhausted:
                    with suppress(RuntimeError):  # it ignores GeneratorExit as well
                        work.close()
                    raise
                step = partial(work.throw, thrown)
            else:
                step = partial(work.send, sent)
            began = now()
            try:
                waits_for = step()
            except StopIteration as done:
                self._limit.count_step(now() - began)
                result: T = done.value
                return result
            except (Exception, asyncio.CancelledError):
                raise
            except BaseException as error:
                raise Escaped from error
            self._limit.count_step(now() - began)
