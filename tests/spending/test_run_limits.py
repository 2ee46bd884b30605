"""What a run's models share: limits, cache and budget, for `ask` and for `openai:` agents."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.models.openai_api import TOKENS, Answer, Api, Refused, Said, api
from tests.models.scripted import Tooled, called
from tests.models.verdict import Verdict
from tests.net.serving import serving

from proctor.agents.openai import load
from proctor.errors import BudgetSpent, EnvironmentFault
from proctor.models.load import load_model
from proctor.models.structured import StructuredAnswer as Checked
from proctor.models.structured import UnusableAnswer, ask
from proctor.net.limits import Throttle
from proctor.spending.budget import Budget
from proctor.spending.cache import Cache
from proctor.spending.limits import Limits
from proctor.spending.prices import Price
from proctor.spending.providers import Source, source_at
from proctor.spending.run_limits import RunLimits, enforce_limits, set_scope
from proctor.transcript import Reply, Request
from proctor.usage import Usage

GOOD = '{"score": 0.5, "why": "so"}'
SPENT = sum(TOKENS)


@asynccontextmanager
async def judged(*script: Answer, plays: Any = None) -> AsyncIterator[tuple[Any, Api]]:
    """A chat model, and the server that it asks."""
    async with api(*script, plays=plays) as server:
        yield chat_model(server), server


def chat_model(server: Api, **options: Any) -> Any:
    return load_model(f"openai-compatible:m@{server.url}", **options)


async def put(model: Any, user: str = "Judge this.", **others: Any) -> Checked[Verdict]:
    return await ask(model, system="You judge.", user=user, schema=Verdict, **others)


@contextmanager
def in_trial(number: int, *, case: str = "c", condition: str | None = None) -> Iterator[None]:
    set_scope(case=case, condition=condition, trial=number)
    yield


# --- the cache --------------------------------------------------------------------------------


async def test_a_verdict_is_paid_for_once_and_the_second_time_is_marked(tmp_path: Path) -> None:
    price = Price(input=1.0, output=1.0)
    async with judged(Said(text=GOOD)) as (model, server):
        with enforce_limits(RunLimits(cache=Cache(tmp_path))), in_trial(1):
            first = await put(model, price=price)
            second = await put(model, price=price)
        assert len(server.bodies) == 1
    assert (first.cached, second.cached) == (False, True)
    assert first.value == second.value == Verdict(score=0.5, why="so")
    assert first.usage.calls == 1
    assert second.usage == Usage(calls=0, cost=0.0, cached=1)


async def test_another_trial_case_condition_question_or_setting_is_another_verdict(tmp_path: Path) -> None:
    async with judged(plays=lambda _: Said(text=GOOD)) as (model, server):
        warmer = chat_model(server, temperature=0.9)
        with enforce_limits(RunLimits(cache=Cache(tmp_path))):
            for where in (in_trial(1), in_trial(2), in_trial(1, case="d"), in_trial(1, condition="slow")):
                with where:
                    assert not (await put(model)).cached
            with in_trial(1):
                assert not (await put(model, "Judge that.")).cached
                assert not (await put(warmer)).cached
                assert not (await put(model, structured=False)).cached
                assert (await put(model)).cached
        assert len(server.bodies) == 7


async def test_another_schema_is_another_verdict_though_the_words_are_the_same(tmp_path: Path) -> None:
    class Verdict(msgspec.Struct):
        """A mark alone."""

        score: float

    async with judged(plays=lambda _: Said(text=GOOD)) as (model, server):
        with enforce_limits(RunLimits(cache=Cache(tmp_path))), in_trial(1):
            await put(model)
            other = await ask(model, system="You judge.", user="Judge this.", schema=Verdict)
        assert len(server.bodies) == 2
    assert (other.cached, other.value) == (False, Verdict(score=0.5))


async def test_nothing_is_kept_where_nobody_says_which_trial_it_is(tmp_path: Path) -> None:
    async with judged(Said(text=GOOD), Said(text=GOOD)) as (model, server):
        with enforce_limits(RunLimits(cache=Cache(tmp_path))):
            await put(model)
            assert not (await put(model)).cached
        assert len(server.bodies) == 2


async def test_a_model_that_does_not_say_what_it_depends_on_is_asked_each_time(tmp_path: Path) -> None:
    model = Tooled(script=[called({"score": 1.0}), called({"score": 0.0})])
    with enforce_limits(RunLimits(cache=Cache(tmp_path))), in_trial(1):
        assert [(await put(model)).value.score for _ in range(2)] == [1.0, 0.0]


async def test_failures_are_not_kept_nor_answers_that_cannot_be_used(tmp_path: Path) -> None:
    broken = Refused(status=500, error={"message": "Oops"})
    async with judged(broken, Said(text="no"), Said(text="no"), Said(text="no"), Said(text=GOOD)) as (model, server):
        with enforce_limits(RunLimits(cache=Cache(tmp_path))), in_trial(1):
            with pytest.raises(EnvironmentFault):
                await put(model)
            with pytest.raises(UnusableAnswer):
                await put(model)
            assert (await put(model)).value.score == 0.5
        assert len(server.bodies) == 5


async def test_an_agents_replies_are_kept_by_trial_and_its_tools_run_again(tmp_path: Path) -> None:
    script = [Said(calls=(("upper", {"text": "a"}),)), Said(text="A"), Said(text="other")]
    async with api(*script) as server:
        tools = ["python:tests.spending.test_run_limits:upper"]
        prices = {"m": {"input": 1, "output": 1}}
        agent = load("m", {"base_url": server.url, "tools": tools, "prices": prices})
        with enforce_limits(RunLimits(cache=Cache(tmp_path))):
            first = await agent.reply(Request(question="?", conversation="1", trial=1))
            second = await agent.reply(Request(question="?", conversation="2", trial=1))
            third = await agent.reply(Request(question="?", conversation="3", trial=2))
        await agent.close()
    assert (first.text, second.text, third.text) == ("A", "A", "other")
    assert first.usage is not None
    assert first.usage.calls == 2
    assert second.usage == Usage(calls=0, cost=0.0, cached=2)
    assert second.tool_calls[0].result == "A"
    assert len(server.bodies) == 3


async def test_a_kept_reply_tells_the_time_that_it_took_when_it_was_new(tmp_path: Path) -> None:
    async def slow(_: web.Request) -> web.Response:
        await asyncio.sleep(0.05)
        chunk = '{"choices": [{"delta": {"content": "A"}, "finish_reason": "stop"}]}'
        return web.Response(text=f"data: {chunk}\n\n", content_type="text/event-stream")

    async with serving(slow) as server:
        agent = load("m", {"base_url": f"{server.url}/v1", "stream": True})
        with enforce_limits(RunLimits(cache=Cache(tmp_path))):
            replies = [await agent.reply(Request(question="?", conversation=str(number))) for number in range(2)]
        await agent.close()
    assert len(server.requests) == 1
    for reply in replies:
        assert reply.first_token is not None
        assert reply.first_token >= 0.05
    assert replies[1].seconds is not None
    assert replies[1].seconds >= 0.05


async def test_a_failed_reply_is_not_kept(tmp_path: Path) -> None:
    async with api(Refused(status=429, error={"message": "Busy"}), Said(text="A")) as server:
        agent = load("m", {"base_url": server.url})
        with enforce_limits(RunLimits(cache=Cache(tmp_path))):
            with pytest.raises(EnvironmentFault):
                await agent.reply(Request(question="?", conversation="1"))
            assert (await agent.reply(Request(question="?", conversation="2"))).text == "A"
        await agent.close()


def upper(text: str) -> str:
    return text.upper()


# --- the budget -------------------------------------------------------------------------------


async def test_agent_and_reviewer_spend_the_same_budget() -> None:
    budget = Budget(tokens=3_000)
    async with judged(plays=lambda _: Said(text=GOOD)) as (model, server):
        agent = load("m", {"base_url": server.url, "max_output_tokens": 500})
        with enforce_limits(RunLimits(budget=budget)):
            await agent.reply(Request(question="?", conversation="1"))
            await put(model)
            assert budget.spent.calls == 2
            assert budget.spent.input_tokens + budget.spent.output_tokens == 2 * SPENT
            assert budget.reserved == Usage(cost=0.0)
            budget.charge(Usage(input_tokens=2_500))
            with pytest.raises(BudgetSpent):
                await agent.reply(Request(question="?", conversation="2"))
            with pytest.raises(BudgetSpent):
                await put(model)
        await agent.close()
        assert len(server.bodies) == 2


async def test_many_calls_at_once_never_begin_more_than_the_budget_holds() -> None:
    budget = Budget(tokens=10 * SPENT)
    most = 0

    def plays(_: dict[str, Any]) -> Answer:
        nonlocal most
        most = max(most, budget.reserved.calls)
        return Said(text="x")

    async with api(plays=plays) as server:
        agent = load("m", {"base_url": server.url, "max_output_tokens": 180})
        requests = [Request(question="?", conversation=str(number)) for number in range(30)]
        with enforce_limits(RunLimits(budget=budget)):
            results = await asyncio.gather(*map(agent.reply, requests), return_exceptions=True)
        await agent.close()
    answered = [result for result in results if isinstance(result, Reply)]
    assert all(isinstance(result, Reply | BudgetSpent) for result in results)
    assert 8 <= len(answered) <= 10
    assert budget.spent.input_tokens + budget.spent.output_tokens == len(answered) * SPENT
    assert 1 < most <= 5


async def test_calls_that_are_refused_or_reach_nobody_cost_nothing() -> None:
    budget = Budget(tokens=100_000)
    async with judged(plays=lambda _: Refused(status=429, error={"message": "Busy"})) as (model, server):
        agent = load("m", {"base_url": server.url, "max_output_tokens": 500})
        with enforce_limits(RunLimits(budget=budget)):
            with pytest.raises(EnvironmentFault):
                await agent.reply(Request(question="?", conversation="1"))
            with pytest.raises(EnvironmentFault):
                await put(model)
        await agent.close()
    async with api() as other:
        pass
    agent = load("m", {"base_url": other.url})
    with enforce_limits(RunLimits(budget=budget)):
        with pytest.raises(EnvironmentFault):
            await agent.reply(Request(question="?", conversation="2"))
        with pytest.raises(EnvironmentFault):
            await put(chat_model(other))
    await agent.close()
    assert budget.spent == Usage(cost=0.0)
    assert budget.reserved == Usage(cost=0.0)


async def test_a_call_that_nobody_waited_for_counts_as_estimated() -> None:
    budget, asked, over = Budget(tokens=100_000), asyncio.Event(), asyncio.Event()

    async def hang(_: Any) -> Any:
        asked.set()
        await over.wait()

    async with serving(hang) as server:
        agent = load("m", {"base_url": f"{server.url}/v1", "max_output_tokens": 500})
        with enforce_limits(RunLimits(budget=budget)):
            task = asyncio.create_task(agent.reply(Request(question="?", conversation="1")))
            await asked.wait()
            assert budget.reserved.output_tokens == 500
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        over.set()
        await agent.close()
    assert budget.spent.output_tokens == 500
    assert budget.reserved == Usage(cost=0.0)


# --- limits -----------------------------------------------------------------------------------


async def test_what_a_provider_refuses_slows_down_agent_and_reviewer_alike() -> None:
    limits = Limits({"openai-compatible": {"concurrency": 8}})
    busy = Refused(status=429, error={"message": "Busy"}, headers={"Retry-After": "0"})
    async with judged(busy, Said(text=GOOD)) as (model, server):
        agent = load("m", {"base_url": server.url})
        throttle = limits.of(source_at("openai", server.url))
        with enforce_limits(RunLimits(limits=limits)):
            with pytest.raises(EnvironmentFault):
                await put(model)
            assert throttle.concurrency == 1
            await agent.reply(Request(question="?", conversation="1"))
        assert throttle.concurrency == 2
        await agent.close()


async def test_tokens_that_were_reserved_but_not_needed_are_given_back_to_the_minute() -> None:
    source, slept = Source(provider="openai"), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    clock = itertools.count(step=0.0)
    limits = Limits()
    limits._throttles[source] = Throttle(tokens_per_minute=60_000, clock=lambda: next(clock) + sum(slept), sleep=sleep)
    for _ in range(10):
        async with RunLimits(limits=limits).call(source, Usage(input_tokens=900)) as call:
            call.count_answer(Usage(input_tokens=90))
    assert sum(slept) == pytest.approx(0.71, abs=0.01)  # 900 at once and 9 × 90 before, of which 1,000 were there
