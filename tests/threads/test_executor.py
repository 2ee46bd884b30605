"""The executor behind `asyncio.to_thread` on our loops: nobody waits for somebody else's call."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from proctor import evaluate
from proctor.threads import executor as executing
from proctor.threads import run_anywhere
from proctor.threads.executor import GrowingExecutor
from proctor.threads.pool import take_thread

_LONG = 60


def test_calls_that_hang_keep_no_other_and_no_name_lookup_waiting() -> None:
    hold = threading.Event()

    async def work() -> str:
        hung = [asyncio.ensure_future(asyncio.to_thread(hold.wait, _LONG)) for _ in range(200)]
        found = await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)
        assert found
        said = await asyncio.to_thread(lambda: "next")
        hold.set()
        await asyncio.gather(*hung)
        return said

    assert run_anywhere(work) == "next"


def test_threads_are_used_again_and_none_is_kept_but_those_that_wait_for_any_call() -> None:
    async def work() -> set[int | None]:
        return {await asyncio.to_thread(lambda: threading.current_thread().ident) for _ in range(50)}

    assert len(run_anywhere(work)) <= 25  # one that has just answered may not be back yet


def test_what_a_call_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        GrowingExecutor().submit(lambda: 1 / 0).result(_LONG)


def test_where_no_thread_can_be_started_the_call_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, hold = GrowingExecutor(), threading.Event()
    hung = [executor.submit(hold.wait, _LONG) for _ in range(executing._USUAL)]
    taken: list[int] = []

    def none_left() -> object:
        if not taken:  # that of whoever looks after them
            taken.append(1)
            return take_thread()
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(executing, "take_thread", none_left)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        executor.submit(int).result(_LONG)
    hold.set()
    for each in hung:
        each.result(_LONG)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        GrowingExecutor().submit(int)


def test_a_call_that_was_refused_is_not_made_later_and_keeps_no_later_one_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executor, hold = GrowingExecutor(), threading.Event()
    made: list[str] = []
    hung = [executor.submit(hold.wait, _LONG) for _ in range(executing._USUAL)]

    def none_left() -> object:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(executing, "take_thread", none_left)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            executor.submit(made.append, "refused")
    assert executor.submit(int).result(5) == 0
    hold.set()
    for each in hung:
        each.result(_LONG)
    assert made == []


def test_a_hung_call_fails_its_own_attempt_alone() -> None:
    hold = threading.Event()

    async def agent(question: str) -> str:
        if question.startswith("hang"):
            await asyncio.to_thread(hold.wait, _LONG)
        return await asyncio.to_thread(lambda: "Paris")

    rows = [(f"hang {n}" if n % 2 else f"say {n}", "Paris") for n in range(40)]
    found = evaluate(rows, agent=agent, reviewer="exact", timeout=0.5, concurrency=10)
    hold.set()
    outcomes = {attempt.outcome for attempt in found.attempts() if attempt.failure is None}
    assert outcomes == {"passed"}
    assert sum(attempt.outcome == "agent_failed" for attempt in found.attempts()) == 20
