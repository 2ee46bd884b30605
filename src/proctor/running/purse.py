"""What an agent of somebody's own takes of the run's budget: Purse. Calls to our own models settle by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from proctor.errors import EnvironmentFault, Misconfigured
from proctor.faults import classify
from proctor.models.allowance import Allowance, current, granted
from proctor.models.budget import Budget
from proctor.models.faults import spending
from proctor.net.limits import uncounted
from proctor.roles import Agent
from proctor.transcript import Reply
from proctor.usage import Usage

_NOTHING = Usage(cost=0.0)
_SOMETHING = Usage(input_tokens=1, calls=1, cost=0.0001)
"""What the first reply of a sitting may take, of which nothing is known: more than a budget has left that is spent."""


class Purse:
    """Lets a reply begin only if the most that one has used so far still fits, and counts what it came to."""

    def __init__(self, agent: Agent) -> None:
        self._settles = getattr(agent, "settles", False)
        self._most = _SOMETHING
        self._first = asyncio.Lock()
        self._told = False
        """Whether a reply has been waited for, so that the next ones know what replies take."""

    async def paid(self, ask: Callable[[], Awaitable[Reply]]) -> Reply:
        """The reply; raises BudgetSpent where there is not enough left for it."""
        allowance = current()
        if allowance is None or allowance.budget is None or self._settles:
            return await ask()
        if not self._told:
            await uncounted(self._wait_for_the_first)
            try:
                if not self._told:
                    return await self._held(ask, allowance, allowance.budget)
            finally:
                self._told = True
                self._first.release()
        return await self._held(ask, allowance, allowance.budget)

    async def _wait_for_the_first(self) -> None:
        """Until one reply has told what replies take, there is only that one under way."""
        await self._first.acquire()

    async def _held(self, ask: Callable[[], Awaitable[Reply]], allowance: Allowance, budget: Budget) -> Reply:
        hold = await budget.admit(self._most)
        try:
            with granted(replace(allowance, budget=None)):  # models that it calls through us are in what it tells
                reply = await ask()
        except BaseException as error:
            budget.settle(hold, self._lost(error))
            raise
        used = reply.usage or _NOTHING
        budget.settle(hold, used)
        if budget.counts_money and used.cost is None:
            fault = Misconfigured(
                f"the agent tells that it used {used.input_tokens + used.output_tokens:,} tokens, but not what they "
                "cost, so the budget cannot be kept; have it tell the cost, or use --max-tokens"
            )
            raise spending(fault, used)
        if reply.usage is not None:
            self._most = _larger(self._most, used)
        return reply

    def _lost(self, error: BaseException) -> Usage | None:
        """What a reply that failed has used: what it tells; nothing where nobody was reached; else the estimate (None).

        An agent that has never told what it uses is not guessed at.
        """
        told: Usage | None = getattr(error, "spent", None)
        if told is not None:
            return told
        unreached = isinstance(classify(error), EnvironmentFault)
        return _NOTHING if unreached or self._most is _SOMETHING else None


def _larger(a: Usage, b: Usage) -> Usage:
    return Usage(
        input_tokens=max(a.input_tokens, b.input_tokens),
        output_tokens=max(a.output_tokens, b.output_tokens),
        calls=1,
        cost=max(a.least, b.least),
    )
