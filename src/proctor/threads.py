"""Blocking calls off the event loop, and coroutines for callers that block.

Calls run in daemon threads. `concurrent.futures` joins its threads at exit, so one hung agent would hang the
program; these are simply left behind, and a new thread takes the next call.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import queue
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_Job = Callable[[], None]
_idle: list[queue.SimpleQueue[_Job]] = []
_IDLE_LIMIT = 64

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a fork copies the queues, but not the threads that serve them


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
    """An exception in a form that a future can carry, and that nobody takes for a real Ctrl-C."""
    if isinstance(error, StopIteration) or not isinstance(error, (Exception, SystemExit)):
        carried = RuntimeError(f"the function raised {type(error).__name__}")
        carried.__cause__ = error
        return carried
    return error


def run_anywhere(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, also where an event loop is already running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    return _run_in_thread(make)


def _run_in_thread(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run it in a thread with a loop of its own; an interrupt of the wait stops it too."""
    results: list[T] = []
    faults: list[BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []
    abandoned = threading.Event()

    async def stoppable() -> T:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        if abandoned.is_set():
            raise asyncio.CancelledError
        return await make()

    def work() -> None:
        try:
            results.append(asyncio.run(stoppable()))
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), name="proctor-run", daemon=True)
    try:
        thread.start()
        thread.join()
    except BaseException:
        abandoned.set()
        for loop, task in running:
            if task is not None and not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)
        raise
    if faults:
        raise faults[0]
    return results[0]
