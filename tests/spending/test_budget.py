"""Budgets: nothing begins that does not fit, whatever else is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import BudgetSpent, InputError, Misconfigured, UsageError
from proctor.net.limits import TIME_LIMIT
from proctor.spending.budget import Budget, CallEstimator, Reservation, must_have_prices
from proctor.spending.prices import Price, amount
from proctor.usage import Usage


def usage(tokens: int, cost: float | None = None) -> Usage:
    return Usage(input_tokens=tokens, calls=1, cost=cost)


steps = st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1), st.booleans()), max_size=40)
"""Estimates, how much of it a call really takes, and whether an earlier call ends first."""


@given(steps, st.integers(0, 100))
def test_no_more_than_the_budget_is_ever_spent_or_promised(calls: Sequence[tuple[int, float, bool]], most: int) -> None:
    price = 0.1
    budget = Budget(tokens=most, cost=most * price)
    flight: list[tuple[Reservation, float]] = []
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
    with pytest.raises(BudgetSpent, match=r"0 of 100 tokens used, and the next call may take 101;"):
        budget.reserve(usage(101))
    budget.settle(first, usage(20))
    assert budget.reserve(usage(60)) is not None


def test_money_is_told_as_money() -> None:
    budget = Budget(cost=1.0)
    hold = budget.reserve(usage(10, 0.75))
    assert hold is not None
    budget.settle(hold, usage(10, 0.75))
    with pytest.raises(BudgetSpent, match=r"0.75 of 1.00 used, and the next call may take 0.26;"):
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
    assert CallEstimator(allowed=50).estimate(100, price) == Usage(
        input_tokens=100, output_tokens=50, calls=1, cost=price.of(100, 50)
    )
    foresight = CallEstimator()
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


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (
            Budget(cost=0.002),
            "the budget is not enough for the next call: 0.00 of 0.002 used, and the next call may take 0.0035; "
            "resume with at least 0.0035",
        ),
        (
            Budget(cost=0.0036, spent=usage(10, 0.0001004)),
            "the budget is not enough for the next call: 0.0001 of 0.0036 used, and the next call may take 0.0035; "
            "resume with at least 0.003601",
        ),
        (
            Budget(tokens=1_300, spent=usage(400)),
            "the budget is not enough for the next call: 400 of 1,300 tokens used, and the next call may take 1,200; "
            "resume with at least 1,600 tokens",
        ),
        (
            Budget(tokens=300, spent=usage(300)),
            "the budget is spent: 300 of 300 tokens used, and the next call may take 1,200; "
            "resume with at least 1,500 tokens",
        ),
        (
            Budget(cost=1.0, tokens=1_000, spent=usage(10, 1.0)),
            "the budget is spent: 1.00 of 1.00 used, and the next call may take 0.0035; 10 of 1,000 tokens used, and "
            "the next call may take 1,200; resume with at least 1.0035 and 1,210 tokens",
        ),
    ],
)
def test_it_says_what_is_used_what_the_next_call_may_take_and_what_would_be_enough(budget: Budget, reason: str) -> None:
    with pytest.raises(BudgetSpent) as caught:
        budget.reserve(Usage(input_tokens=200, output_tokens=1_000, calls=1, cost=0.0035))
    assert str(caught.value) == reason


def test_what_would_be_enough_is_enough() -> None:
    spent, estimate = usage(123, 0.00012345678), Usage(input_tokens=20, output_tokens=77, calls=1, cost=0.00333333333)
    budget = Budget(cost=0.002, tokens=130, spent=spent)
    with pytest.raises(BudgetSpent):
        budget.reserve(estimate)
    cost, tokens = budget.enough_for_the_next()
    assert Budget(cost=cost, tokens=tokens, spent=spent).reserve(estimate) is not None
    with pytest.raises(BudgetSpent):
        Budget(cost=cost, tokens=tokens - 1, spent=spent).reserve(estimate)


def test_a_resume_that_has_learnt_nothing_yet_is_counted_with() -> None:
    budget = Budget(tokens=1_050)
    first = budget.reserve(usage(1_000))
    assert first is not None
    budget.settle(first, usage(100))
    budget.charge(usage(900))
    with pytest.raises(BudgetSpent):
        budget.reserve(usage(100))
    assert budget.enough_for_the_next() == (0.0, 2_000)


@pytest.mark.parametrize(
    ("price", "calls", "budget"), [(0.01, 50, 0.5), (0.1, 3, 0.3), (0.07, 100, 7.0), (0.00001, 3_000, 0.03)]
)
def test_as_many_calls_fit_as_the_money_is_for_whatever_floats_add_up_to(
    price: float, calls: int, budget: float
) -> None:
    first, last = Budget(cost=budget), calls // 2
    for _ in range(last):
        hold = first.reserve(usage(1, price))
        assert hold is not None
        first.settle(hold, usage(1, price))
    before = sum((usage(1, price) for _ in range(last)), Usage())  # as a resume adds it up
    again = Budget(cost=budget, spent=before)
    holds = [again.reserve(usage(1, price)) for _ in range(calls - last)]
    assert all(holds)
    for hold in holds:
        assert hold is not None
        again.settle(hold, usage(1, price))
    with pytest.raises(BudgetSpent, match=rf"the budget is spent: {amount(budget)} of {amount(budget)} used"):
        again.reserve(usage(1, price))


def test_millions_of_small_costs_add_up_to_their_sum() -> None:
    budget = Budget(cost=1_000_000.0)
    for _ in range(100_000):
        budget.charge(usage(1, 0.1))
    assert budget.spent.cost == 10_000.0
