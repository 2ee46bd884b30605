"""What the calls of a run may use together, whoever makes them: rate limits, a cache, a budget.

    with enforce_limits(RunLimits(limits=Limits(…), cache=Cache(…), budget=Budget(…))):      around the run
        set_scope(case=…, condition=…, trial=…)                                     in the task of an attempt
        …                                          every `openai:` agent and every `ask` in here keeps to it

Both reach tasks and threads that are started inside. Without limits nothing is limited, kept or refused.
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
    """In which attempt a call is made. Part of a cached reply's key: a second trial is a second sample, not a copy."""

    case: str | None
    """The case's or the exam's id."""
    condition: str | None
    """The condition in force."""
    trial: int
    """From 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLimits:
    """What a run may use."""

    limits: Limits = field(default_factory=Limits)
    """How fast each provider may be called."""
    cache: Cache | None = None
    """Where replies are kept; None: nowhere."""
    budget: Budget | None = None
    """How much may be spent; None: any amount."""

    def call(self, source: Source, estimate: Usage) -> Call:
        """A call that is about to be made, to be entered with `async with`."""
        return Call(self, source, estimate)


class Bill:
    """What a part of somebody's own uses while it works.

    Something is held for it until it calls a model through us: such calls are let in and settled by themselves, and
    would wait for ever on what is held for the one that makes them.
    """

    def __init__(self, budget: Budget, hold: Reservation) -> None:
        self._budget = budget
        self._hold: Reservation | None = hold
        self._settled = _NOTHING

    def stand_aside(self) -> None:
        """A call is about to be made that takes its own place."""
        hold, self._hold = self._hold, None
        if hold is not None:
            self._budget.settle(hold, _NOTHING)

    def note(self, usage: Usage) -> None:
        """Such a call has come to so much."""
        self._settled += usage

    def close(self, used: Usage | None) -> Usage | None:
        """Charge what was used besides, and tell it. None: nobody knows, and what is still held counts as used."""
        own = None if used is None else used - self._settled
        hold, self._hold = self._hold, None
        if hold is not None:
            self._budget.settle(hold, own)
        elif own is not None:
            self._budget.charge(own)
        return own


class Call(AbstractAsyncContextManager["Call"]):
    """One call: waits until it is let in, and settles what it came to. Raises BudgetSpent on the way in."""

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
        """The model answered, at this price."""
        self._actual = usage
        self._throttle.report(200, began=self._began)
        if usage.input_tokens or usage.output_tokens:
            self._throttle.charge(self._tokens(usage) - self._tokens(self._estimate))

    def count_refusal(self, status: int, *, retry_after: float | None = None) -> None:
        """The server answered with an error, and therefore for nothing."""
        self._actual = _NOTHING
        self._throttle.report(status, retry_after=retry_after, began=self._began)

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._throttle.leave()
        if self._actual is None and isinstance(error, EnvironmentFault):
            self._actual = _NOTHING  # it was never reached
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
    """Hold every call that is made from here to these limits."""
    token = _GRANTED.set(limits)
    try:
        yield limits
    finally:
        _GRANTED.reset(token)


@contextmanager
def keeping(tab: Bill) -> Iterator[None]:
    """Have the calls that are made from here noted on this tab."""
    token = _TAB.set(tab)
    try:
        yield
    finally:
        _TAB.reset(token)


def current() -> RunLimits | None:
    """The limits that hold here; None: there is none."""
    return _GRANTED.get()


def set_scope(*, case: str | None, condition: str | None, trial: int) -> None:
    """Say in which attempt the calls in this context are made. Without it, what reviewers and examiners ask is not
    cached.
    """
    _SCOPE.set(AttemptScope(case=case, condition=condition, trial=trial))


def current_scope() -> AttemptScope | None:
    """The attempt that is under way here; None: nobody has said."""
    return _SCOPE.get()
