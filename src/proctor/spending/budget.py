"""A hard budget over all model calls of a run: what is spent, reserved for calls in flight, and left.

    hold = await budget.admit(estimate)      waits while calls in flight may still leave enough; raises BudgetSpent
    budget.settle(hold, usage)               replaces the reservation by the actual usage

A call begins only if what is spent, what is reserved and its own estimate fit the budget together. As long as no call
exceeds its estimate, the budget is never exceeded.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.errors import BudgetSpent, InputError, Misconfigured, UsageError
from proctor.net import limits
from proctor.spending.prices import Price, amount, price_of
from proctor.usage import Usage

_NOTHING = Usage(cost=0.0)
_FIRST_GUESS = 1_000
"""Assumed output tokens of a call before a model's first answers are known."""
_SLACK = 1e-9
"""Relative rounding tolerance of a budget, so that fifty calls of 0.01 fit into 0.50."""
_ENOUGH = 5
"""Number of answers after which their lengths replace the first guess."""


@dataclass(frozen=True, eq=False, slots=True)
class Reservation:
    """Reservation for one call; compared by identity, as estimates may be equal."""

    estimate: Usage


class Budget:
    """Limit on cost, tokens, or both; `spent` is the usage of earlier sessions of the run."""

    def __init__(self, *, cost: float | None = None, tokens: int | None = None, spent: Usage = _NOTHING) -> None:
        for name, value in (("budget", cost), ("max_tokens", tokens)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise UsageError(f"{name}={value!r} cannot be spent; expected a number of at least 0")
        if cost is not None and spent.calls and spent.cost is None:
            raise UsageError(
                f"budget={cost!r} cannot be kept: what the run has cost so far is not known; give max_tokens instead"
            )
        self._cost = cost
        self._tokens = tokens
        self._spent = _NOTHING + spent
        self._off = 0.0
        """Rounding error of the summed cost, compensated for when adding millions of small costs."""
        self._holds: set[Reservation] = set()
        self._waiting: list[limits.Waiter] = []
        self._largest = _NOTHING
        """Largest estimate so far, which a resumed run will have to reserve for its first call as well."""
        self._lock = threading.RLock()

    @property
    def counts_money(self) -> bool:
        """Whether the cost is limited."""
        return self._cost is not None

    @property
    def spent(self) -> Usage:
        """Usage of all settled calls, including earlier sessions."""
        return self._spent

    @property
    def reserved(self) -> Usage:
        """Sum of the estimates of the calls in flight."""
        estimates = [hold.estimate for hold in self._holds]
        return Usage(
            input_tokens=sum(estimate.input_tokens for estimate in estimates),
            output_tokens=sum(estimate.output_tokens for estimate in estimates),
            calls=len(estimates),
            cost=math.fsum(estimate.least for estimate in estimates),
        )

    def enough_for_the_next(self) -> tuple[float, int]:
        """Return the cost and token limits needed at least for the next call; 0 for what is not limited."""
        cost = 0.0 if self._cost is None else math.fsum((self._spent.least, self._largest.least))
        return cost, 0 if self._tokens is None else _tokens(self._spent) + _tokens(self._largest)

    def reserve(self, estimate: Usage) -> Reservation | None:
        """Reserve the estimate; None if it does not fit now, but may once a call in flight uses less than reserved.

        Raises BudgetSpent if it cannot fit any more, Misconfigured if the cost is limited and the price unknown.
        """
        if self._cost is not None and estimate.cost is None:
            raise Misconfigured(_NO_PRICE.format(self._cost, "a model that is called"))
        with self._lock:
            self._largest = larger(self._largest, estimate)
            if lacking := self._lacking(estimate, _NOTHING):
                raise BudgetSpent(self._describe_shortage(lacking))
            if self._lacking(estimate, self.reserved):
                return None
            hold = Reservation(estimate)
            self._holds.add(hold)
            return hold

    def settle(self, hold: Reservation, actual: Usage | None) -> Usage:
        """Replace a reservation by the actual usage and return it; if it is unknown (None), the estimate counts.

        The latter applies to a call that failed but may have been billed.
        """
        with self._lock:
            self._holds.remove(hold)
            known = known_usage(hold.estimate, actual)
            self.charge(known)
        return known

    def charge(self, usage: Usage) -> None:
        """Count usage without a reservation, such as that reported by a custom agent."""
        with self._lock:
            cost = math.fsum((self._spent.least, self._off, usage.least))
            self._off = math.fsum((self._spent.least, self._off, usage.least, -cost))
            self._spent = Usage(
                input_tokens=self._spent.input_tokens + usage.input_tokens,
                output_tokens=self._spent.output_tokens + usage.output_tokens,
                calls=self._spent.calls + usage.calls,
                cost=cost,
                cached=self._spent.cached + usage.cached,
            )
            waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.wake()

    async def admit(self, estimate: Usage, *, whose: str = "") -> Reservation:
        """Reserve as soon as the estimate fits. Waiting does not count towards the timeout of the call.

        `whose` names the spender, for budgets shared by processes: usage learned from one call applies to all of its
        calls.
        """
        while not isinstance(place := self._hold_or_wait(estimate), Reservation):
            await limits.wait_outside_time_limit(place.until_woken)
        return place

    def _hold_or_wait(self, estimate: Usage) -> Reservation | limits.Waiter:
        """Return a reservation, or a waiter for the next call to settle."""
        with self._lock:
            hold = self.reserve(estimate)
            if hold is not None:
                return hold
            waiter = limits.Waiter()
            self._waiting.append(waiter)
            return waiter

    def _lacking(self, estimate: Usage, reserved: Usage) -> list[str]:
        """Describe what does not fit: how much is spent, and how much the call may use."""
        lacking = []
        cost = math.fsum(usage.least for usage in (self._spent, reserved, estimate))
        if self._cost is not None and cost > self._cost * (1 + _SLACK):
            spent, most = amount(self._spent.least), amount(self._cost)
            lacking.append(f"{spent} of {most} used, and the next call may take {amount(estimate.least)}")
        tokens = _tokens(self._spent) + _tokens(reserved) + _tokens(estimate)
        if self._tokens is not None and tokens > self._tokens:
            spent, most = f"{_tokens(self._spent):,}", f"{self._tokens:,} tokens"
            lacking.append(f"{spent} of {most} used, and the next call may take {_tokens(estimate):,}")
        return lacking

    def _describe_shortage(self, lacking: Sequence[str]) -> str:
        """Explain why there is no next call, and what budget would suffice for one."""
        nothing_left = (self._cost is not None and self._spent.least >= self._cost * (1 - _SLACK)) or (
            self._tokens is not None and _tokens(self._spent) >= self._tokens
        )
        cost, tokens = self.enough_for_the_next()
        enough = [amount(cost, up=True)] if cost else []
        enough += [f"{tokens:,} tokens"] if tokens else []
        cause = "the budget is spent" if nothing_left else "the budget is not enough for the next call"
        return f"{cause}: {'; '.join(lacking)}; resume with at least {' and '.join(enough)}"


def larger(a: Usage, b: Usage) -> Usage:
    """Return a usage with the larger value of each field; `a` itself if `b` exceeds it in none."""
    if b.input_tokens <= a.input_tokens and b.output_tokens <= a.output_tokens and b.least <= a.least:
        return a
    return Usage(
        input_tokens=max(a.input_tokens, b.input_tokens),
        output_tokens=max(a.output_tokens, b.output_tokens),
        calls=1,
        cost=max(a.least, b.least),
    )


class CallEstimator:
    """Estimates the next call's usage: from the output limit if there is one, else from earlier calls with a margin."""

    def __init__(self, allowed: int | None = None) -> None:
        """`allowed`: maximum number of output tokens."""
        self._allowed = allowed
        self._longest = 0
        self._answers = 0
        self._density = 1.0

    def estimate(self, input_tokens: int, price: Price | None) -> Usage:
        """Estimate the usage of a call with about `input_tokens` input tokens."""
        sent = math.ceil(input_tokens * self._density)
        output = self._allowed if self._allowed is not None else self._expected_output()
        cost = None if price is None else price.of(sent, output)
        return Usage(input_tokens=sent, output_tokens=output, calls=1, cost=cost)

    def learn(self, input_tokens: int, usage: Usage) -> None:
        """Learn from the actual usage of a call that was estimated with `input_tokens`."""
        self._answers += 1
        self._longest = max(self._longest, usage.output_tokens)
        if input_tokens:
            self._density = max(self._density, usage.input_tokens / input_tokens)

    def _expected_output(self) -> int:
        """Return the expected output tokens: the longest answer so far, or more while answers are short.

        Up to the first guess, twice the longest answer; the guess itself before enough answers are known.
        """
        room = 2 * self._longest if self._longest and self._answers >= _ENOUGH else _FIRST_GUESS
        return max(self._longest, min(room, _FIRST_GUESS))


_NO_PRICE = (
    "budget={!r} cannot be kept, because the price of {} is not known; give it in prices, as amounts per million "
    "tokens: {{input = …, output = …}}, or limit max_tokens instead"
)


def must_have_prices(models: Iterable[str], prices: Mapping[str, Any], *, budget: float) -> None:
    """Raise InputError before the first call if a cost limit is set, but the price of a model is unknown."""
    unknown = sorted({model for model in models if price_of(model, prices) is None})
    if unknown:
        raise InputError(_NO_PRICE.format(budget, ", ".join(map(repr, unknown))))


def known_usage(estimate: Usage, actual: Usage | None) -> Usage:
    """Return the actual usage, or the estimate if the server reported none."""
    if actual is None or (actual.calls and not _tokens(actual) and not actual.least):
        return estimate
    return actual


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
