"""proctor.resume: going on with live objects, and counters that are never stale."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Case
from proctor.errors import NoSuchRun, StoreError, UsageError
from proctor.run import Finished
from proctor.storage import open_store
from proctor.workflows.tally import RunTally

CASES = [(f"q {number}", "yes") for number in range(6)]
Options = dict[str, Any]


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return {"store": tmp_path / "store.db"}


class Sometimes:
    """An agent whose network is down for some questions until it is up."""

    def __init__(self, down: set[str]) -> None:
        self.down = down
        self.asked: Counter[str] = Counter()

    def __call__(self, question: str) -> str:
        self.asked[question] += 1
        if question in self.down:
            raise ConnectionError("the network is down")
        return "yes"


async def test_live_objects_are_handed_in_again(options: Options) -> None:
    agent = Sometimes({"q 1", "q 4"})
    run = (await proctor.aevaluate(CASES, agent=agent, reviewer="exact", retries=0, **options)).run
    assert (run.status, run.agent) == ("failed", "object:Sometimes")
    with pytest.raises(UsageError, match=r"resume it there with proctor.resume\('.*', agent=…\)"):
        await proctor.aresume(run.id, **options)
    agent.down.clear()
    resumed = await proctor.aresume(run.id, agent=agent, **options)
    assert resumed.run.status == "completed"
    assert resumed.findings.counts.scored == 6
    assert Counter(agent.asked.values()) == {1: 4, 2: 2}


async def test_a_live_reviewer_is_handed_in_again_and_only_reviews(options: Options) -> None:
    agent = Sometimes(set())
    away = [True]

    def judge(reply: str) -> float:
        if away:
            raise ConnectionError("the judge is away")
        return 1.0

    run = (await proctor.aevaluate(CASES, agent=agent, reviewer=judge, retries=0, **options)).run
    with pytest.raises(UsageError, match="reviewer=…"):
        await proctor.aresume(run.id, agent=agent, **options)
    away.clear()
    resumed = await proctor.aresume(run.id, agent=agent, reviewer=judge, **options)
    assert resumed.findings.counts.scored == 6
    assert Counter(agent.asked.values()) == {1: 6}


async def test_the_counters_after_a_resume_are_those_of_the_whole_run(options: Options) -> None:
    agent = Sometimes({"q 1", "q 4"})
    run = (await proctor.aevaluate(CASES, agent=agent, reviewer="exact", trials=2, retries=0, **options)).run
    agent.down.clear()
    seen: list[tuple[int, int, float | None]] = []

    def watch(tally: RunTally) -> None:
        seen.append((tally.done, tally.failed, tally.pass_rate()))

    resumed = await proctor.aresume(run.id, agent=agent, watch=watch, **options)
    assert seen[-1] == (12, 0, 1.0)
    assert resumed.findings.troubles == ()
    assert resumed.findings.pass_rate.attempts == 12
    fresh = (await proctor.aevaluate(CASES, agent=Sometimes(set()), reviewer="exact", trials=2, **options)).findings
    assert resumed.findings.counts == fresh.counts
    assert resumed.findings.pass_hat_k == fresh.pass_hat_k
    assert resumed.run.seconds > run.seconds


async def test_an_agents_own_failure_is_not_tried_again(options: Options) -> None:
    asked: list[str] = []

    def agent(question: str) -> str:
        asked.append(question)
        if question == "q 1":
            raise ValueError("it broke")
        if question == "q 2" and len(asked) < 10:
            raise ConnectionError("the network is down")
        return "yes"

    run = (await proctor.aevaluate(CASES, agent=agent, reviewer="exact", retries=0, **options)).run
    asked += ["-"] * 10
    resumed = await proctor.aresume(run.id, agent=agent, **options)
    assert resumed.run.status == "completed"
    assert resumed.findings.counts.failed_by_agent == 1
    assert asked[16:] == ["q 2"]


async def test_a_completed_run_comes_back_as_it_is_without_its_objects(options: Options) -> None:
    first = await proctor.aevaluate(CASES, agent=Sometimes(set()), reviewer="exact", **options)
    again = await proctor.aresume(first.run.id, **options)
    assert again.findings == first.findings
    assert len(list(again.attempts())) == 6


async def test_a_cancelled_evaluation_is_paused_with_all_that_was_answered(options: Options) -> None:
    answered = asyncio.Event()
    asked: Counter[str] = Counter()

    async def agent(question: str) -> str:
        asked[question] += 1
        if sum(asked.values()) > 4:
            answered.set()
            await asyncio.Event().wait()
        return "yes"

    evaluating = asyncio.create_task(
        proctor.aevaluate(CASES, agent=agent, reviewer="exact", concurrency=1, name="mine", **options)
    )
    await answered.wait()
    evaluating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await evaluating

    async def well(question: str) -> str:
        asked[question] += 1
        return "yes"

    resumed = await proctor.aresume("mine", agent=well, **options)
    assert resumed.findings.counts.scored == 6
    assert Counter(asked.values()) == {1: 5, 2: 1}


async def test_the_time_before_a_kill_counts_and_that_until_the_resume_does_not(options: Options) -> None:
    agent = Sometimes({"q 1", "q 4"})
    run = (await proctor.aevaluate(CASES, agent=agent, reviewer="exact", retries=0, **options)).run
    assert run.ended is not None
    with open_store(options["store"], create=False) as opened:
        opened.journal.mark(run.id, "running")  # taken up 100 s later, and killed a minute after
        for number, attempt in enumerate(opened.archive.full_attempts(run.id)):
            if attempt.failure is not None:
                began = run.ended + 100 + 10 * number
                opened.journal.write([Finished(attempt=replace(attempt, started=began, ended=began + 30))])
    agent.down.clear()
    resumed = (await proctor.aresume(run.id, agent=agent, **options)).run
    assert resumed.status == "completed"
    assert 60 <= resumed.seconds < 100


async def test_an_unscored_reply_stays_unscored_when_the_run_goes_on(options: Options) -> None:
    agent = Sometimes({"q 1"})

    def judge(case: Case) -> float | None:
        return None if case.question == "q 2" else 1.0

    run = (await proctor.aevaluate(CASES, agent=agent, reviewer=judge, retries=0, **options)).run
    agent.down.clear()
    resumed = await proctor.aresume(run.id, agent=agent, reviewer=judge, **options)
    assert resumed.run.status == "completed"
    assert (resumed.findings.counts.unscored, resumed.findings.counts.scored) == (1, 5)
    assert agent.asked["q 2"] == 1


async def test_an_unknown_run_and_a_missing_store_are_said(options: Options) -> None:
    with pytest.raises(StoreError, match="there are no results"):
        await proctor.aresume("last", **options)
    await proctor.aevaluate(CASES, agent=Sometimes(set()), reviewer="exact", **options)
    with pytest.raises(NoSuchRun, match="'nobody'"):
        await proctor.aresume("nobody", **options)


def test_a_script_resumes_without_an_event_loop(options: Options) -> None:
    agent = Sometimes({"q 3"})
    run = proctor.evaluate(CASES, agent=agent, reviewer="exact", retries=0, **options).run
    agent.down.clear()
    assert proctor.resume(run.id, agent=agent, **options).run.status == "completed"
