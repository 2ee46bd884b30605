"""Blocking calls off the event loop, and event loops for callers that block.

Calls run in daemon threads, and so do loops of our own. `concurrent.futures` joins its threads at exit, so one hung
agent would hang the program; these are simply left behind, and a new thread takes the next call.
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
"""Seconds that what still goes on in a loop of ours gets to clean up when nobody needs the loop any more."""
_CLOSING = 5.0
"""Seconds that an agent may take to let go."""
_AGAIN = 0.001
"""Seconds before a loop that an agent has stopped goes on."""
_KEPT_LIMIT = 4
"""How many loops wait for the next run: agents keep connections, and those die with the loop that opened them."""


def _after_fork_in_child() -> None:
    global _lasting_lock
    _kept.clear()
    _lasting.clear()
    _lasting_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Interrupted(BaseException):
    """Whoever waits for a run does so no longer: Ctrl-C, or a cancelled task."""


class Stage:
    """The event loop on which a run is played, as seen from the thread that drives the run."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, host: asyncio.Task[Any] | None = None) -> None:
        self.loop = loop
        self.interrupted = threading.Event()
        """Set when whoever waits for the run does so no longer."""
        self._host = host

    @property
    def is_ending(self) -> bool:
        """Whether whoever waits for the run is being cancelled: then its other tasks are too, and not by an agent."""
        return self.interrupted.is_set() or (self._host is not None and self._host.cancelling() > 0)

    def soon(self, callback: Callable[..., object], *args: Any) -> bool:
        """Have it called on the loop; whether there still is one."""
        try:
            self.loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            return False
        return True

    def responds(self, *, within: float) -> bool:
        """Whether the loop still goes round; somebody may hold it for good."""
        heard = threading.Event()
        return self.soon(heard.set) and heard.wait(within)

    def close_all(self, parts: Iterable[object]) -> None:
        """Have each that has a `close` let go of its connections; what it says then changes no result."""
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
    """A loop of ours, in which one agent's blocking calls and name lookups keep no other's waiting."""
    loop.set_default_executor(GrowingExecutor())
    return loop


class _ServedLoop:
    """A loop in a thread of its own that keeps it going."""

    def __init__(self) -> None:
        self.loop, self._over = with_growing_executor(asyncio.new_event_loop()), threading.Event()
        self._thread = threading.Thread(
            target=_serve_loop, args=(self.loop, self._over), name="proctor-play", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """Close it; what holds it for good is left behind."""
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
    """A loop in a thread of its own, the one that the last run left where that is still sound.

    What still goes on in it at the end gets a moment, and is left behind with it then.
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
    """The one loop of ours that outlives every caller's: connections that anybody may use are kept there."""
    with _lasting_lock:
        if not _lasting:
            _lasting.append(_ServedLoop())
        return _lasting[0].loop


async def on_lasting_loop(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on that loop, in this context, and wait for it; cancelling the wait cancels the coroutine."""
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
    """Whether nothing that agents have begun goes on there."""
    if stage.responds(within=_FAREWELL):
        with suppress(Exception):
            return stage.run(_take_leave, timeout=2 * _FAREWELL)
    return False


def _serve_loop(loop: asyncio.AbstractEventLoop, over: threading.Event) -> None:
    """Keep the loop going: a task in which an agent exits, or an agent that stops the loop, must not end a run."""
    asyncio.set_event_loop(loop)
    while not over.is_set() and not loop.is_closed():
        with suppress(BaseException):
            loop.run_forever()
        over.wait(_AGAIN)
    with suppress(Exception):
        loop.close()


async def _take_leave() -> bool:
    """Cancel what agents have left behind; whether all of it ended, and the loop is as it was."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)  # nobody is left to whom it matters
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
    """Close what agents streamed from."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    await asyncio.wait_for(loop.shutdown_asyncgens(), _FAREWELL)


def run_anywhere(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, also where an event loop is already running, as in a notebook."""
    with own_stage() as stage, waiting_place() as here:
        return stage.run(make, at=here)


class _Driven(Generic[T]):
    """A blocking function in a thread of its own, and what came of it."""

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
        """What it returned; raises what it raised."""
        result, error = self._outcome[0]
        if error is not None:
            raise error
        return result  # type: ignore[return-value]


_STAGE: contextvars.ContextVar[Stage | None] = contextvars.ContextVar("proctor_stage", default=None)
"""The stage of whoever drives a workflow in this thread; None: an event loop runs here."""


def run_driven(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a workflow that waits for nothing but `on_stage`, in a thread, with a loop of its own to play on.

    A Ctrl-C here, or whatever else a signal's handler raises, is told by `Stage.interrupted`, and the workflow given
    the time to end; what has come to its end all the same is not lost. A second one ends the wait.
    """
    interruption: BaseException = KeyboardInterrupt()
    with own_stage() as stage, waiting_place() as here:
        driven = _Driven(partial(_finish, make), stage, here.end)
        try:
            here.wait()
        except BaseException as raised:  # such as the SystemExit of an agent's own handler
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
    """Run a blocking function that plays on an event loop: here in a driven workflow, else in a thread.

    In the latter case it is handed the loop that runs here, and to cancel the wait is a Ctrl-C.
    """
    driven_here = _STAGE.get()
    if driven_here is not None:
        _STAGE.set(None)  # what is played may start a run of its own
        return function(driven_here)
    loop = asyncio.get_running_loop()
    stage = Stage(loop, host=asyncio.current_task())
    ended: asyncio.Future[None] = loop.create_future()  # no task: an agent may cancel every task there is
    driven = _Driven(function, stage, lambda: stage.soon(ended.set_result, None))
    try:
        await asyncio.shield(ended)
    except asyncio.CancelledError:
        stage.interrupted.set()
        await _wait_until_done(ended)
        raise
    return driven.result()


async def _wait_until_done(future: asyncio.Future[Any]) -> None:
    """Wait for it, however often somebody tells us not to."""
    while not future.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({future})
