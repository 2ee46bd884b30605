"""One budget over many workers."""

from __future__ import annotations

import asyncio

import pytest

from proctor.errors import BudgetSpent
from proctor.running.workers.ledger import Ledger, RemoteBudget
from proctor.running.workers.messages import BudgetAnswer, BudgetRequest, Spending
from proctor.spending.budget import Budget
from proctor.usage import Usage


def tokens(count: int) -> Usage:
    return Usage(input_tokens=count, calls=1, cost=0.0)


def asked(ledger: Ledger, worker: int, number: int, count: int = 100, whose: str = "") -> tuple[BudgetAnswer, ...]:
    ledger.request(worker, (BudgetRequest(number=number, estimate=tokens(count), whose=whose),))
    return ledger.answers(worker)


def test_calls_of_all_workers_are_let_in_as_long_as_they_fit_together() -> None:
    ledger = Ledger(Budget(tokens=250))
    assert [answer.refusal for answer in asked(ledger, 1, 1)] == [""]
    assert [answer.refusal for answer in asked(ledger, 2, 1)] == [""]
    assert asked(ledger, 1, 2) == ()
    assert ledger.waits(1)
    ledger.settle(2, (Spending(number=1, usage=tokens(10)),))
    assert [answer.number for answer in ledger.answers(1)] == [2]


def test_who_cannot_fit_any_more_is_told_why() -> None:
    ledger = Ledger(Budget(tokens=150, spent=tokens(100)))
    (answer,) = asked(ledger, 1, 1)
    assert answer.refusal.startswith("the budget is not enough for the next call")


def test_what_a_lost_worker_had_reserved_is_spent_and_what_it_wanted_is_forgotten() -> None:
    budget = Budget(tokens=250)
    ledger = Ledger(budget)
    asked(ledger, 1, 1)
    asked(ledger, 1, 2)
    asked(ledger, 1, 3)
    ledger.close(1)
    assert (budget.spent.input_tokens, budget.reserved.input_tokens) == (200, 0)
    assert ledger.answers(1) == ()


def test_before_anybody_has_told_what_calls_take_one_is_under_way_in_all_workers_together() -> None:
    ledger = Ledger(Budget(tokens=150))
    assert len(asked(ledger, 1, 1, count=1, whose="the agent")) == 1
    assert asked(ledger, 2, 1, count=1, whose="the agent") == ()
    ledger.settle(1, (Spending(number=1, usage=tokens(100)),))
    (answer,) = ledger.answers(2)
    assert answer.refusal, "a second call may take as much as the first, which no longer fits"


async def test_a_call_waits_for_the_driver_and_tells_what_it_came_to() -> None:
    remote = RemoteBudget(cost=None, tokens=100, ask=lambda: None)
    admitted = asyncio.create_task(remote.admit(tokens(10)))
    while not remote.has_news():
        await asyncio.sleep(0)
    (request,), _ = remote.take()
    remote.hear((BudgetAnswer(number=request.number, estimate=tokens(10)),))
    remote.settle(await admitted, tokens(7))
    assert remote.take() == ((), (Spending(number=request.number, usage=tokens(7)),))


async def test_a_refusal_is_a_spent_budget() -> None:
    remote = RemoteBudget(cost=None, tokens=100, ask=lambda: None)
    admitted = asyncio.create_task(remote.admit(tokens(10)))
    while not remote.has_news():
        await asyncio.sleep(0)
    remote.hear((BudgetAnswer(number=1, estimate=tokens(10), refusal="the budget is spent"),))
    with pytest.raises(BudgetSpent, match="the budget is spent"):
        await admitted


async def test_what_is_let_in_after_its_caller_was_cancelled_is_given_back() -> None:
    remote = RemoteBudget(cost=None, tokens=100, ask=lambda: None)
    admitted = asyncio.create_task(remote.admit(tokens(10)))
    while not remote.has_news():
        await asyncio.sleep(0)
    remote.take()
    admitted.cancel()
    await asyncio.wait({admitted})
    remote.hear((BudgetAnswer(number=1, estimate=tokens(10)),))
    _, (spending,) = remote.take()
    assert (spending.number, spending.usage.input_tokens) == (1, 0)
