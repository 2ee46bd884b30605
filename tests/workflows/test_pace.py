"""Slow agents: their time-outs are played again on request, with another time limit, and it shows."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.models.paid import provider
from tests.net.serving import serving

import proctor
from proctor import Reply, Request, Review, Usage
from proctor.config import Config, RunConfig
from proctor.errors import UsageError
from proctor.findings.comparison.comparability import unlike
from proctor.reports.run.text import next_command
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.pace import pace_of
from proctor.workflows.resume import reopen_timeouts

CASES = [(f"q {number}", "yes") for number in range(8)]
LATE = 0.05
PAID = Usage(input_tokens=10, output_tokens=1, calls=1, cost=1.0)


class Slow:
    """Answers no odd question before `open` is set."""

    def __init__(self) -> None:
        self.open = False
        self.asked: list[str] = []
        self.inside = self.most = 0

    async def __call__(self, request: Request) -> Reply:
        self.asked.append(request.question)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await asyncio.sleep(0)
            if int(request.question.split()[1]) % 2 and not self.open:
                await asyncio.Event().wait()
        finally:
            self.inside -= 1
        return Reply(text="yes", usage=PAID)


def played(store: Path, agent: object, **settings: Any) -> Evaluation:
    return proctor.evaluate(CASES, agent=agent, reviewer="exact", store=store, timeout=LATE, **settings)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def test_time_outs_of_a_completed_run_are_played_again_on_request_alone(store: Path) -> None:
    agent = Slow()
    first = played(store, agent)
    assert (first.run.status, first.findings.pass_rate.value) == ("completed", 0.5)
    assert {attempt.failure.kind for attempt in first.attempts() if attempt.failure} == {"timeout"}
    agent.open = True
    same = proctor.resume(first.run.id, agent=agent, store=store)
    assert (len(agent.asked), same.findings.pass_rate.value) == (8, 0.5)
    again = proctor.resume(first.run.id, agent=agent, store=store, retry_timeouts=True, timeout=30)
    assert sorted(agent.asked[8:]) == ["q 1", "q 3", "q 5", "q 7"]
    assert (again.run.status, again.findings.pass_rate.value, again.findings.counts.failed) == ("completed", 1.0, 0)


def test_what_was_played_again_and_with_what_is_stored_and_told(store: Path) -> None:
    agent = Slow()
    first = played(store, agent)
    agent.open = True
    again = proctor.resume(first.run.id, agent=agent, store=store, retry_timeouts=True, timeout=30)
    told = {attempt.transcript.turns[0].question: attempt.changed for attempt in again.attempts()}
    assert told["q 0"] == {}
    assert told["q 1"] == {"retried_timeouts": 1.0, "timeout": 30.0}
    assert (again.run.settings.timeout, again.run.settings.retried_timeouts) == (LATE, 1)
    found = again.findings.circumstances
    assert found.retried_timeouts == 4
    assert [(each.setting, each.value, each.own, each.attempts) for each in found.changed] == [("timeout", 30, LATE, 4)]
    said = "4 attempts were played with a time limit of 30 s; the run began with 0.05 s."
    assert said in again.findings.notes
    assert any("4 attempts had timed out and were run again" in note for note in again.findings.notes)
    assert [one.what for one in unlike(first.run, again.run)] == ["time-outs run again"]


def test_what_a_lost_try_had_cost_stays_paid(store: Path) -> None:
    class Dear(Slow):
        async def __call__(self, request: Request) -> Reply:
            if request.turn == 1:
                return Reply(text="yes", usage=PAID)
            return await super().__call__(request)

    agent = Dear()
    settings: dict[str, Any] = {"type": "abm-static", "max_turns": 2, "timeout": LATE}
    cases = [("q 0", "yes"), ("q 1", "yes")]
    first = proctor.evaluate(cases, agent=agent, store=store, **settings)
    assert first.findings.usage.cost == 1.0
    agent.open = True
    again = proctor.resume(first.run.id, agent=agent, store=store, retry_timeouts=True)
    [attempt] = again.attempts()
    assert [turn.reply is not None for turn in attempt.transcript.turns] == [True, True]
    assert (attempt.lost.cost, attempt.usage.cost) == (1.0, 3.0)


def test_a_run_that_was_interrupted_while_time_outs_were_played_again_goes_on_with_them(store: Path) -> None:
    agent = Slow()
    first = played(store, agent)
    with open_store(store) as opened, opened.journal.writing(first.run.id):
        reopen_timeouts(opened, first.run.id)
    agent.open = True
    again = proctor.resume(first.run.id, agent=agent, store=store)
    assert (again.run.status, again.findings.pass_rate.value) == ("completed", 1.0)
    assert again.findings.circumstances.retried_timeouts == 4


def test_time_outs_of_a_rescored_run_are_those_of_the_run_it_came_from(store: Path) -> None:
    first = played(store, Slow())
    rescored = proctor.rescore(first.run.id, passing_score=0.5, store=store)
    with pytest.raises(UsageError, match=f"only judges the replies of run {first.run.id}"):
        proctor.resume(rescored.run.id, store=store, retry_timeouts=True)


def test_an_option_comes_before_the_configuration_and_that_before_what_is_stored() -> None:
    settings = proctor.Settings(timeout=60, concurrency=10, retries=2)
    assert pace_of(settings, RunConfig()) == {}
    assert pace_of(settings, RunConfig(timeout=90, concurrency=3)) == {"timeout": 90, "concurrency": 3}
    assert pace_of(settings, RunConfig(timeout=90), timeout=120, retries=0) == {"timeout": 120, "retries": 0}
    assert pace_of(settings, RunConfig(timeout=90), timeout=60) == {}
    with pytest.raises(UsageError, match="timeout=0 is"):
        pace_of(settings, RunConfig(), timeout=0)


def test_a_run_goes_on_with_another_concurrency_and_only_what_is_played_then_says_so(store: Path) -> None:
    class Offline(Slow):
        online = False

        async def __call__(self, request: Request) -> Reply:
            if request.question in ("q 2", "q 4", "q 6") and not self.online:
                raise ConnectionError("no network")
            return await super().__call__(request)

    agent = Offline()
    agent.open = True
    first = played(store, agent, retries=0)
    agent.online, agent.most = True, 0
    again = proctor.resume(first.run.id, agent=agent, store=store, config=Config(run=RunConfig(concurrency=1)))
    assert agent.most == 1
    told = {attempt.transcript.turns[0].question: attempt.changed for attempt in again.attempts()}
    assert {name for name, changed in told.items() if changed == {"concurrency": 1.0}} == {"q 2", "q 4", "q 6"}
    assert again.run.settings.concurrency == 10


def test_a_slow_reviewer_is_given_longer_when_replies_are_judged_anew(store: Path) -> None:
    agent = Slow()
    agent.open = True
    first = played(store, agent)

    class Judge:
        name, rubric = "judge", "1"

        async def review(self, case: Any, turns: Any) -> Review:
            return Review(unscored="no idea")

        async def conclude(self, exam: Any, turns: Any) -> None:
            return None

    rescored = proctor.rescore(first.run.id, reviewer=Judge(), store=store, timeout=20, concurrency=2)
    assert {frozenset(attempt.changed.items()) for attempt in rescored.attempts()} == {
        frozenset({("timeout", 20.0), ("concurrency", 2.0)})
    }
    assert rescored.run.settings.timeout == LATE
    said = "8 attempts were judged with a time limit of 20 s; the run began with 0.05 s."
    assert said in rescored.findings.notes
    kept = proctor.rescore(first.run.id, passing_score=0.9, store=store, timeout=20)
    assert all(attempt.changed == {} for attempt in kept.attempts())


def test_several_time_outs_of_an_agent_name_what_helps(store: Path) -> None:
    first = played(store, Slow())
    [said] = [note for note in first.findings.notes if "did not answer" in note]
    assert said == (
        "In 4 of 8 attempts the agent did not answer within 0.05 s, with up to 8 attempts in flight at once. "
        "If it is overloaded, run 4 at once; if it needs longer, allow 0.25 s for a reply."
    )
    command = f"proctor resume {first.run.id} --retry-timeouts --concurrency 4 --timeout 0.25"
    assert next_command(first.findings) == (command, "repeats what timed out")


async def test_several_time_outs_of_a_models_server_name_its_limits(store: Path) -> None:
    from aiohttp import web

    async def hang(request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response()

    async with serving(hang) as server:
        host = server.url.partition("://")[2]
        agent = f"openai-compatible:m@{server.url}/v1"
        result = await proctor.aevaluate(CASES, agent=agent, reviewer="exact", store=store, timeout=LATE)
    [late] = result.findings.circumstances.timeouts
    assert (late.host, late.limited, late.local, late.count, late.attempts) == (host, True, True, 8, 8)
    [said] = [note for note in result.findings.notes if "did not answer" in note]
    assert said.startswith(f"In 8 of 8 attempts {host} did not answer within 0.05 s, with up to 8 attempts in flight")
    assert f'set [limits."{host}"] concurrency = 1 in proctor.toml' in said
    assert next_command(result.findings)[0] == f"proctor resume {result.run.id} --retry-timeouts --timeout 0.25"
    assert len(said) < 400, "the Markdown report would cut it"


@pytest.mark.parametrize(("limits", "most"), [({}, 2), ({"concurrency": 5}, 5)])
async def test_a_model_on_this_machine_gets_two_calls_at_once_from_agent_and_reviewer_together(
    store: Path, limits: dict[str, Any], most: int
) -> None:
    cases = [(f"What is {number} + 1?", str(number + 1)) for number in range(20)]
    async with provider(latency=0.01) as served:
        models = {name: {"spec": f"openai-compatible:{name}@{served.url}"} for name in "ar"}
        host = served.url.partition("://")[2].partition("/")[0]
        config = Config.model_validate({"models": models, "limits": {host: limits} if limits else {}})
        result = await proctor.aevaluate(
            cases, agent="a", reviewer="r", store=store, config=config, timeout=5, concurrency=20
        )
    assert (result.run.status, served.most_inside, result.findings.counts.failed) == ("completed", most, 0)
