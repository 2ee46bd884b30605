"""A provider that is down for a while: the run stops, waits for `resume`, and loses nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor.running import calls

Options = dict[str, Any]
CASES = [(f"q {number}", "yes") for number in range(60)]


class Busy(Exception):
    """As a client raises it."""

    status_code = 503


class Provider:
    """Answers so many calls, and then no more until the storm is over."""

    def __init__(self, *, calm: int) -> None:
        self.calm = calm
        self.over = False
        self.calls = 0
        self.answered: Counter[tuple[str | None, int]] = Counter()

    async def __call__(self, request: proctor.Request) -> str:
        self.calls += 1
        blown = self.calls > self.calm and not self.over
        await asyncio.sleep(0)
        if blown:
            raise Busy("over capacity")
        self.answered[request.case, request.trial] += 1
        return "yes"


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.0001)
    return {"store": tmp_path / "store.db"}


@pytest.mark.parametrize("calm", [0, 1, 50, 100, 119])
@pytest.mark.parametrize("concurrency", [1, 10])
async def test_after_the_storm_every_attempt_is_there_exactly_once(
    options: Options, calm: int, concurrency: int
) -> None:
    agent = Provider(calm=calm)
    settings: Options = {"trials": 2, "concurrency": concurrency, "retries": 1, "reviewer": "exact", **options}
    first = await proctor.aevaluate(CASES, agent=agent, **settings)
    assert first.run.status in ("paused", "failed")
    assert first.findings.counts.scored == calm
    agent.over = True
    resumed = await proctor.aresume(first.run.id, agent=agent, **options)
    assert resumed.run.status == "completed"
    attempts = list(resumed.attempts())
    assert len({(attempt.key.exam, attempt.key.trial) for attempt in attempts}) == len(attempts) == 120
    assert all(attempt.passed for attempt in attempts)
    assert set(agent.answered.values()) == {1}
    assert len(agent.answered) == 120


async def test_the_run_stops_after_twenty_failures_in_a_row_and_says_so(options: Options) -> None:
    agent = Provider(calm=10)
    evaluation = await proctor.aevaluate(CASES, agent=agent, reviewer="exact", concurrency=5, retries=0, **options)
    assert evaluation.run.status == "paused"
    assert evaluation.run.reason == "20 environment failures in a row, the last: HTTP 503: Busy: over capacity"
    counts = evaluation.findings.counts
    assert counts.scored == 10
    assert 20 <= counts.failed_by_environment < 25
    assert counts.planned == counts.scored + counts.failed + counts.pending
    assert agent.calls <= 10 + 25


async def test_one_success_in_twenty_keeps_the_run_going(options: Options) -> None:
    asked = 0

    async def agent(question: str) -> str:
        nonlocal asked
        asked += 1
        if asked % 20:
            raise Busy("over capacity")
        return "yes"

    evaluation = await proctor.aevaluate(CASES, agent=agent, reviewer="exact", concurrency=1, retries=0, **options)
    assert evaluation.run.status == "failed"
    assert (evaluation.findings.counts.scored, evaluation.findings.counts.failed_by_environment) == (3, 57)
    assert evaluation.findings.counts.pending == 0


async def test_the_agents_own_failures_are_no_storm(options: Options) -> None:
    async def agent(question: str) -> str:
        raise ValueError("it broke")

    evaluation = await proctor.aevaluate(CASES, agent=agent, reviewer="exact", **options)
    assert evaluation.run.status == "completed"
    assert evaluation.findings.counts.failed_by_agent == 60


async def test_a_judge_in_a_storm_stops_the_run_and_no_reply_is_asked_for_twice(options: Options) -> None:
    asked: Counter[str] = Counter()
    away = [True]

    async def agent(question: str) -> str:
        asked[question] += 1
        return "yes"

    async def judge(reply: str) -> float:
        await asyncio.sleep(0)
        if away:
            raise Busy("over capacity")
        return 1.0

    first = await proctor.aevaluate(CASES, agent=agent, reviewer=judge, concurrency=4, retries=0, **options)
    assert (first.run.status, first.findings.counts.scored) == ("paused", 0)
    assert 20 <= sum(asked.values()) <= 24
    away.clear()
    resumed = await proctor.aresume(first.run.id, agent=agent, reviewer=judge, **options)
    assert resumed.findings.counts.scored == 60
    assert Counter(asked.values()) == {1: 60}
