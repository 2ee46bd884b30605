"""What only the main thread can do is done there while it waits."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import pytest

from proctor import threads
from proctor.threads.main import waiting_place


def thread_and_loop() -> tuple[bool, bool]:
    """Whether this is the main thread, and whether an event loop runs in it."""
    return threading.current_thread() is threading.main_thread(), asyncio.events._get_running_loop() is not None


@pytest.mark.parametrize("door", [threads.run_driven, threads.run_anywhere])
def test_a_workflow_has_something_done_in_the_main_thread(
    door: Callable[[Callable[[], Coroutine[Any, Any, object]]], object],
) -> None:
    async def work() -> object:
        assert not thread_and_loop()[0]
        return threads.call_in_main(thread_and_loop)

    assert door(work) == (True, False)


def test_what_is_done_there_sees_the_callers_context_and_its_errors_come_back() -> None:
    variable = ContextVar("variable", default="outside")

    async def work() -> str:
        variable.set("inside")
        with pytest.raises(ZeroDivisionError):
            threads.call_in_main(lambda: 1 / 0)
        with pytest.raises(SystemExit):
            threads.call_in_main(lambda: sys.exit(3))
        return threads.call_in_main(variable.get)

    assert threads.run_driven(work) == "inside"


def test_ctrl_c_there_interrupts_the_workflow_too() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def work() -> None:
        threads.call_in_main(interrupt)

    with pytest.raises(KeyboardInterrupt):
        threads.run_driven(work)


def test_where_the_main_thread_does_not_wait_it_is_done_at_once() -> None:
    found: list[tuple[bool, bool]] = []
    worker = threading.Thread(target=lambda: found.append(threads.call_in_main(thread_and_loop)))
    worker.start()
    worker.join(10)
    assert found == [(False, False)]


def test_what_was_asked_for_just_before_the_end_is_done_still() -> None:
    found: list[int] = []
    with waiting_place() as here:
        here.end()
        assert here.take(lambda: found.append(1))
        here.wait()
    assert found == [1]
    assert not here.take(lambda: found.append(2))
    assert found == [1]
