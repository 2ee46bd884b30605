"""Attempts side by side: bounds, order, stopping, storms."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest
from tests.running.players import SaysRight, executed, fresh, played

from proctor.agents.function import adapt
from proctor.errors import Misconfigured
from proctor.run import Finished, Record, Settings
from proctor.running import calls
from proctor.running.schedule import STORM, LocalExecutor
from proctor.threads import Stage
from proctor.transcript import Request


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
