"""Blocking calls off the event loop, in daemon threads that a hung call cannot hold the process by.

`concurrent.futures` joins its threads at exit, so one hung agent would hang the program; these are
simply left behind, and a new thread takes the next call.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_Job = Callable[[], None]
_idle: list[queue.SimpleQueue[_Job]] = []
_IDLE_LIMIT = 64


def _serve(jobs: queue.SimpleQueue[_Job]) -> None:
    while True:
        jobs.get()()
        if len(_idle) >= _IDLE_LIMIT:
            return
        _idle.append(jobs)


def _thread() -> queue.SimpleQueue[_Job]:
    try:
        return _idle.pop()
    except IndexError:
        jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        threading.Thread(target=_serve, args=(jobs,), name="proctor-call", daemon=True).start()
        return jobs


async def call(function: Callable[..., T], *args: Any) -> T:
    """Run a blocking function in a thread and wait for it; cancelling the wait leaves the thread behind."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def job() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = context.run(function, *args)
        except BaseException as caught:
            error = _carried(caught)
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            return  # the loop has closed: nobody waits for this call any more

    _thread().put(job)
    return await future


def _carried(error: BaseException) -> BaseException:
    """An exception in a form that a future can carry: StopIteration cannot be raised into one."""
    if isinstance(error, StopIteration):
        carried = RuntimeError("the function raised StopIteration")
        carried.__cause__ = error
        return carried
    return error
