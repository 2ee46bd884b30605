"""Run blocking calls off the event loop, and provide event loops for blocking callers.

Calls and internal event loops run in daemon threads. `concurrent.futures` joins its threads at exit, so that one hung
agent would hang the program; these threads are simply abandoned, and a new one takes the next call.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Generic, TypeVar

from proctor.threads.executor import GrowingExecutor
from proctor.threads.main import WaitingPlace, call_in_main, waiting_place
from proctor.threads.pool import call, call_briefly, end_a_forked_child, exit_now, take_thread

__all__ = [
    "Interrupted", "Stage", "call", "call_briefly", "call_in_main", "end_a_forked_child", "exit_now", "lasting_loop",
    "on_lasting_loop", "on_stage", "own_stage", "run_anywhere", "run_driven", "with_growing_executor",
]  # fmt: skip
T = TypeVar("T")
_FAREWELL = 1.0
"""Seconds that pending tasks of an internal loop get to clean up when the loop is released."""
_CLOSING = 5.0
"""Seconds that an agent may take to close its connections."""
_AGAIN = 0.001
"""Seconds before a loop that was stopped by an agent is restarted."""
_KEPT_LIMIT = 4
"""Maximum number of idle loops kept for the next run: agents keep connections, which die with the loop that opened
them."""


def _after_fork_in_child() -> None:
    global _lasting_lock
    _kept.clear()
    _lasting.clear()
    _lasting_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Interrupted(BaseException):
    """Raised when the caller stops waiting for a run, because of Ctrl-C or a cancelled task."""


class Stage:
    """Handle on the event loop on which a run is played, for the thread that drives the run."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, host: asyncio.Task[Any] | None = None) -> None:
        self.loop = loop
        self.interrupted = threading.Event()
        """Set when the caller of the run has stopped waiting for it."""
        self._host = host

    @property
    def is_ending(self) -> bool:
        """Whether the caller's task is being cancelled: a cancellation of other tasks then does not come from an
        agent."""
        return self.interrupted.is_set() or (self._host is not None and self._host.cancelling() > 0)

    def soon(self, callback: Callable[..., object], *args: Any) -> bool:
        """Schedule a callback on the loop from another thread; return False if the loop is closed."""
        try:
            self.loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            return False
        return True

    def responds(self, *, within: float) -> bool:
        """Whether the loop runs a callback within so many seconds; an agent may block it indefinitely."""
        response = threading.Event()
        return self.soon(response.set) and response.wait(within)

    def close_all(self, parts: Iterable[object]) -> None:
        """Call `close` on each object that has it, ignoring errors."""
        closing = [close for part in parts if (close := getattr(part, "close", None)) is not None]
        if closing and self.responds(within=1.0):
            for close in closing:
                with suppress(Exception, asyncio.CancelledError):
                    self.run(close, timeout=_CLOSING)

    def run(
        self,
        make: Callable[[], Coroutine[Any, Any, T]],
        *,
        timeout: float | None = None,
        at: WaitingPlace | None = None,
    ) -> T:
        """Run a coroutine there to its end, waiting `at` a place if any; what interrupts that stops it too."""
        work = make()
        try:
            future = asyncio.run_coroutine_threadsafe(work, self.loop)
        except RuntimeError:
            work.close()
            raise
        try:
            if at is not None:
                future.add_done_callback(at.end)
                at.wait()
            return future.result(timeout)
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None
        except BaseException:
            future.cancel()
            raise


def with_growing_executor(loop: asyncio.AbstractEventLoop) -> asyncio.AbstractEventLoop:
    """Give the loop an executor in which one agent's blocking calls and name lookups cannot block another's."""
    loop.set_default_executor(GrowingExecutor())
    return loop


class _ServedLoop:
    """An event loop kept running in its own thread."""

    def __init__(self) -> None:
        self.loop, self._over = with_growing_executor(asyncio.new_event_loop()), threading.Event()
        self._thread = threading.Thread(
            target=_serve_loop, args=(self.loop, self._over), name="proctor-play", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """Stop and close the loop, or abandon it if it is blocked."""
        self._over.set()
        stage = Stage(self.loop)
        if stage.responds(within=_FAREWELL):
            with suppress(Exception):
                stage.run(_close_generators, timeout=2 * _FAREWELL)
            stage.soon(self.loop.stop)
            self._thread.join(_FAREWELL)


_kept: list[_ServedLoop] = []


@contextmanager
def own_stage() -> Iterator[Stage]:
    """Provide an event loop in its own thread, reusing the loop of an earlier run if it is still clean.

    Tasks still pending at the end get a moment to finish and are then abandoned.
    """
    served = _take_loop()
    stage = Stage(served.loop)
    try:
        yield stage
    finally:
        if _is_clean_after_leave(stage) and len(_kept) < _KEPT_LIMIT:
            _kept.append(served)
        else:
            served.end()


_lasting: list[_ServedLoop] = []
_lasting_lock = threading.Lock()


def lasting_loop() -> asyncio.AbstractEventLoop:
    """Return the shared loop that outlives every caller's, on which shared connections are kept."""
    with _lasting_lock:
        if not _lasting:
            _lasting.append(_ServedLoop())
        return _lasting[0].loop


async def on_lasting_loop(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on the shared loop, in the current context, and wait for it; cancelling the wait cancels it."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(make(), lasting_loop()))


def _take_loop() -> _ServedLoop:
    try:
        served = _kept.pop()
    except IndexError:
        return _ServedLoop()
    if Stage(served.loop).responds(within=_FAREWELL):
        return served
    return _ServedLoop()


def _is_clean_after_leave(stage: Stage) -> bool:
    """Cancel pending tasks on the loop; return whether it is clean and can be reused."""
    if stage.responds(within=_FAREWELL):
        with suppress(Exception):
            return stage.run(_take_leave, timeout=2 * _FAREWELL)
    return False


def _serve_loop(loop: asyncio.AbstractEventLoop, over: threading.Event) -> None:
    """Keep the loop running: a task that exits, or an agent that stops the loop, must not end a run."""
    asyncio.set_event_loop(loop)
    while not over.is_set() and not loop.is_closed():
        with suppress(BaseException):
            loop.run_forever()
        over.wait(_AGAIN)
    with suppress(Exception):
        loop.close()


async def _take_leave() -> bool:
    """Cancel all other tasks; return whether all of them ended and the loop's configuration is unchanged."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)  # nobody is left to handle these exceptions
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_FAREWELL)
    loop.set_exception_handler(None)
    executor = getattr(loop, "_default_executor", None)
    changed = loop.get_task_factory() is not None or loop.get_debug() or bool(getattr(loop, "_asyncgens", ()))
    changed = changed or not isinstance(executor, GrowingExecutor) or executor.is_shut_down
    return not changed and all(task.done() for task in others)


async def _close_generators() -> None:
    """Close async generators that agents left open."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    await asyncio.wait_for(loop.shutdown_asyncgens(), _FAREWELL)


def run_anywhere(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to completion, even where an event loop is already running, as in a notebook."""
    with own_stage() as stage, waiting_place() as here:
        return stage.run(make, at=here)


class _Driven(Generic[T]):
    """A blocking function running in its own thread, and its outcome."""

    def __init__(self, function: Callable[[Stage], T], stage: Stage, ended: Callable[[], object]) -> None:
        self._outcome: list[tuple[T | None, BaseException | None]] = []
        self._function, self._stage, self._ended = function, stage, ended
        self._context = contextvars.copy_context()
        take_thread().put(self._work)

    def _work(self) -> None:
        try:
            self._outcome.append((self._context.run(self._function, self._stage), None))
        except BaseException as error:
            self._outcome.append((None, error))
        self._ended()

    def result(self) -> T:
        """Return the function's result, or raise its exception."""
        result, error = self._outcome[0]
        if error is not None:
            raise error
        return result  # type: ignore[return-value]


_STAGE: contextvars.ContextVar[Stage | None] = contextvars.ContextVar("proctor_stage", default=None)
"""Stage of the workflow driven in this thread, or None in a thread with a running event loop."""


def run_driven(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a workflow that awaits nothing but `on_stage` in a thread, with an event loop for it to play on.

    Ctrl-C, or another exception raised by a signal handler, sets `Stage.interrupted` and gives the workflow time to
    end; a result that is completed nevertheless is returned. A second one ends the wait.
    """
    interruption: BaseException = KeyboardInterrupt()
    with own_stage() as stage, waiting_place() as here:
        driven = _Driven(partial(_finish, make), stage, here.end)
        try:
            here.wait()
        except BaseException as raised:  # such as SystemExit from an agent's signal handler
            interruption = raised
            stage.interrupted.set()
            here.wait()
        try:
            return driven.result()
        except Interrupted:
            raise interruption from None


def _finish(make: Callable[[], Coroutine[Any, Any, T]], stage: Stage) -> T:
    _STAGE.set(stage)
    work = make()
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("a driven workflow may wait for nothing but on_stage")


async def on_stage(function: Callable[[Stage], T]) -> T:
    """Run a blocking function that plays on an event loop: in this thread if a workflow is driven here, else in
    another.

    In the latter case it gets the running loop, and cancelling the wait counts as Ctrl-C.
    """
    driven_here = _STAGE.get()
    if driven_here is not None:
        _STAGE.set(None)  # the function may start another run
        return function(driven_here)
    loop = asyncio.get_running_loop()
    stage = Stage(loop, host=asyncio.current_task())
    ended: asyncio.Future[None] = loop.create_future()  # a future, not a task: an agent may cancel all tasks
    driven = _Driven(function, stage, lambda: stage.soon(ended.set_result, None))
    try:
        await asyncio.shield(ended)
    except asyncio.CancelledError:
        stage.interrupted.set()
        await _wait_until_done(ended)
        raise
    return driven.result()


async def _wait_until_done(future: asyncio.Future[Any]) -> None:
    """Wait for a future to complete, ignoring cancellation."""
    while not future.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({future})
