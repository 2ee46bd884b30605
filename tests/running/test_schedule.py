"""Attempts side by side: bounds, order, stopping, storms."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from tests.running.players import Reviews, SaysRight, executed, fresh, played

import proctor
from proctor.agents.function import adapt
from proctor.benchmark import Case
from proctor.errors import Misconfigured
from proctor.run import Finished, Record, Settings
from proctor.running import calls
from proctor.running.schedule import STORM, LocalExecutor
from proctor.score import Part, Review
from proctor.threads import Stage
from proctor.transcript import Request, Turn


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.001)


def making(agent: object, **settings: int) -> Callable[[Stage], LocalExecutor]:
    examined, wanted = adapt(agent, name="agent"), Settings(**settings)  # type: ignore[arg-type]
    return lambda stage: LocalExecutor(agent=examined, reviewers=(SaysRight(),), settings=wanted, stage=stage)


async def test_every_attempt_is_finished_exactly_once() -> None:
    attempts, _, _ = await played(lambda question: "yes", fresh(50, settings=Settings(trials=3)))
    keys = [attempt.key for attempt in attempts]
    assert len(keys) == len(set(keys)) == 150


async def test_no_more_calls_than_the_concurrency_are_under_way() -> None:
    now = most = 0

    async def agent(question: str) -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return "yes"

    await played(agent, fresh(40), concurrency=7)
    assert most == 7


async def test_the_trial_number_reaches_the_agent() -> None:
    seen: list[tuple[str, int]] = []

    def agent(request: Request) -> str:
        seen.append((request.question, request.trial))
        return "yes"

    await played(agent, fresh(2, settings=Settings(trials=3)))
    assert sorted(seen) == [(f"q{case}", trial) for case in (1, 2) for trial in (1, 2, 3)]


async def test_five_hundred_hung_agents_end_as_failures() -> None:
    hold = threading.Event()
    attempts, _, _ = await played(lambda question: hold.wait(60), fresh(500), concurrency=500, timeout=0.2)
    hold.set()
    assert len(attempts) == 500
    assert {attempt.failure.owner for attempt in attempts if attempt.failure} == {"agent"}


async def test_stopping_yields_what_was_answered_and_drops_calls_in_flight() -> None:
    first_done = threading.Event()

    async def agent(question: str) -> str:
        if question == "q1":
            return "yes"
        first_done.set()
        await asyncio.Event().wait()
        return "never"

    def stop(executor: LocalExecutor, batch: Sequence[Record]) -> None:
        assert first_done.wait(20)
        executor.stop()

    records, executor = await executed(making(agent, concurrency=2), fresh(5), heard=stop)
    assert [record.attempt.key.exam for record in records if isinstance(record, Finished)] == ["c1"]
    assert executor.halt == "stopped"


async def test_twenty_environment_failures_in_a_row_stop_the_run() -> None:
    def down(question: str) -> str:
        raise ConnectionRefusedError("nobody is home")

    attempts, _, executor = await played(down, fresh(200), retries=0, concurrency=1)
    assert executor.halt == "storm"
    assert len(attempts) == STORM
    assert "nobody is home" in executor.reason


async def test_one_success_in_between_ends_the_storm() -> None:
    def shaky(question: str) -> str:
        if int(question[1:]) % STORM == 0:
            return "yes"
        raise ConnectionRefusedError("shaky")

    attempts, _, executor = await played(shaky, fresh(100), retries=0, concurrency=1)
    assert executor.halt is None
    assert len(attempts) == 100


async def test_a_wrong_key_stops_the_run_at_once_and_blames_nobody() -> None:
    def wrong_key(question: str) -> str:
        raise Misconfigured("HTTP 401: bad key")

    attempts, _, executor = await played(wrong_key, fresh(50), concurrency=4)
    assert executor.halt == "misconfigured"
    assert executor.reason == "HTTP 401: bad key"
    assert attempts == []


async def test_an_exception_with_a_401_status_is_a_misconfiguration() -> None:
    class Unauthorised(Exception):
        status_code = 401

    def agent(question: str) -> str:
        raise Unauthorised("bad key")

    _, _, executor = await played(agent, fresh(3))
    assert executor.halt == "misconfigured"


async def test_state_is_not_shared_between_conversations_of_a_class() -> None:
    class Remembers:
        def __init__(self) -> None:
            self.heard: list[str] = []

        async def reply(self, question: str) -> str:
            self.heard.append(question)
            await asyncio.sleep(0)
            return " ".join(self.heard)

    attempts, _, _ = await played(Remembers, fresh(20))
    texts = {attempt.transcript.turns[0].reply.text for attempt in attempts if attempt.transcript.turns[0].reply}
    assert texts == {f"q{number}" for number in range(1, 21)}


async def test_an_agent_that_cancels_its_task_fails_alone_and_the_rest_is_played() -> None:
    async def agent(question: str) -> str:
        if question in ("q3", "q5"):
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        await asyncio.sleep(0)
        return "yes"

    attempts, _, executor = await played(agent, fresh(40), concurrency=2)
    failed = {attempt.key.exam: attempt.failure for attempt in attempts if attempt.failure is not None}
    assert len(attempts) == 40
    assert executor.halt is None
    assert {exam: (failure.owner, failure.kind) for exam, failure in failed.items()} == {
        "c3": ("agent", "cancelled"),
        "c5": ("agent", "cancelled"),
    }


def test_an_agent_that_cancels_every_task_there_is_harms_no_other_attempt() -> None:
    async def agent(question: str) -> str:
        if question == "q 3":
            for task in asyncio.all_tasks():
                task.cancel()
        await asyncio.sleep(0.001)
        return "yes"

    cases = [(f"q {number}", "yes") for number in range(30)]
    found = proctor.evaluate(cases, agent=agent, reviewer="exact", concurrency=5)
    counts = found.findings.counts
    assert found.run.status == "completed"
    assert (counts.scored, counts.failed_by_agent) == (29, 1)


async def test_a_reviewer_that_cancels_its_task_is_asked_again() -> None:
    asked: Counter[str] = Counter()

    async def review(case: Case | None, turns: Sequence[Turn]) -> Review:
        assert case is not None
        asked[case.id] += 1
        if asked[case.id] == 1:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
        return Review(parts=(Part(name="correctness", value=1.0),))

    attempts, _, _ = await played(lambda question: "yes", fresh(3), reviewer=Reviews(review))
    assert all(attempt.passed for attempt in attempts)
    assert set(asked.values()) == {2}


async def test_a_reviewer_that_always_cancels_its_task_ends_as_failures_and_not_for_ever() -> None:
    async def review(case: Case | None, turns: Sequence[Turn]) -> Review:
        raise asyncio.CancelledError

    attempts, _, executor = await played(lambda question: "yes", fresh(3), reviewer=Reviews(review))
    assert executor.halt is None
    assert [attempt.failure is not None for attempt in attempts] == [True] * 3


@pytest.mark.parametrize("error", [GeneratorExit, KeyboardInterrupt, SystemExit, BaseException, asyncio.CancelledError])
def test_whatever_an_agent_raises_is_its_own_failure(error: type[BaseException]) -> None:
    async def agent(question: str) -> str:
        if question == "q 3":
            raise error
        return "yes"

    cases = [(f"q {number}", "yes") for number in range(8)]
    counts = proctor.evaluate(cases, agent=agent, reviewer="exact").findings.counts
    assert (counts.scored, counts.failed_by_agent, counts.pending) == (7, 1, 0)


def test_a_task_of_the_agents_own_that_exits_does_not_end_the_loop() -> None:
    async def agent(question: str) -> str:
        async def leave() -> None:
            raise SystemExit(0)

        if question == "q 3":
            await asyncio.create_task(leave())
        if question == "q 4":
            asyncio.get_running_loop().stop()
        return "yes"

    cases = [(f"q {number}", "yes") for number in range(8)]
    counts = proctor.evaluate(cases, agent=agent, reviewer="exact").findings.counts
    assert (counts.scored, counts.failed_by_agent) == (7, 1)
