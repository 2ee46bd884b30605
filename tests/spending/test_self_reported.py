"""What parts of one's own take of a budget: what they tell, once, however they came by it."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from proctor.errors import BudgetSpent, EnvironmentFault, Misconfigured
from proctor.spending.budget import Budget
from proctor.spending.providers import Source
from proctor.spending.run_limits import RunLimits, current, enforce_limits
from proctor.spending.self_reported import SelfReportedSpending
from proctor.usage import Usage

MODEL = Source(provider="m")


def used(tokens: int, cost: float | None = 0.0) -> Usage:
    return Usage(input_tokens=tokens, calls=1, cost=cost)


async def work(*, own: Usage | None = None, through_us: int = 0, tells: bool = True) -> Usage | None:
    """A part that uses something of its own, and a model that it calls through us."""
    total = own or Usage()
    if through_us:
        allowance = current()
        assert allowance is not None
        async with allowance.call(MODEL, used(through_us)) as call:
            call.count_answer(used(through_us))
        total += used(through_us)
    return total if tells else None


def told(usage: Usage | None) -> Usage | None:
    return usage


@pytest.mark.parametrize(
    ("own", "through_us", "tells", "charged"),
    [(40, 0, True, 40), (0, 30, True, 30), (0, 30, False, 30), (40, 30, True, 70), (0, 0, True, 0)],
    ids=["its own", "a model told", "a model not told", "both", "nothing"],
)
async def test_all_that_is_used_is_charged_once(own: int, through_us: int, tells: bool, charged: int) -> None:
    budget = Budget(tokens=1000, cost=1.0)
    with enforce_limits(RunLimits(budget=budget)):
        purse = SelfReportedSpending("the reviewer", settles=False)
        for _ in range(3):
            mine = used(own, 0.001) if own else None
            await purse.paid(partial(work, own=mine, through_us=through_us, tells=tells), told=told)
    assert budget.spent.input_tokens == 3 * charged
    assert budget.spent.cost == pytest.approx(0.003 if own else 0.0)
    assert budget.reserved == Usage(cost=0.0)


async def test_nothing_begins_that_does_not_fit_however_many_want_to() -> None:
    budget, begun = Budget(tokens=100), 0

    async def one() -> Usage:
        nonlocal begun
        begun += 1
        await asyncio.sleep(0)
        return used(30)

    purse = SelfReportedSpending("the reviewer", settles=False)
    with enforce_limits(RunLimits(budget=budget)):
        results = await asyncio.gather(*(purse.paid(one, told=told) for _ in range(10)), return_exceptions=True)
    assert (begun, budget.spent.input_tokens) == (3, 90)
    assert [type(each) for each in results].count(BudgetSpent) == 7


async def test_who_knows_what_one_takes_lets_the_others_in_side_by_side() -> None:
    purse, inside, most = SelfReportedSpending("the reviewer", settles=False), 0, 0

    async def one() -> Usage:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.01)
        inside -= 1
        return used(1)

    with enforce_limits(RunLimits(budget=Budget(tokens=1000))):
        await purse.paid(one, told=told)
        assert most == 1
        await asyncio.gather(*(purse.paid(one, told=told) for _ in range(5)))
    assert most == 5


async def test_who_waits_for_the_first_does_not_wait_for_the_second() -> None:
    purse, release = SelfReportedSpending("the reviewer", settles=False), asyncio.Event()
    inside = 0

    async def one() -> Usage:
        nonlocal inside
        inside += 1
        await release.wait()
        return used(1)

    with enforce_limits(RunLimits(budget=Budget(tokens=1000))):
        calls = [asyncio.create_task(purse.paid(one, told=told)) for _ in range(4)]
        while not inside:
            await asyncio.sleep(0)
        release.set()
        await asyncio.sleep(0)
        release.clear()
        async with asyncio.timeout(5):
            while inside < 4:
                await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*calls)


async def test_a_model_called_inside_does_not_wait_for_what_is_held_for_its_caller() -> None:
    purse, budget = SelfReportedSpending("the reviewer", settles=False), Budget(tokens=100)
    with enforce_limits(RunLimits(budget=budget)):
        await purse.paid(lambda: work(own=used(30)), told=told)
        async with asyncio.timeout(5):
            await purse.paid(lambda: work(through_us=60), told=told)  # 30 are held, 60 do not fit beside them
    assert budget.spent.input_tokens == 90


async def test_tokens_without_a_cost_cannot_be_held_to_an_amount_of_money() -> None:
    purse, budget = SelfReportedSpending("the reviewer", settles=False), Budget(cost=1.0)
    with enforce_limits(RunLimits(budget=budget)), pytest.raises(Misconfigured, match="the reviewer reports") as caught:
        await purse.paid(lambda: work(own=used(1234, None)), told=told)
    assert "1,234 tokens, but not what they cost" in str(caught.value)
    assert vars(caught.value)["spent"] == used(1234, None), "what was used is not forgotten"


async def test_what_a_failed_call_tells_is_charged_and_one_that_reached_nobody_is_not() -> None:
    purse, budget = SelfReportedSpending("the reviewer", settles=False), Budget(tokens=1000)

    async def fails(error: Exception) -> Usage:
        raise error

    async def failing(error: Exception) -> int:
        before = budget.spent.input_tokens
        with pytest.raises(type(error)):
            await purse.paid(lambda: fails(error), told=told)
        return budget.spent.input_tokens - before

    paid = ValueError("no")
    paid.__dict__["spent"] = used(7)
    with enforce_limits(RunLimits(budget=budget)):
        assert await failing(ValueError("nothing is known yet")) == 0
        assert await failing(paid) == 7
        await purse.paid(lambda: work(own=used(40)), told=told)
        assert await failing(EnvironmentFault("not reached")) == 0
        assert await failing(ValueError("who knows")) == 40, "the most that one has taken"


async def test_without_a_budget_nobody_waits_and_nothing_is_counted() -> None:
    purse = SelfReportedSpending("the reviewer", settles=False)
    assert await purse.paid(lambda: work(own=used(5, None)), told=told) == used(5, None)
