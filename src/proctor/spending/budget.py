"""A hard budget over every model that a run calls: what is spent, what is reserved for calls in flight, what is left.

    hold = await budget.admit(estimate)      waits while calls in flight may still leave enough; raises BudgetSpent
    budget.settle(hold, usage)               what it came to

A call begins only if what is spent, what is reserved and its own estimate fit together. As long as no call takes more
than its estimate, no more than the budget is ever spent.
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
"""Tokens that an answer is expected to have before the model's first ones have been seen."""
_SLACK = 1e-9
"""Of a budget: what floats may be off by, so that fifty calls of 0.01 fit into 0.50."""
_ENOUGH = 5
"""Answers after which their lengths tell more than the guess."""


@dataclass(frozen=True, eq=False, slots=True)
class Reservation:
    """What is reserved for one call. Every hold is its own, also where the estimates are equal."""

    estimate: Usage


class Budget:
    """So much money, so many tokens, or both; `spent` is what earlier sessions of the run have cost already."""

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
        """What the sum of the costs is off by, for millions of small ones."""
        self._holds: set[Reservation] = set()
        self._waiting: list[limits.Waiter] = []
        self._largest = _NOTHING
        """The most that any call was expected to take: a resume, which knows nothing yet, will expect as much."""
        self._lock = threading.RLock()

    @property
    def counts_money(self) -> bool:
        """Whether the cost is limited, and not only the tokens."""
        return self._cost is not None

    @property
    def spent(self) -> Usage:
        """What all settled calls have come to, and what was spent before."""
        return self._spent

    @property
    def reserved(self) -> Usage:
        """The estimates of the calls in flight, together."""
        estimates = [hold.estimate for hold in self._holds]
        return Usage(
            input_tokens=sum(estimate.input_tokens for estimate in estimates),
            output_tokens=sum(estimate.output_tokens for estimate in estimates),
            calls=len(estimates),
            cost=math.fsum(estimate.least for estimate in estimates),
        )

    def enough_for_the_next(self) -> tuple[float, int]:
        """The money and the tokens that the run needs at least to make its next call; 0 for what is not limited."""
        cost = 0.0 if self._cost is None else math.fsum((self._spent.least, self._largest.least))
        return cost, 0 if self._tokens is None else _tokens(self._spent) + _tokens(self._largest)

    def reserve(self, estimate: Usage) -> Reservation | None:
        """Set the estimate aside; None: it does not fit now, but may when a call in flight takes less than its own.

        Raises BudgetSpent where it cannot fit any more, Misconfigured where money is counted and the price unknown.
        """
        if self._cost is not None and estimate.cost is None:
            raise Misconfigured(_NO_PRICE.format(self._cost, "a model that is called"))
        with self._lock:
            self._largest = larger(self._largest, estimate)
            if lacking := self._lacking(estimate, _NOTHING):
                raise BudgetSpent(self._told(lacking))
            if self._lacking(estimate, self.reserved):
                return None
            hold = Reservation(estimate)
            self._holds.add(hold)
            return hold

    def settle(self, hold: Reservation, actual: Usage | None) -> Usage:
        """Replace what was reserved by what it came to, and tell it. None: nobody knows, and the estimate is spent.

        So it is for a call that failed after it may have been billed: nothing paid is forgotten.
        """
        with self._lock:
            self._holds.remove(hold)
            known = known_usage(hold.estimate, actual)
            self.charge(known)
        return known

    def charge(self, usage: Usage) -> None:
        """Count what was spent without a hold, such as what an agent of one's own says it has used."""
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
        """Reserve as soon as it fits. The wait is not the time of whoever is called.

        `whose` spending it is matters where several processes share a budget: what one has learned holds for all.
        """
        while not isinstance(place := self._hold_or_wait(estimate), Reservation):
            await limits.wait_outside_time_limit(place.until_woken)
        return place

    def _hold_or_wait(self, estimate: Usage) -> Reservation | limits.Waiter:
        """What is reserved, or who waits for the next call that settles."""
        with self._lock:
            hold = self.reserve(estimate)
            if hold is not None:
                return hold
            waiter = limits.Waiter()
            self._waiting.append(waiter)
            return waiter

    def _lacking(self, estimate: Usage, reserved: Usage) -> list[str]:
        """What does not fit: how much of it is spent, and how much more the call may take."""
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

    def _told(self, lacking: Sequence[str]) -> str:
        """Why there is no next call, and what would be enough for one."""
        nothing_left = (self._cost is not None and self._spent.least >= self._cost * (1 - _SLACK)) or (
            self._tokens is not None and _tokens(self._spent) >= self._tokens
        )
        cost, tokens = self.enough_for_the_next()
        enough = [amount(cost, up=True)] if cost else []
        enough += [f"{tokens:,} tokens"] if tokens else []
        said = "the budget is spent" if nothing_left else "the budget is not enough for the next call"
        return f"{said}: {'; '.join(lacking)}; resume with at least {' and '.join(enough)}"


def larger(a: Usage, b: Usage) -> Usage:
    """One call that takes as much as either; the first itself where the second takes no more of anything."""
    if b.input_tokens <= a.input_tokens and b.output_tokens <= a.output_tokens and b.least <= a.least:
        return a
    return Usage(
        input_tokens=max(a.input_tokens, b.input_tokens),
        output_tokens=max(a.output_tokens, b.output_tokens),
        calls=1,
        cost=max(a.least, b.least),
    )


class CallEstimator:
    """What the next call to a model may take: what it is allowed, else what earlier ones have taken, with some room."""

    def __init__(self, allowed: int | None = None) -> None:
        """`allowed`: the most tokens that an answer may have."""
        self._allowed = allowed
        self._longest = 0
        self._answers = 0
        self._density = 1.0

    def estimate(self, input_tokens: int, price: Price | None) -> Usage:
        """One call that is sent about so many tokens."""
        sent = math.ceil(input_tokens * self._density)
        output = self._allowed if self._allowed is not None else self._expected_output()
        cost = None if price is None else price.of(sent, output)
        return Usage(input_tokens=sent, output_tokens=output, calls=1, cost=cost)

    def learn(self, input_tokens: int, usage: Usage) -> None:
        """Take note of what a call has used that was expected to be sent about so many tokens."""
        self._answers += 1
        self._longest = max(self._longest, usage.output_tokens)
        if input_tokens:
            self._density = max(self._density, usage.input_tokens / input_tokens)

    def _expected_output(self) -> int:
        """The longest answer so far; as long as that is short, twice that, or a first guess until enough were seen."""
        room = 2 * self._longest if self._longest and self._answers >= _ENOUGH else _FIRST_GUESS
        return max(self._longest, min(room, _FIRST_GUESS))


_NO_PRICE = (
    "budget={!r} cannot be kept, because the price of {} is not known; give it in prices, as amounts per million "
    "tokens: {{input = …, output = …}}, or limit max_tokens instead"
)


def must_have_prices(models: Iterable[str], prices: Mapping[str, Any], *, budget: float) -> None:
    """Refuse, before the first call, a budget of money for models whose price nobody has given. Raises InputError."""
    unknown = sorted({model for model in models if price_of(model, prices) is None})
    if unknown:
        raise InputError(_NO_PRICE.format(budget, ", ".join(map(repr, unknown))))


def known_usage(estimate: Usage, actual: Usage | None) -> Usage:
    """What a call came to; the estimate where nobody says, as some servers do not."""
    if actual is None or (actual.calls and not _tokens(actual) and not actual.least):
        return estimate
    return actual


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
