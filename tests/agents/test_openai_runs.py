"""`openai:` agents in whole runs: conversations, tools, limits and budgets as a run meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_openai import HERE, asking
from tests.models.openai_api import TOKENS, Answer, Refused, Said

import proctor
from proctor.run import Attempt
from proctor.spending.budget import Budget
from proctor.spending.run_limits import RunLimits, enforce_limits
from proctor.usage import Usage


def echo(body: dict[str, Any]) -> Answer:
    """The question, in which `look` asks for a tool first."""
    last = body["messages"][-1]
    if last["role"] == "user" and last["content"].startswith("look"):
        return Said(calls=(("search", {"query": last["content"], "top_k": 1}),))
    questions = [message["content"] for message in body["messages"] if message["role"] == "user"]
    return Said(text=questions[-1])


async def played(agent: Any, cases: list[tuple[str, str]], folder: Path, **settings: Any) -> tuple[Any, list[Attempt]]:
    run = await proctor.aevaluate(cases, agent=agent, reviewer="exact", store=folder / "store.db", **settings)
    return run, list(run.attempts())


async def test_a_run_records_replies_tools_and_usage_and_reuses_connections(tmp_path: Path) -> None:
    cases = [(f"look {number}" if number % 2 else f"say {number}",) * 2 for number in range(40)]
    prices = {"m": {"input": 1.0, "output": 2.0}}
    async with asking(plays=echo, tools=[f"{HERE}search"], prices=prices) as (agent, server):
        _, attempts = await played(agent, cases, tmp_path, concurrency=8)
    assert all(attempt.passed for attempt in attempts)
    assert len(server.bodies) == 60
    calls = {attempt.transcript.turns[0].question: attempt.transcript.turns[0].reply for attempt in attempts}
    looked = calls["look 1"]
    assert looked is not None
    assert [(call.name, call.result) for call in looked.tool_calls] == [("search", ["look 1"])]
    usage = sum((attempt.usage for attempt in attempts), Usage())
    assert (usage.calls, usage.input_tokens) == (60, 60 * TOKENS[0])
    assert usage.cost == pytest.approx(60 * (TOKENS[0] + 2 * TOKENS[1]) / 1e6)


async def test_a_busy_server_is_asked_again_and_all_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.running.calls._FIRST_PAUSE", 0.001)
    number = 0

    def sometimes(body: dict[str, Any]) -> Answer:
        nonlocal number
        number += 1
        busy = Refused(status=429, error={"message": "Slow down"}, headers={"Retry-After": "0"})
        return busy if number % 3 == 0 else echo(body)

    cases = [(f"say {number}",) * 2 for number in range(60)]
    async with asking(plays=sometimes) as (agent, _):
        _, attempts = await played(agent, cases, tmp_path, concurrency=20, retries=10)
    assert all(attempt.passed for attempt in attempts)


async def test_a_conversation_that_outgrew_the_window_counts_against_the_agent_alone(tmp_path: Path) -> None:
    def windowed(body: dict[str, Any]) -> Answer:
        long = len(body["messages"][-1]["content"]) > 100
        error = {"message": "maximum context length is 100", "code": "context_length_exceeded"}
        return Refused(status=400, error=error) if long else echo(body)

    async with asking(plays=windowed) as (agent, _):
        _, attempts = await played(agent, [("short", "short"), ("x" * 200, "x")], tmp_path)
    short, long = attempts
    assert short.passed
    assert long.failure is not None
    assert (long.failure.owner, long.passed) == ("agent", False)
    assert long.failure.reason.startswith("the conversation exceeded the model's context window")


async def test_a_spent_budget_stops_the_run_and_no_attempt_is_blamed(tmp_path: Path) -> None:
    each = sum(TOKENS)
    budget = Budget(tokens=20 * each)
    cases = [(f"say {number}",) * 2 for number in range(100)]
    async with asking(plays=echo, max_output_tokens=80) as (agent, server):
        with enforce_limits(RunLimits(budget=budget)):
            run, attempts = await played(agent, cases, tmp_path, concurrency=4)
    assert run.run.status != "completed"
    assert "the budget is not enough for the next call" in run.run.reason
    assert 15 <= len(server.bodies) <= 20
    assert budget.spent.input_tokens + budget.spent.output_tokens <= 20 * each
    assert not [attempt for attempt in attempts if attempt.failure is not None]
