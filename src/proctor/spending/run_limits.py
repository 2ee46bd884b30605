"""Limits shared by all calls of a run: rate limits, cache and budget.

    with enforce_limits(RunLimits(limits=Limits(…), cache=Cache(…), budget=Budget(…))):      around the run
        set_scope(case=…, condition=…, trial=…)                                     in the task of an attempt
        …                                          applies to every `openai:` agent and every `ask` in here

Both are inherited by tasks and threads started inside. Without them, nothing is limited, cached or refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from proctor.errors import EnvironmentFault
from proctor.spending.budget import Budget, Reservation
from proctor.spending.cache import Cache
from proctor.spending.limits import Limits
from proctor.spending.providers import Source
from proctor.usage import Usage

_NOTHING = Usage()
_GRANTED: ContextVar[RunLimits | None] = ContextVar("proctor_limits", default=None)
_SCOPE: ContextVar[AttemptScope | None] = ContextVar("proctor_scope", default=None)
_TAB: ContextVar[Bill | None] = ContextVar("proctor_tab", default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptScope:
    """Attempt in which a call is made. Part of the cache key: a second trial is a second sample, not a copy."""

    case: str | None
    """Id of the case or exam."""
    condition: str | None
    """Name of the condition."""
    trial: int
    """Number of the trial, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLimits:
    """Rate limits, cache and budget of a run."""

    limits: Limits = field(default_factory=Limits)
    """Rate limits by provider."""
    cache: Cache | None = None
    """Cache of replies, or None."""
    budget: Budget | None = None
    """Budget, or None if unlimited."""

    def call(self, source: Source, estimate: Usage) -> Call:
        """Return a context manager (`async with`) for a call."""
        return Call(self, source, estimate)


class Bill:
    """Usage of a custom component while it works.

    A reservation is held for it until it calls a model through Proctor: such calls are admitted and settled on their
    own, and would otherwise wait forever for the reservation held for their caller.
    """

    def __init__(self, budget: Budget, hold: Reservation) -> None:
        self._budget = budget
        self._hold: Reservation | None = hold
        self._settled = _NOTHING

    def stand_aside(self) -> None:
        """Release the reservation before a call that makes its own."""
        hold, self._hold = self._hold, None
        if hold is not None:
            self._budget.settle(hold, _NOTHING)

    def note(self, usage: Usage) -> None:
        """Add the usage of such a call."""
        self._settled += usage

    def close(self, used: Usage | None) -> Usage | None:
        """Charge and return usage beyond settled calls; if `used` is None, a reservation still held counts as spent."""
        own = None if used is None else used - self._settled
        hold, self._hold = self._hold, None
        if hold is not None:
            self._budget.settle(hold, own)
        elif own is not None:
            self._budget.charge(own)
        return own


class Call(AbstractAsyncContextManager["Call"]):
    """One model call: waits until admitted, and settles its usage. Raises BudgetSpent on entry."""

    __slots__ = ("_actual", "_began", "_budget", "_estimate", "_hold", "_throttle")

    def __init__(self, limits: RunLimits, source: Source, estimate: Usage) -> None:
        self._throttle = limits.limits.of(source)
        self._budget = limits.budget
        self._estimate = estimate
        self._hold: Reservation | None = None
        self._actual: Usage | None = None
        self._began = 0.0

    async def __aenter__(self) -> Call:
        if self._budget is not None:
            if (tab := _TAB.get()) is not None:
                tab.stand_aside()
            self._hold = await self._budget.admit(self._estimate)
        try:
            self._began = await self._throttle.enter(self._tokens(self._estimate))
        except BaseException:
            self._settle(_NOTHING)
            raise
        return self

    def count_answer(self, usage: Usage) -> None:
        """Record a successful call and its usage."""
        self._actual = usage
        self._throttle.report(200, began=self._began)
        if usage.input_tokens or usage.output_tokens:
            self._throttle.charge(self._tokens(usage) - self._tokens(self._estimate))

    def count_refusal(self, status: int, *, retry_after: float | None = None) -> None:
        """Record an error response, which costs nothing."""
        self._actual = _NOTHING
        self._throttle.report(status, retry_after=retry_after, began=self._began)

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._throttle.leave()
        if self._actual is None and isinstance(error, EnvironmentFault):
            self._actual = _NOTHING  # the server was never reached
        self._settle(self._actual)

    def _settle(self, actual: Usage | None) -> None:
        if self._budget is not None and self._hold is not None:
            charged = self._budget.settle(self._hold, actual)
            if (tab := _TAB.get()) is not None:
                tab.note(charged)

    @staticmethod
    def _tokens(usage: Usage) -> int:
        return usage.input_tokens + usage.output_tokens


@contextmanager
def enforce_limits(limits: RunLimits) -> Iterator[RunLimits]:
    """Apply these limits to all calls made in this context."""
    token = _GRANTED.set(limits)
    try:
        yield limits
    finally:
        _GRANTED.reset(token)


@contextmanager
def keeping(tab: Bill) -> Iterator[None]:
    """Record usage of calls made in this context on a bill."""
    token = _TAB.set(tab)
    try:
        yield
    finally:
        _TAB.reset(token)


def current() -> RunLimits | None:
    """Return the limits of this context, or None."""
    return _GRANTED.get()


def set_scope(*, case: str | None, condition: str | None, trial: int) -> None:
    """Set the attempt of the calls in this context. Without it, calls of reviewers and examiners are not cached."""
    _SCOPE.set(AttemptScope(case=case, condition=condition, trial=trial))


def current_scope() -> AttemptScope | None:
    """Return the attempt of this context, or None if not set."""
    return _SCOPE.get()
