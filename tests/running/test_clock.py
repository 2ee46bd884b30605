"""Whose time it is when somebody holds up the event loop."""

from __future__ import annotations

import asyncio
from time import sleep as block
from typing import Any

from tests.running.players import fresh, played

from proctor.agents.function import adapt
from proctor.run import Attempt, Settings
from proctor.running import schedule
from proctor.running.clock import LoopClock
from proctor.running.schedule import LocalExecutor
from proctor.threads import Stage


async def outcomes(agent: Any, count: int = 8) -> dict[str, Attempt]:
    attempts, _, _ = await played(agent, fresh(count), timeout=0.4, concurrency=count)
    return {attempt.key.exam: attempt for attempt in attempts}


async def test_who_blocks_the_loop_is_late_and_those_who_waited_behind_it_are_not() -> None:
    async def agent(question: str) -> str:
        if question == "q3":
            block(1.0)
        else:
            await asyncio.sleep(0.2)
        return "yes"

    found = await outcomes(agent)
    assert [exam for exam, attempt in found.items() if attempt.passed is not True] == ["c3"]
    failure = found["c3"].failure
    assert failure is not None
    assert (failure.owner, failure.kind) == ("agent", "blocked")
    assert "held the event loop for 1.0 s" in failure.reason


async def test_a_task_that_the_agent_started_blocks_in_its_name() -> None:
    async def agent(question: str) -> str:
        async def inner() -> None:
            block(1.0)

        if question == "q3":
            await asyncio.create_task(inner())
        else:
            await asyncio.sleep(0.2)
        return "yes"

    found = await outcomes(agent)
    assert [exam for exam, attempt in found.items() if attempt.passed is not True] == ["c3"]


async def test_several_that_hold_it_up_a_little_are_charged_their_own_time_alone() -> None:
    async def agent(question: str) -> str:
        for _ in range(3):
            block(0.06)
            await asyncio.sleep(0)
        return "yes"

    async def in_a_task(question: str) -> str:
        return await asyncio.create_task(agent(question))

    for each in (agent, in_a_task):
        assert all(attempt.passed for attempt in (await outcomes(each)).values())


def test_who_gives_it_on_to_another_who_blocks_too_ends_no_run() -> None:
    async def agent(question: str) -> str:
        await asyncio.sleep(0.05)
        block(0.3)
        return "yes"

    given_up: list[str] = []

    async def play() -> None:
        clock = LoopClock(patience=0.6, give_up=given_up.append)
        clock.start(asyncio.get_running_loop())
        await asyncio.gather(*(agent("") for _ in range(5)))
        clock.stop()

    asyncio.run(play())
    assert given_up == []


async def test_waiting_and_blocking_together_are_over_the_limit() -> None:
    async def agent(question: str) -> str:
        await asyncio.sleep(0.3)
        block(0.3)
        return "yes"

    found = await outcomes(agent, 1)
    failure = found["c1"].failure
    assert failure is not None
    assert failure.kind == "timeout"


async def test_an_agent_that_blocks_for_less_than_its_limit_passes() -> None:
    async def agent(question: str) -> str:
        block(0.1)
        return "yes"

    assert all(attempt.passed for attempt in (await outcomes(agent, 2)).values())


def test_a_loop_that_is_never_given_back_ends_the_run_and_names_who_holds_it(monkeypatch: Any) -> None:
    from proctor import threads

    monkeypatch.setattr(schedule, "_SHORTEST_PATIENCE", 0.5)
    let_go = False

    async def agent(question: str) -> str:
        while question == "q2" and not let_go:
            pass
        return "yes"

    def make(stage: Stage) -> LocalExecutor:
        return LocalExecutor(
            agent=adapt(agent, name="agent"), reviewers=(), settings=Settings(timeout=0.1, concurrency=1), stage=stage
        )

    def drive(stage: Stage) -> LocalExecutor:
        executor = make(stage)
        for _ in executor.execute(fresh(3)):
            pass
        nonlocal let_go
        let_go = True
        return executor

    executor = threads.run_driven(lambda: threads.on_stage(drive))
    assert executor.halt == "blocked"
    assert "case c2" in executor.reason
    assert "(agent)" in executor.reason, "the function that runs is named"
