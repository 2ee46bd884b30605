"""What an agent, reviewer or examiner of somebody's own takes of the run's budget: SelfReportedSpending.

    spending = SelfReportedSpending("the reviewer", settles=False)
    await spending.paid(lambda: reviewer.review(case, turns), told=lambda review: review.usage)

What it reports that it used is charged, less what its calls to models through us have settled by themselves.
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
"""What the first call may take, of which nothing is known: more than a budget has left that is spent."""


class SelfReportedSpending:
    """Lets a call begin only if the most that one has used so far still fits, and counts what it came to."""

    def __init__(self, whose: str, *, settles: bool) -> None:
        """`settles`: all that it uses are models called through us, so that nothing is left to do."""
        self._whose = whose
        self._settles = settles
        self._most = _SOMETHING
        self._first = asyncio.Lock()
        self._known = False

    def is_kept(self) -> bool:
        """Whether there is a budget that calls have to be held to."""
        limits = current()
        return not (self._settles or limits is None or limits.budget is None)

    async def paid(self, make: Callable[[], Awaitable[T]], *, told: Callable[[T], Usage | None]) -> T:
        """Make the call; raises BudgetSpent where there is not enough left for it."""
        limits = current()
        if self._settles or limits is None or limits.budget is None:
            return await make()
        if not self._known:
            await wait_outside_time_limit(self._wait_for_the_first)
            try:
                if not self._known:
                    return await self._held(make, told, limits.budget)
            finally:
                self._known = True
                self._first.release()
        return await self._held(make, told, limits.budget)

    async def _wait_for_the_first(self) -> None:
        """Until one call has told what calls take, there is only one under way."""
        await self._first.acquire()

    async def _held(self, make: Callable[[], Awaitable[T]], told: Callable[[T], Usage | None], budget: Budget) -> T:
        tab = Bill(budget, await budget.admit(self._most, whose=self._whose))
        try:
            with keeping(tab):
                result = await make()
        except BaseException as error:
            tab.close(self._lost(error))
            raise
        used = told(result) or _NOTHING
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
        """What a call that failed has used: what it tells; nothing where nobody was reached; else the estimate (None).

        Who has never told what it uses is not guessed at.
        """
        spent: Usage | None = getattr(error, "spent", None)
        if spent is not None:
            return spent
        unreached = isinstance(classify(error), EnvironmentFault)
        return _NOTHING if unreached or self._most is _SOMETHING else None
