"""Budgets: nothing begins that does not fit, whatever else is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import BudgetSpent, InputError, Misconfigured, UsageError
from proctor.models.budget import Budget, Foresight, Hold, must_have_prices
from proctor.models.prices import Price
from proctor.net.limits import TIME_LIMIT
from proctor.usage import Usage


def usage(tokens: int, cost: float | None = None) -> Usage:
    return Usage(input_tokens=tokens, calls=1, cost=cost)


steps = st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1), st.booleans()), max_size=40)
"""Estimates, how much of it a call really takes, and whether an earlier call ends first."""


@given(steps, st.integers(0, 100))
def test_no_more_than_the_budget_is_ever_spent_or_promised(calls: Sequence[tuple[int, float, bool]], most: int) -> None:
    price = 0.1
    budget = Budget(tokens=most, cost=most * price)
    flight: list[tuple[Hold, float]] = []
    for tokens, share, ends in calls:
        if ends and flight:
            hold, part = flight.pop(0)
            taken = round(hold.estimate.input_tokens * part)
            budget.settle(hold, usage(taken, taken * price) if taken else Usage())
        before = budget.spent.input_tokens + budget.reserved.input_tokens
        try:
            hold_now = budget.reserve(usage(tokens, tokens * price))
        except BudgetSpent:
            assert budget.spent.input_tokens + tokens >= most
            continue
        if hold_now is None:
            assert before + tokens >= most
            assert flight
        else:
            flight.append((hold_now, share))
        assert budget.spent.input_tokens + budget.reserved.input_tokens <= most
        assert (budget.spent.cost or 0) + (budget.reserved.cost or 0) <= most * price + 1e-9
    for hold, _ in flight:
        budget.settle(hold, Usage())
    assert budget.reserved == Usage(cost=0.0)


@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(1, 5000)), max_size=20))
def test_all_that_was_taken_is_spent_also_where_it_was_more_than_expected(calls: Sequence[tuple[int, int]]) -> None:
    budget = Budget(tokens=10**9)
    for expected, taken in calls:
        hold = budget.reserve(usage(expected))
        assert hold is not None
        budget.settle(hold, usage(taken))
    assert budget.spent.input_tokens == sum(taken for _, taken in calls)
    assert budget.spent.calls == len(calls)


def test_a_call_that_may_fit_later_waits_and_one_that_never_will_is_refused() -> None:
    budget = Budget(tokens=100)
    first = budget.reserve(usage(60))
    assert first is not None
    assert budget.reserve(usage(60)) is None
    with pytest.raises(BudgetSpent, match=r"0 of 100 tokens, and the next call may take 101$"):
        budget.reserve(usage(101))
    budget.settle(first, usage(20))
    assert budget.reserve(usage(60)) is not None


def test_money_is_told_as_money() -> None:
    budget = Budget(cost=1.0)
    hold = budget.reserve(usage(10, 0.75))
    assert hold is not None
    budget.settle(hold, usage(10, 0.75))
    with pytest.raises(BudgetSpent, match=r"0.75 of 1.00, and the next call may take 0.26$"):
        budget.reserve(usage(10, 0.26))


def test_what_nobody_knows_is_counted_as_estimated() -> None:
    budget = Budget(tokens=100)
    for actual in (None, Usage(calls=1)):
        hold = budget.reserve(usage(30))
        assert hold is not None
        budget.settle(hold, actual)
    assert budget.spent.input_tokens == 60


def test_earlier_sittings_count() -> None:
    budget = Budget(tokens=100, spent=usage(90))
    with pytest.raises(BudgetSpent):
        budget.reserve(usage(20))
    with pytest.raises(UsageError, match="what the run has cost so far is not known"):
        Budget(cost=5.0, spent=usage(90))
    budget = Budget(cost=5.0, spent=Usage())
    assert budget.reserve(usage(1, 5.0)) is not None


def test_what_was_spent_without_a_hold_counts() -> None:
    budget = Budget(tokens=100)
    budget.charge(usage(70))
    with pytest.raises(BudgetSpent):
        budget.reserve(usage(40))


async def test_waiting_calls_go_on_as_others_take_less_than_they_might() -> None:
    budget = Budget(tokens=100)
    first = await budget.admit(usage(80))
    waiting = [asyncio.create_task(budget.admit(usage(40))) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    budget.settle(first, usage(10))
    holds = await asyncio.gather(*waiting)
    assert budget.reserved.input_tokens == 80
    for hold in holds:
        budget.settle(hold, usage(40))
    with pytest.raises(BudgetSpent):
        await budget.admit(usage(40))


async def test_waiting_calls_are_refused_once_the_rest_is_spent() -> None:
    budget = Budget(tokens=100)
    first = await budget.admit(usage(80))
    waiting = asyncio.create_task(budget.admit(usage(40)))
    await asyncio.sleep(0)
    budget.settle(first, usage(80))
    with pytest.raises(BudgetSpent):
        await waiting


async def test_waiting_is_not_the_time_of_whoever_is_called() -> None:
    budget = Budget(tokens=100)
    first = await budget.admit(usage(80))
    async with asyncio.timeout(0.05) as limit:
        TIME_LIMIT.set(limit)
        asyncio.get_running_loop().call_later(0.1, budget.settle, first, Usage())
        hold = await budget.admit(usage(40))
    assert hold.estimate == usage(40)


def test_money_for_a_model_without_a_price_is_refused_before_the_run_and_at_the_call() -> None:
    prices = {"openai:a": {"input": 1, "output": 2}}
    must_have_prices(["openai:a"], prices, budget=5.0)
    with pytest.raises(InputError, match=r"budget=5.0 cannot be kept, because the price of 'ollama:b', 'openai:c'"):
        must_have_prices(["openai:a", "openai:c", "ollama:b"], prices, budget=5.0)
    with pytest.raises(Misconfigured, match="is not known"):
        Budget(cost=5.0).reserve(usage(10))
    assert Budget(tokens=50).reserve(usage(10)) is not None


@pytest.mark.parametrize("given", [{"cost": -1.0}, {"cost": float("nan")}, {"tokens": -1}])
def test_a_budget_is_a_number_of_at_least_nothing(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="cannot be spent"):
        Budget(**given)  # type: ignore[arg-type]


def test_foresight_is_what_is_allowed_or_the_most_that_was_needed() -> None:
    price = Price(input=1.0, output=10.0)
    assert Foresight(allowed=50).estimate(100, price) == Usage(
        input_tokens=100, output_tokens=50, calls=1, cost=price.of(100, 50)
    )
    foresight = Foresight()
    foresight.learn(10, Usage(input_tokens=15, output_tokens=5_000))
    foresight.learn(100, Usage(input_tokens=10, output_tokens=10))
    assert foresight.estimate(100, None) == Usage(input_tokens=150, output_tokens=5_000, calls=1)


async def test_whoever_waits_in_another_event_loop_is_woken_too() -> None:
    budget = Budget(tokens=10)
    hold = await budget.admit(usage(10))
    elsewhere = asyncio.create_task(asyncio.to_thread(asyncio.run, asyncio.wait_for(budget.admit(usage(5)), 20)))
    while not budget._waiting:
        await asyncio.sleep(0)
    budget.settle(hold, usage(5))
    assert (await elsewhere).estimate == usage(5)
