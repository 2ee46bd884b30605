"""Waiting for a coroutine, but not for ever. One that needs no waiting costs no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any, Generic, TypeVar

from proctor.net.limits import TIME_LIMIT

T = TypeVar("T")


class Late(TimeoutError):
    """The time given is over; a TimeoutError of the coroutine's own is not this one."""


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; raises Late when it takes longer, even if it swallows its cancellation and answers."""
    try:
        first = work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    try:
        async with asyncio.timeout(seconds) as limit:
            token = TIME_LIMIT.set(limit)
            try:
                answer = await _Begun(work, first)
            finally:
                TIME_LIMIT.reset(token)
    except TimeoutError:
        if limit.expired():
            raise Late from None
        raise
    if limit.expired():
        raise Late
    return answer


class _Begun(Generic[T]):
    """A coroutine that has run up to its first wait, to be awaited from there."""

    def __init__(self, work: Coroutine[Any, Any, T], first: Any) -> None:
        self._work = work
        self._waits_for = first

    def __await__(self) -> Generator[Any, Any, T]:
        work, waits_for = self._work, self._waits_for
        while True:
            try:
                sent = yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as thrown:
                step = partial(work.throw, thrown)
            else:
                step = partial(work.send, sent)
            try:
                waits_for = step()
            except StopIteration as done:
                result: T = done.value
                return result
