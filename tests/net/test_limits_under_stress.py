"""Thousands of calls that come, go, are called off and are told "too many": nobody waits for ever, no place is lost.

Nobody looks again by himself here (`_LOOK_AGAIN`): that would let in whoever was forgotten.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from tests.net.clock import Clock

from proctor.net import limits
from proctor.net.limits import TIME_LIMIT, Throttle, wait_outside_time_limit

MOST = 4
PATIENCE = 20.0


@pytest.fixture
def nobody_looks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_LOOK_AGAIN", None)


class Crowd:
    """Calls that are under way or wait, counted from outside."""

    def __init__(self, throttle: Throttle, dice: random.Random) -> None:
        self.throttle = throttle
        self.dice = dice
        self.inside = 0
        self.served = 0
        self.calls: list[asyncio.Task[None]] = []
        self.leave: list[asyncio.Event] = []

    def come(self) -> None:
        self.calls.append(asyncio.create_task(self._call()))

    async def _call(self) -> None:
        done = asyncio.Event()
        async with self.throttle.slot(self.dice.randrange(200)) as began:
            self.inside += 1
            self.served += 1
            assert self.inside <= MOST
            self.leave.append(done)
            try:
                await done.wait()
                self.throttle.report(self.dice.choice((200, 200, 200, 429, 503, 500)), retry_after=0.5, began=began)
            finally:
                self.inside -= 1
                with suppress(ValueError):
                    self.leave.remove(done)

    def go(self) -> None:
        if self.leave:
            self.leave.pop(self.dice.randrange(len(self.leave))).set()

    def call_off(self) -> None:
        if self.calls:
            self.dice.choice(self.calls).cancel()

    async def all_are_served(self) -> None:
        """Let those that are in leave until nobody is left; whoever was forgotten would wait beyond patience."""
        async with asyncio.timeout(PATIENCE):
            while not all(call.done() for call in self.calls):
                self.go()
                await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "rates", [{}, {"requests_per_minute": 600, "tokens_per_minute": 60_000}], ids=["free", "rates"]
)
async def test_whatever_happens_no_place_is_lost_and_none_too_many_given(
    seed: int, rates: dict[str, float], nobody_looks_again: None
) -> None:
    dice, clock = random.Random(seed), Clock()
    throttle = Throttle(concurrency=MOST, clock=clock, sleep=clock.sleep, **rates)
    crowd = Crowd(throttle, dice)
    events: list[Callable[[], None]] = [crowd.come, crowd.come, crowd.go, crowd.go, crowd.call_off]
    for _ in range(600):
        dice.choice(events)()
        if dice.random() < 0.4:
            await asyncio.sleep(0)
    await crowd.all_are_served()
    ended = await asyncio.gather(*crowd.calls, return_exceptions=True)
    assert {type(one) for one in ended} <= {type(None), asyncio.CancelledError}
    assert sum(one is None for one in ended) <= crowd.served
    assert crowd.served > 50
    assert (throttle._inside, len(throttle._queue)) == (0, 0)
    throttle._allowed = throttle._most
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(throttle.enter(0) for _ in range(MOST)))


def in_a_loop_of_its_own(work: Callable[[], Awaitable[None]], faults: list[BaseException]) -> threading.Thread:
    async def timed() -> None:
        async with asyncio.timeout(PATIENCE):
            await work()

    def run() -> None:
        try:
            asyncio.run(timed())
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_calls_from_several_event_loops_share_the_places_and_wake_each_other(nobody_looks_again: None) -> None:
    throttle, faults = Throttle(concurrency=2), list[BaseException]()
    inside, most, counting = 0, 0, threading.Lock()

    async def call(pause: float) -> None:
        nonlocal inside, most
        async with throttle.slot():
            with counting:
                inside += 1
                most = max(most, inside)
            await asyncio.sleep(pause)
            with counting:
                inside -= 1

    async def calls() -> None:
        dice = random.Random(1)
        await asyncio.gather(*(call(dice.random() / 1000) for _ in range(100)))

    threads = [in_a_loop_of_its_own(calls, faults) for _ in range(4)]
    for thread in threads:
        thread.join(PATIENCE + 5)
    assert faults == []
    assert not any(thread.is_alive() for thread in threads)
    assert most <= 2
    assert (throttle._inside, len(throttle._queue)) == (0, 0)


async def test_whoever_waits_in_a_loop_that_has_ended_takes_no_place(nobody_looks_again: None) -> None:
    throttle = Throttle(concurrency=1)
    await throttle.enter(0)
    elsewhere = asyncio.new_event_loop()

    def wait_and_end() -> None:
        asyncio.set_event_loop(elsewhere)
        forgotten = elsewhere.create_task(throttle.enter(0))
        elsewhere.run_until_complete(asyncio.sleep(0.01))
        elsewhere.close()
        forgotten._log_destroy_pending = False  # type: ignore[attr-defined]

    await asyncio.to_thread(wait_and_end)
    waiting = asyncio.create_task(throttle.enter(0))
    await asyncio.sleep(0)
    throttle.leave()
    async with asyncio.timeout(PATIENCE):
        await waiting


async def test_a_task_that_outlives_the_limited_call_takes_its_place_and_leaves_none_behind(
    nobody_looks_again: None,
) -> None:
    throttle = Throttle(concurrency=1)
    await throttle.enter(0)
    async with asyncio.timeout(100) as limit:
        token = TIME_LIMIT.set(limit)
        outlives = asyncio.create_task(throttle.enter(0))
        await asyncio.sleep(0.01)
        TIME_LIMIT.reset(token)
    throttle.leave()
    await outlives
    throttle.leave()
    async with asyncio.timeout(PATIENCE):
        await throttle.enter(0)


async def test_a_wait_in_another_loop_leaves_the_time_limit_where_it_was() -> None:
    async def nothing() -> None: ...

    async with asyncio.timeout(100) as limit:
        token, before = TIME_LIMIT.set(limit), limit.when()
        await asyncio.to_thread(asyncio.run, wait_outside_time_limit(nothing))
        TIME_LIMIT.reset(token)
        assert limit.when() == before


async def test_those_who_gave_up_do_not_keep_a_newcomer_from_a_place_that_is_free(nobody_looks_again: None) -> None:
    throttle = Throttle(concurrency=1)
    await throttle.enter(0)
    gave_up = asyncio.create_task(throttle.enter(0))
    await asyncio.sleep(0)
    gave_up.cancel()
    await asyncio.sleep(0)
    throttle._most = throttle._allowed = 2.0  # as where another run has left its part
    async with asyncio.timeout(PATIENCE):
        await throttle.enter(0)


def test_time_that_goes_back_gives_nothing_twice() -> None:
    bucket = limits.Bucket(60, now=100.0)
    assert bucket.take(1, now=100.0) == 0.0
    assert bucket.take(1, now=50.0) == pytest.approx(1.0)
    assert bucket.take(1, now=100.0) == pytest.approx(2.0)


_FORKING = """
import asyncio, os
from proctor.net.limits import Throttle
throttle = Throttle(concurrency=1)
async def enter():
    async with asyncio.timeout(5):
        await throttle.enter(0)
asyncio.run(enter())
child = os.fork()
if child == 0:
    asyncio.run(enter())
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
def test_a_forked_child_does_not_wait_for_its_parents_calls() -> None:
    done = subprocess.run([sys.executable, "-c", _FORKING], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "7\n", done.stderr
