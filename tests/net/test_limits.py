"""Rate limits under a clock of their own: nobody sleeps."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.net.clock import Clock

from proctor.net import limits
from proctor.net.limits import TIME_LIMIT, Bucket, Throttle


def made(clock: Clock, **limits: float) -> Throttle:
    return Throttle(clock=clock, sleep=clock.sleep, **limits)  # type: ignore[arg-type]


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def admitted(throttle: Throttle, count: int, tokens: int = 0) -> list[float]:
    """When each of so many calls, one after the other, is let in."""
    times = []
    for _ in range(count):
        async with throttle.slot(tokens) as began:
            times.append(began)
    return times


async def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    assert await admitted(made(clock), 100, tokens=10**9) == [0.0] * 100


async def test_requests_are_spread_over_the_minute() -> None:
    times = await admitted(made(Clock(), requests_per_minute=30), 31)
    assert times[:3] == [0.0, 2.0, 4.0]
    assert times[-1] == pytest.approx(60.0)


async def test_tokens_are_spread_over_the_minute_and_a_large_call_is_paid_for_afterwards() -> None:
    times = await admitted(made(Clock(), tokens_per_minute=60_000), 3, tokens=5_000)
    assert times == pytest.approx([0.0, 5.0, 10.0])


async def test_tokens_that_are_only_known_afterwards_are_paid_for_too() -> None:
    throttle = made(Clock(), tokens_per_minute=60_000)
    throttle.charge(31_000)
    assert await admitted(throttle, 1, tokens=1_000) == pytest.approx([31.0])


@given(
    per_minute=st.floats(1, 6000),
    asks=st.lists(st.tuples(st.floats(0, 5), st.floats(0, 500)), min_size=1, max_size=50),
)
def test_a_bucket_never_gives_more_than_a_second_ahead_of_its_rate(
    per_minute: float, asks: list[tuple[float, float]]
) -> None:
    bucket, now, given_out, last = Bucket(per_minute, now=0.0), 0.0, 0.0, 0.0
    most = max(1.0, per_minute / 60)
    for pause, amount in asks:
        now += pause
        ready = now + bucket.take(amount, now=now)
        assert given_out + min(amount, most) <= most + ready * per_minute / 60 + 1e-6
        assert ready >= last - 1e-9, "first come, first served"
        given_out, last = given_out + amount, ready


async def hold(throttle: Throttle, release: asyncio.Event, order: list[int], number: int) -> None:
    async with throttle.slot():
        order.append(number)
        await release.wait()


async def test_no_more_are_let_in_than_allowed_and_in_the_order_they_came() -> None:
    throttle, release, order = made(Clock(), concurrency=2), asyncio.Event(), list[int]()
    tasks = [asyncio.create_task(hold(throttle, release, order, number)) for number in range(5)]
    await settle()
    assert order == [0, 1]
    release.set()
    await asyncio.gather(*tasks)
    assert order == [0, 1, 2, 3, 4]


async def test_whoever_gives_up_waiting_holds_nobody_up() -> None:
    throttle, release, order = made(Clock(), concurrency=1), asyncio.Event(), list[int]()
    tasks = [asyncio.create_task(hold(throttle, release, order, number)) for number in range(4)]
    await settle()
    tasks[1].cancel()
    tasks[2].cancel()
    release.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 3]
    assert await admitted(throttle, 2) == [0.0, 0.0]


async def test_a_place_given_and_called_off_at_the_same_moment_is_not_lost() -> None:
    throttle, release, order = made(Clock(), concurrency=1), asyncio.Event(), list[int]()
    first, second = (asyncio.create_task(hold(throttle, release, order, number)) for number in range(2))
    await settle()
    release.set()
    first.add_done_callback(lambda _: second.cancel())
    await asyncio.gather(first, second, return_exceptions=True)
    async with asyncio.timeout(5):
        assert await admitted(throttle, 1) == [0.0]


async def test_a_rate_that_was_not_used_is_given_back() -> None:
    never = asyncio.Event()

    async def sleep(_: float) -> None:
        await never.wait()

    throttle = Throttle(requests_per_minute=60, clock=lambda: 0.0, sleep=sleep)
    assert await admitted(throttle, 1) == [0.0]
    waiting = [asyncio.create_task(admitted(throttle, 1)) for _ in range(50)]
    await settle()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    bucket = throttle._requests
    assert bucket is not None
    assert bucket.take(1, now=0.0) == pytest.approx(1.0)


async def test_too_many_halves_the_concurrency_once_for_all_that_were_under_way() -> None:
    clock = Clock()
    throttle, release, order = made(clock), asyncio.Event(), list[int]()
    tasks = [asyncio.create_task(hold(throttle, release, order, number)) for number in range(100)]
    await settle()
    assert throttle.concurrency == math.inf
    clock.now = 1.0
    for _ in tasks:
        throttle.report(429, began=0.0)
    assert throttle.concurrency == 50
    clock.now = 2.0
    throttle.report(429, began=1.5)
    assert throttle.concurrency == 25
    release.set()
    await asyncio.gather(*tasks)


async def test_it_grows_again_by_one_for_each_round_of_successes_and_never_past_its_limit() -> None:
    throttle, release, order = made(Clock(), concurrency=8), asyncio.Event(), list[int]()
    tasks = [asyncio.create_task(hold(throttle, release, order, number)) for number in range(8)]
    await settle()
    throttle.report(429)
    assert throttle.concurrency == 4
    for _ in range(5):
        throttle.report(200)
    assert throttle.concurrency == 5
    for _ in range(200):
        throttle.report(200)
    assert throttle.concurrency == 8
    release.set()
    await asyncio.gather(*tasks)


async def test_it_never_falls_below_one() -> None:
    throttle = made(Clock(), concurrency=4)
    for _ in range(20):
        throttle.report(429)
    assert throttle.concurrency == 1


async def test_what_is_neither_success_nor_too_many_changes_nothing() -> None:
    throttle = made(Clock(), concurrency=4)
    throttle.report(429)
    before = throttle.concurrency
    for _ in range(50):
        throttle.report(500)
    assert throttle.concurrency == before


async def test_a_server_that_asks_to_be_left_alone_is_left_alone_but_not_for_ever() -> None:
    clock = Clock()
    throttle = made(clock)
    throttle.report(429, retry_after=7.0)
    assert await admitted(throttle, 2) == [7.0, 7.0]
    throttle.report(503, retry_after=10_000.0)
    assert await admitted(throttle, 1) == [67.0]


async def timed(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """What an engine does that times its calls."""
    async with asyncio.timeout(seconds) as limit:
        token = TIME_LIMIT.set(limit)
        try:
            await work()
        finally:
            TIME_LIMIT.reset(token)


async def test_waiting_for_a_place_does_not_count_against_the_time_of_the_call() -> None:
    throttle, release, order = made(Clock(), concurrency=1), asyncio.Event(), list[int]()
    first = asyncio.create_task(hold(throttle, release, order, 0))
    await settle()
    second = asyncio.create_task(timed(0.05, lambda: hold(throttle, release, order, 1)))
    asyncio.get_running_loop().call_later(0.2, release.set)
    await asyncio.gather(first, second)
    assert order == [0, 1]


async def test_the_time_of_the_call_itself_still_counts() -> None:
    throttle, release, order = made(Clock(), concurrency=1), asyncio.Event(), list[int]()
    first = asyncio.create_task(hold(throttle, release, order, 0))
    await settle()
    second = asyncio.create_task(timed(0.05, lambda: hold(throttle, asyncio.Event(), order, 1)))
    release.set()
    await first
    with pytest.raises(TimeoutError):
        await second


async def test_whoever_waits_is_let_in_when_more_is_allowed_though_nobody_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "_LOOK_AGAIN", 0.01)
    throttle = Throttle(concurrency=1)
    await throttle.enter(0)
    waiting = asyncio.create_task(throttle.enter(0))
    await asyncio.sleep(0)
    throttle._most = throttle._allowed = 2.0  # as where another run has left its part
    async with asyncio.timeout(5):
        await waiting
