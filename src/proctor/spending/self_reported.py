"""Budget control for custom agents, reviewers and examiners, which report their own usage: SelfReportedSpending.

    spending = SelfReportedSpending("the reviewer", settles=False)
    await spending.paid(lambda: reviewer.review(case, turns), told=lambda review: review.usage)

The usage it reports is charged, less that of model calls through Proctor, which are settled separately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from proctor.errors import EnvironmentFault, Misconfigured
from proctor.failures import classify, with_spending
from proctor.net.limits import wait_outside_time_limit
from proctor.spending.budget import Budget, larger
from proctor.spending.run_limits import Bill, current, keeping
from proctor.usage import Usage

T = TypeVar("T")
_NOTHING = Usage(cost=0.0)
_SOMETHING = Usage(input_tokens=1, calls=1, cost=0.0001)
"""Initial estimate for the first call, whose usage is unknown: just enough to be refused if the budget is spent."""


class SelfReportedSpending:
    """Admits a call only if the highest usage so far fits the budget, and counts its actual usage."""

    def __init__(self, whose: str, *, settles: bool) -> None:
        """`settles`: all of its usage is from model calls through Proctor, so that nothing needs to be done here."""
        self._whose = whose
        self._settles = settles
        self._most = _SOMETHING
        self._first = asyncio.Lock()
        self._known = False

    def is_kept(self) -> bool:
        """Whether calls are subject to a budget."""
        limits = current()
        return not (self._settles or limits is None or limits.budget is None)

    async def paid(self, make: Callable[[], Awaitable[T]], *, told: Callable[[T], Usage | None]) -> T:
        """Make the call; raises BudgetSpent if the budget does not suffice."""
        limits = current()
        if self._settles or limits is None or limits.budget is None:
            return await make()
        if not self._known:
            await wait_outside_time_limit(self._wait_for_the_first)
            try:
                if not self._known:
                    return await self._call_with_reservation(make, told, limits.budget)
            finally:
                self._known = True
                self._first.release()
        return await self._call_with_reservation(make, told, limits.budget)

    async def _wait_for_the_first(self) -> None:
        """Let only one call run until the first usage is known."""
        await self._first.acquire()

    async def _call_with_reservation(
        self, make: Callable[[], Awaitable[T]], usage_of: Callable[[T], Usage | None], budget: Budget
    ) -> T:
        tab = Bill(budget, await budget.admit(self._most, whose=self._whose))
        try:
            with keeping(tab):
                result = await make()
        except BaseException as error:
            tab.close(self._lost(error))
            raise
        used = usage_of(result) or _NOTHING
        own = tab.close(used) or _NOTHING
        if budget.counts_money and own.cost is None and (own.input_tokens or own.output_tokens):
            fault = Misconfigured(
                f"{self._whose} reports that it used {own.input_tokens + own.output_tokens:,} tokens, but not what "
                "they cost, so the budget cannot be kept; have it report the cost, or use --max-tokens"
            )
            raise with_spending(fault, used)
        self._most = larger(self._most, own)
        return result

    def _lost(self, error: BaseException) -> Usage | None:
        """Return the usage of a failed call: as reported, nothing if no server was reached, else unknown (None).

        If it has never reported any usage, nothing is assumed.
        """
        spent: Usage | None = getattr(error, "spent", None)
        if spent is not None:
            return spent
        unreached = isinstance(classify(error), EnvironmentFault)
        return _NOTHING if unreached or self._most is _SOMETHING else None
