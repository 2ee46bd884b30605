"""Whole runs against a provider on loopback: what they take together, and what was told before."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.models.paid import Provider, provider

import proctor
from proctor.config import Config
from proctor.running.plan import exams_of
from proctor.spending.estimate import Range
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.prepare import prepare
from proctor.workflows.request import RunRequest
from proctor.workflows.run_limits import estimate_cost

CASES = [(f"What is {number} + 1, and why?", f"{number + 1}, for one was added") for number in range(20)]
PRICE = {"input": 1.0, "output": 4.0}


def config_for(served: Provider, *, limits: dict[str, Any] | None = None, **options: Any) -> Config:
    """Three models at one address: a is examined, r judges, e asks."""
    models = {name: {"spec": f"openai-compatible:{name}@{served.url}", "price": PRICE} for name in "are"}
    agents = {"a": {"spec": f"openai-compatible:a@{served.url}", **options}} if options else {}
    host = {urlsplit(served.url).netloc: limits} if limits else {}
    return Config.model_validate({"models": models, "agents": agents, "limits": host})


def cast(settings: dict[str, Any]) -> dict[str, Any]:
    return {"agent": "a", "reviewer": "r", "examiner": "e" if settings.get("type") == "abm-dynamic" else None}


async def run(config: Config, store: Path, *, cases: Any = CASES, **settings: Any) -> Evaluation:
    return await proctor.aevaluate(cases, **cast(settings), store=store, config=config, **settings)


def within(amount: float, expected: Range) -> bool:
    return expected.low <= amount <= expected.high


@pytest.mark.parametrize(
    ("settings", "tool"),
    [
        ({"trials": 2}, None),
        ({"trials": 1}, "upper"),
        ({"type": "abm-static"}, None),
        ({"type": "abm-dynamic", "seeds": 4, "max_turns": 5}, None),
    ],
    ids=["standard", "tools", "static battle", "dynamic battle"],
)
async def test_a_run_takes_what_was_foretold(settings: dict[str, Any], tool: str | None, tmp_path: Path) -> None:
    async with provider(latency=0.06, tool=tool) as served:
        options: dict[str, Any] = {"tools": ["python:tests.models.paid:upper"]} if tool else {}
        config = config_for(served, **options)
        prepared = prepare(RunRequest(benchmark=CASES, **cast(settings), settings=settings), config)
        foretold = estimate_cost(prepared.run, exams_of(prepared.benchmark, prepared.run.settings), config)
        result = await run(config, tmp_path / "s.db", **settings)
    used = result.findings.usage
    assert result.run.status == "completed", result.run.reason
    assert used.calls == len(served.answered)
    assert used.cost is not None
    assert foretold.cost is not None
    assert within(used.calls, foretold.calls)
    assert within(used.input_tokens, foretold.input_tokens)
    assert within(used.output_tokens, foretold.output_tokens)
    assert within(used.cost, foretold.cost)
    assert within(result.run.seconds, foretold.seconds)
    assert foretold.cost.likely / 6 <= used.cost <= foretold.cost.likely * 6


async def test_agent_reviewer_and_examiner_share_the_limits_of_their_host(tmp_path: Path) -> None:
    limits = {"requests_per_minute": 1800, "concurrency": 3}
    async with provider(latency=0.02) as served:
        config = config_for(served, limits=limits)
        result = await run(config, tmp_path / "s.db", type="abm-dynamic", seeds=10, max_turns=4, concurrency=10)
    assert result.run.status == "completed", result.run.reason
    assert {name for name, _, _ in served.answered} == {"a", "r", "e"}
    assert served.most_inside <= 3
    for first, later in zip(served.times, served.times[60:], strict=False):  # 30 a second, and a second's worth at once
        assert later - first >= 0.9


async def test_a_run_that_is_over_leaves_its_part_of_the_limits_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with provider() as served:
        await run(config_for(served, limits={"concurrency": 3}), tmp_path / "s.db", cases=CASES[:1])
    counted = [each.name for each in (tmp_path / ".proctor" / "limits").iterdir() if "~" in each.name]
    assert counted == []


async def test_tokens_a_minute_hold_over_all_roles(tmp_path: Path) -> None:
    async with provider() as served:
        config = config_for(served, limits={"tokens_per_minute": 240_000})
        await run(config, tmp_path / "s.db")
    taken = served.times[-1] - served.times[0]
    assert served.tokens <= 4_000 * (taken + 1) + 2 * 1_400


@pytest.mark.parametrize("retry_after", [None, "0.2"])
async def test_a_provider_that_says_too_many_is_asked_less_at_once_and_then_more_again(
    retry_after: str | None, tmp_path: Path
) -> None:
    cases = [(f"What is {number} + 1?", str(number + 1)) for number in range(60)]
    async with provider(latency=0.03, capacity=6, retry_after=retry_after) as served:
        config = config_for(served, limits={"concurrency": 30})  # a model on this machine gets 2 else
        result = await run(config, tmp_path / "s.db", cases=cases, concurrency=30, retries=6)
    assert result.run.status == "completed", result.run.reason
    assert len(served.answered) == 120
    assert 0 < served.refused < 120
    assert served.most_inside >= 4
    assert result.run.seconds < 20  # ideal: 0.6


async def test_the_budget_holds_for_all_three_however_many_are_under_way(tmp_path: Path) -> None:
    async with provider(latency=0.005) as served:
        config = config_for(served, max_output_tokens=60)
        settings: dict[str, Any] = {"type": "abm-dynamic", "seeds": 12, "max_turns": 6, "concurrency": 12}
        result = await run(config, tmp_path / "s.db", max_tokens=30_000, **settings)
        assert result.run.status == "paused"
        first = served.tokens
        assert 20_000 < first <= 30_000
        again = await proctor.aresume(result.run.id, max_tokens=60_000, store=tmp_path / "s.db", config=config)
    assert first < served.tokens <= 60_000
    assert again.run.reason.startswith("the budget is not enough for the next call")


@pytest.mark.parametrize(
    "settings",
    [{"trials": 2}, {"type": "abm-static"}, {"type": "abm-dynamic", "seeds": 6, "max_turns": 4}],
    ids=["standard", "static battle", "dynamic battle"],
)
async def test_a_run_that_its_budget_pauses_again_and_again_has_used_what_was_paid_to_the_token(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    store, most, pauses = tmp_path / "s.db", 4_000, 0
    async with provider() as served:
        config = config_for(served, max_output_tokens=60)
        result = await run(config, store, max_tokens=most, concurrency=5, **settings)
        while result.run.status == "paused":
            pauses, most = pauses + 1, most + 8_000
            assert result.findings.usage.input_tokens + result.findings.usage.output_tokens == served.tokens
            result = await proctor.aresume(result.run.id, max_tokens=most, store=store, config=config)
    assert (result.run.status, pauses > 1) == ("completed", True)
    assert result.findings.usage.calls == len(served.answered)
    assert result.findings.usage.input_tokens + result.findings.usage.output_tokens == served.tokens


KILLED = """
import sys, proctor
from pathlib import Path
from proctor.config import load_config
cases = [(f"What is {number} + 1?", str(number + 1)) for number in range(200)]
proctor.evaluate(
    cases, agent="a", reviewer="r", max_tokens=1_000_000, concurrency=4, name="killed", store="s.db",
    config=load_config(Path("proctor.toml")),
)
"""


async def test_what_was_spent_before_a_kill_counts_against_the_budget_of_a_resume(tmp_path: Path) -> None:
    async with provider(latency=0.01) as served:
        lines = [f'[models.{name}]\nspec = "openai-compatible:{name}@{served.url}"\n' for name in "ar"]
        (tmp_path / "proctor.toml").write_text("".join(lines))
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, cwd=tmp_path)
        async with asyncio.timeout(60):
            while len(served.answered) < 40:
                await asyncio.sleep(0.01)
        process.kill()
        await process.wait()
        before = served.tokens
        most = before + 10_000
        config = config_for(served)
        again = await proctor.aresume("killed", max_tokens=most, store=tmp_path / "s.db", config=config)
    assert again.run.status == "paused"
    largest = max(sent + received for _, sent, received in served.answered)
    in_flight = 2 * 4 * largest  # answered when it was killed, and not yet stored
    assert served.tokens <= most + in_flight
    with open_store(tmp_path / "s.db", create=False) as opened:
        stored = sum((attempt.usage for attempt in opened.archive.attempts(again.run.id)), proctor.Usage())
    assert stored.input_tokens + stored.output_tokens >= before - in_flight


async def test_what_a_tool_loop_has_paid_before_the_budget_ended_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with provider(tool="upper") as served:
        config = config_for(served, tools=["python:tests.models.paid:upper"], max_output_tokens=60)
        first = await proctor.aevaluate(
            CASES[:1], agent="a", reviewer="exact", max_tokens=200, store=store, config=config
        )
        assert (first.run.status, len(served.answered)) == ("paused", 1)
        assert first.findings.usage.input_tokens + first.findings.usage.output_tokens == served.tokens
        again = await proctor.aresume(first.run.id, store=store, config=config)
        assert f"{served.tokens} of 200 tokens used" in again.run.reason
        last = await proctor.aresume(first.run.id, max_tokens=5_000, store=store, config=config)
    assert last.run.status == "completed"
    assert last.findings.usage.calls == len(served.answered) == 4
    assert last.findings.usage.input_tokens + last.findings.usage.output_tokens == served.tokens


async def test_answers_from_the_cache_are_counted_in_the_store_too(tmp_path: Path) -> None:
    async with provider() as served:
        config, store = config_for(served), tmp_path / "s.db"
        settings: dict[str, Any] = {"cases": CASES[:3], "cache": tmp_path / "cache"}
        await run(config, store, **settings)
        again = await run(config, store, **settings)
        assert len(served.answered) == 6
    with open_store(store, create=False) as opened:
        kept = sum((attempt.usage for attempt in opened.archive.attempts(again.run.id)), proctor.Usage())
    assert kept == again.findings.usage == proctor.Usage(cost=0.0, cached=6)
