"""Time limits on coroutines, also on those that do not heed them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest

from proctor import evaluate
from proctor.benchmark import Case
from proctor.running import deadline as waiting
from proctor.running.deadline import Late, within


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_GRACE", 0.001)


def ignoring(times: int) -> tuple[Callable[[], Coroutine[Any, Any, str]], list[int]]:
    """What never answers and swallows so many cancellations, and the list of them."""
    swallowed: list[int] = []

    async def stubborn() -> str:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed.append(1)
                if len(swallowed) > times:
                    raise

    return stubborn, swallowed


async def test_what_answers_in_time_is_not_late() -> None:
    async def quick() -> str:
        await asyncio.sleep(0)
        return "yes"

    assert await within(60, quick()) == "yes"
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_what_swallows_one_cancellation_is_cancelled_again() -> None:
    stubborn, swallowed = ignoring(1)
    with pytest.raises(Late):
        await within(0.001, stubborn())
    assert len(swallowed) == 2


async def test_what_swallows_every_cancellation_is_left_behind() -> None:
    stubborn, swallowed = ignoring(10**9)
    with pytest.raises(Late):
        await within(0.001, stubborn())
    heard = len(swallowed)
    assert heard == waiting._CANCELLATIONS
    await asyncio.sleep(0)
    assert len(swallowed) == heard, "it has ended"


async def test_time_to_clean_up_is_given() -> None:
    cleaned = asyncio.Event()

    async def careful() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()
        return "never"

    with pytest.raises(Late):
        await within(0.001, careful())
    assert cleaned.is_set()


async def test_a_timeout_of_its_own_is_its_own() -> None:
    async def inner() -> str:
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()
        return "never"

    with pytest.raises(TimeoutError) as caught:
        await within(60, inner())
    assert not isinstance(caught.value, Late)


async def test_a_caller_that_is_cancelled_while_the_time_runs_out_is_cancelled() -> None:
    entered = asyncio.Event()

    async def slow() -> str:
        try:
            entered.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)  # the time runs out meanwhile
        return "never"

    task = asyncio.create_task(within(0.005, slow()))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_an_inner_limit_does_not_end_the_outer_one() -> None:
    async def inner() -> str:
        try:
            await within(0.001, asyncio.Event().wait())
        except Late:
            await asyncio.sleep(0)
            return "in time"
        return "never"

    assert await within(60, inner()) == "in time"


def test_a_run_ends_beside_an_agent_that_never_does() -> None:
    async def agent(question: str) -> str:
        while question == "stuck?":
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        return "28"

    cases = [Case(id="stuck", question="stuck?", answer="28"), Case(id="fine", question="fine?", answer="28")]
    found = evaluate(cases, agent=agent, reviewer="exact", timeout=0.05)
    stuck, fine = sorted(found.attempts(), key=lambda attempt: attempt.key.exam, reverse=True)
    assert fine.passed
    assert stuck.failure is not None
    assert "did not answer within 0.05 s" in stuck.failure.reason
