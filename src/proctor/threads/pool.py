"""Pool of daemon threads for blocking calls; a thread that hangs is abandoned."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_Job = Callable[[], None]
_idle: list[queue.SimpleQueue[_Job]] = []
_IDLE_LIMIT = 64
exit_now = os._exit
"""Real `os._exit` for forked children, even if `os._exit` is replaced later."""
_forked = False


def _after_fork_in_child() -> None:
    global _forked
    _forked = True
    _idle.clear()  # a fork copies the queues, but not the threads that serve them


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def end_a_forked_child(parent: int) -> None:
    """Exit if this process is a child that an agent forked and let return: the run belongs to its parent."""
    if _forked and os.getpid() != parent:
        exit_now(0)


def _serve(jobs: queue.SimpleQueue[_Job]) -> None:
    while True:
        jobs.get()()
        if len(_idle) >= _IDLE_LIMIT:
            return
        _idle.append(jobs)


def take_thread() -> queue.SimpleQueue[_Job]:
    """Return the job queue of an idle or new thread; raise RuntimeError if none can be started."""
    try:
        return _idle.pop()
    except IndexError:
        jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        threading.Thread(target=_serve, args=(jobs,), name="proctor-call", daemon=True).start()
        return jobs


async def call(function: Callable[..., T], *args: Any) -> T:
    """Run a blocking function in a thread and wait for it; cancelling the wait abandons the thread."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()
    parent = os.getpid()

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
            error = _wrap_error(caught)
        end_a_forked_child(parent)
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            return  # the loop is closed: nobody waits for this call any more

    take_thread().put(job)
    return await future


def call_briefly(function: Callable[[], T], *, seconds: float) -> T:
    """Return the result of foreign code; if it takes longer, raise TimeoutError and abandon the thread."""
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def job() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    take_thread().put(job)
    return future.result(seconds)


def _wrap_error(error: BaseException) -> BaseException:
    """Wrap an exception that a future cannot carry, or that would be mistaken for a real Ctrl-C."""
    kind = type(error)  # and not its `__class__`, which may be anything and even raise
    if issubclass(kind, StopIteration) or not issubclass(kind, (Exception, SystemExit)):
        carried = RuntimeError(f"the function raised {kind.__name__}")
        carried.__cause__ = error
        return carried
    return error
