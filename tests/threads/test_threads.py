"""Blocking calls off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from proctor import threads


async def test_the_result_and_the_exception_come_back() -> None:
    assert await threads.call(lambda a, b: a + b, 1, 2) == 3
    with pytest.raises(ZeroDivisionError):
        await threads.call(lambda: 1 / 0)


async def test_stop_iteration_arrives_as_an_error_that_a_future_can_carry() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await threads.call(next, iter(()))


async def test_a_context_variable_is_seen_inside() -> None:
    variable = contextvars.ContextVar("variable", default="outside")
    variable.set("inside")
    assert await threads.call(variable.get) == "inside"


async def test_threads_are_used_again() -> None:
    names = {await threads.call(lambda: threading.current_thread().ident) for _ in range(20)}
    assert len(names) <= 6  # one that has just answered may not be back when the next call comes


async def test_giving_up_on_a_hung_call_leaves_the_others_going() -> None:
    hold = threading.Event()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await threads.call(hold.wait, 30)
    assert await threads.call(lambda: "next") == "next"
    hold.set()


def test_a_program_with_hung_calls_still_ends() -> None:
    code = (
        "import asyncio, time\n"
        "from proctor import threads\n"
        "async def main():\n"
        "    calls = [asyncio.ensure_future(threads.call(time.sleep, 600)) for _ in range(50)]\n"
        "    await asyncio.wait(calls, timeout=0.1)\n"
        "    for call in calls: call.cancel()\n"
        "asyncio.run(main())\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """Also in a job in the background, where Ctrl-C is ignored from the start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_an_interrupt_of_the_wait_stops_the_work_too() -> None:
    stopped = threading.Event()

    async def hang() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.set()

    with pytest.raises(KeyboardInterrupt):
        threads.run_anywhere(hang)
    assert stopped.wait(10)


async def test_a_blocking_caller_inside_a_running_loop_gets_the_result() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 3

    assert threads.run_anywhere(work) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_does_not_wait_for_threads_that_stayed_behind() -> None:
    code = (
        "import asyncio, os, signal\n"
        "from proctor import threads\n"
        "asyncio.run(threads.call(int))\n"
        "while not threads.pool._idle: pass\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(20)\n"
        "    os._exit(asyncio.run(threads.call(int, '7')))\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 7


def test_whatever_a_handler_raises_is_told_to_what_is_driven_and_raised_when_that_has_ended() -> None:
    """Of a program's own, such as one that exits on SIGTERM."""
    ended = threading.Event()

    def exits(*_: object) -> None:
        raise SystemExit(0)

    async def work() -> None:
        def play(stage: threads.Stage) -> None:
            signal.raise_signal(signal.SIGTERM)  # in this thread, while the main one waits
            assert stage.interrupted.wait(20)
            ended.set()
            raise threads.Interrupted

        await threads.on_stage(play)

    before = signal.signal(signal.SIGTERM, exits)
    try:
        with pytest.raises(SystemExit):
            threads.run_driven(work)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.is_set()
