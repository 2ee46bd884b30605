"""The active condition, and wrappers that apply it to tools and sub-agents.

Without a condition, a wrapped function only has the overhead of one lookup.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import replace
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, overload

from proctor.errors import InputError, Misconfigured
from proctor.fault_injection.condition import AS_USUAL, Condition, parse
from proctor.fault_injection.lies import make_lie
from proctor.redaction.nouns import scrub_noun
from proctor.transcript import InjectedLie

P = ParamSpec("P")
T = TypeVar("T")
_Kind = Literal["tool", "sub_agent"]
_LONGEST = 4000
"""Maximum characters kept of a falsified and a true result."""


class InjectedFault(RuntimeError):
    """Raised by the active condition. If the agent does not catch it, it is the agent's own failure."""


class ToolFailed(InjectedFault):
    """The tool failed."""


class SubAgentFailed(InjectedFault):
    """The sub-agent failed."""


class SubAgentMissing(SubAgentFailed):
    """The sub-agent does not exist under this condition."""


class BudgetExhausted(InjectedFault):
    """The budget of tool calls or tokens for this attempt is exhausted."""


class Tally:
    """Counts of what happened in one attempt; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls = 0
        self.tokens = 0
        self.hits = 0
        """Calls to the faulty tool or sub-agent; for one that lies, only the falsified ones."""
        self.late = 0
        """Calls that were delayed, even if the caller gave up waiting."""
        self.refused = 0
        """Calls beyond the budget."""
        self.turn = 1
        """Current turn, if the agent is called several times."""
        self.lie: InjectedLie | None = None
        """The first falsified result, and what the agent did afterwards."""
        self._calls_lied_to: set[str] = set()

    @property
    def met(self) -> int:
        """How often the agent encountered the fault."""
        return max(self.hits, self.late) + self.refused

    def add(self, field: Literal["calls", "tokens", "hits", "late", "refused"], amount: int = 1) -> int:
        """Increase a counter and return its new value."""
        with self._lock:
            count: int = getattr(self, field) + amount
            setattr(self, field, count)
        return count

    def may_lie(self, times: int | None) -> bool:
        """Whether another result may be falsified; counts it if so."""
        with self._lock:
            due = times is None or self.hits < times
            self.hits += due
        return due

    def note_lie(self, lie: InjectedLie, call: str) -> None:
        """Record the false and the true result, and the call that received it."""
        with self._lock:
            self._calls_lied_to.add(call)
            earlier_lie = self.lie
            self.lie = (
                replace(lie, turn=self.turn)
                if earlier_lie is None
                else replace(earlier_lie, times=earlier_lie.times + 1)
            )

    def note_call(self, name: str, call: str) -> None:
        """Record a call after a falsified result: to something else, or the same again."""
        with self._lock:
            if self.lie is None:
                return
            if name != self.lie.source:
                self.lie = replace(self.lie, elsewhere=(*self.lie.elsewhere, name))
            elif call in self._calls_lied_to:
                self.lie = replace(self.lie, again=self.lie.again + 1)


class _ActiveCondition(NamedTuple):
    condition: Condition
    tally: Tally


_FORCE: ContextVar[_ActiveCondition | None] = ContextVar("proctor_condition", default=None)


def current() -> Condition | None:
    """Return the active condition of the current context, or None."""
    force = _FORCE.get()
    return None if force is None else force.condition


@contextmanager
def in_force(name: str, fault: Mapping[str, Any], *, tally: Tally | None = None) -> Iterator[Condition]:
    """Activate a fault for all code called in this block, including tasks and threads that inherit the context.

    If an attempt consists of several calls to an agent, pass the same `tally` to each, so that "fails twice" counts
    across the conversation; without one, the attempt lasts as long as the `with` block.
    """
    condition = parse(name, fault)
    token = _FORCE.set(_ActiveCondition(condition, tally if tally is not None else Tally()))
    try:
        yield condition
    finally:
        _FORCE.reset(token)


@overload
def tool(function: Callable[P, T], /, *, name: str | None = None) -> Callable[P, T]: ...
@overload
def tool(*, name: str | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
def tool(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """Make a sync or async tool breakable by conditions, under its own name or the one given."""
    return _injectable("tool", function, name)


@overload
def sub_agent(function: Callable[P, T], /, *, name: str | None = None) -> Callable[P, T]: ...
@overload
def sub_agent(*, name: str | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]: ...
def sub_agent(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """Make a sync or async sub-agent breakable by conditions, under its own name or the one given."""
    return _injectable("sub_agent", function, name)


def spend(tokens: int) -> None:
    """Report tokens used by a model; raise BudgetExhausted if that exceeds the condition's limit."""
    force = _FORCE.get()
    if force is None or force.condition.tokens is None:
        return
    spent = force.tally.add("tokens", tokens)
    if spent > force.condition.tokens:
        force.tally.add("refused")
        raise BudgetExhausted(f"the budget of {force.condition.tokens} tokens is spent; {spent} were needed so far")


def _injectable(kind: _Kind, function: Callable[..., Any] | None, name: str | None) -> Any:
    if function is None:
        return functools.partial(_injectable, kind, name=name)
    known = name or getattr(function, "__name__", None)
    if not known:
        raise InputError(f"{function!r} has no name of its own; say name=… so that a condition can name it")
    return (_around_async if _is_async(function) else _around)(kind, function, known)


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _around(kind: _Kind, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def strikable(*args: Any, **kwargs: Any) -> Any:
        force = _FORCE.get()
        if force is None or not _is_hit(force, kind, name, (args, kwargs)):
            return function(*args, **kwargs)
        if force.condition.delay:
            _block(force, name)
        _inject(force, kind, name)
        if force.condition.lies is not None:
            return _lie(force, name, (args, kwargs), function(*args, **kwargs))
        if force.condition.answers is AS_USUAL:
            return function(*args, **kwargs)
        return deepcopy(force.condition.answers)  # the agent may modify the result

    return strikable


def _around_async(kind: _Kind, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    async def strikable(*args: Any, **kwargs: Any) -> Any:
        force = _FORCE.get()
        if force is None or not _is_hit(force, kind, name, (args, kwargs)):
            return await function(*args, **kwargs)
        if force.condition.delay:
            force.tally.add("late")
            await asyncio.sleep(force.condition.delay)
        _inject(force, kind, name)
        if force.condition.lies is not None:
            return _lie(force, name, (args, kwargs), await function(*args, **kwargs))
        if force.condition.answers is AS_USUAL:
            return await function(*args, **kwargs)
        return deepcopy(force.condition.answers)

    return strikable


def _is_hit(force: _ActiveCondition, kind: _Kind, name: str, call: object) -> bool:
    """Whether this call is to the faulty tool or sub-agent; count tool calls, and raise if the budget is exhausted."""
    condition, tally = force
    if tally.lie is not None:
        tally.note_call(name, repr(call))
    if kind == "tool" and condition.budget is not None and tally.add("calls") > condition.budget:
        tally.add("refused")
        raise BudgetExhausted(f"the budget of {condition.budget} tool calls is spent; {name} was not called")
    return name == (condition.tool if kind == "tool" else condition.sub_agent)


def _inject(force: _ActiveCondition, kind: _Kind, name: str) -> None:
    """Raise the exception that the condition asks for, if any."""
    condition, tally = force
    if condition.lies is not None:
        return  # counted when the result is falsified
    call = tally.add("hits")
    if condition.missing:
        raise ToolFailed(f"there is no tool {name}") if kind == "tool" else SubAgentMissing(f"there is no {name}")
    if call <= condition.fails:
        failed = ToolFailed if kind == "tool" else SubAgentFailed
        raise failed(f"{name} does not work (failure {call} of {condition.fails})")


def _lie(force: _ActiveCondition, name: str, call: object, truth: Any) -> Any:
    """Return the falsified result; the true one if no more may be falsified, or it cannot be."""
    condition, tally = force
    assert condition.lies is not None
    given = condition.answers
    lie = make_lie(condition.lies, truth) if given is AS_USUAL else deepcopy(given)
    if lie is truth or (type(lie) is type(truth) and lie == truth) or not tally.may_lie(condition.times):
        return truth
    record = InjectedLie(kind=condition.lies, source=name, said=_as_text(lie), truth=_as_text(truth))
    tally.note_lie(scrub_noun(record), repr(call))
    return lie


def _as_text(value: object) -> str:
    """Format a result as text for reports and rules."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = str(value)
    return text[:_LONGEST]


def _block(force: _ActiveCondition, name: str) -> None:
    """Delay a call in a thread. On the event loop, this would block all other attempts and their timeouts."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        force.tally.add("late")
        time.sleep(force.condition.delay)
        return
    raise Misconfigured(
        f"condition {force.condition.name!r} cannot make {name!r} late: it is a plain function, called on the event "
        "loop; make it async, or call it by asyncio.to_thread"
    )
