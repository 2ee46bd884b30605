"""Declaration of faults: Condition, and parsing its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from proctor.errors import InputError
from proctor.fault_injection.lies import LIES
from proctor.settings import did_you_mean
from proctor.transcript import LieKind

TARGETS = ("tool", "sub_agent")
FAULTS = ("fails", "delay", "answers", "missing", "lies")
RESERVED = ("all", "none", "")
"""Names with a special meaning where conditions are selected."""


class Answer(Enum):
    """Marker type for the absence of a fixed answer."""

    AS_USUAL = "as usual"


AS_USUAL = Answer.AS_USUAL


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """The faults injected while the condition is active."""

    name: str
    tool: str | None = None
    """Name of the faulty tool."""
    sub_agent: str | None = None
    """Name of the faulty sub-agent."""
    fails: int = 0
    """Number of calls per attempt that fail before it works."""
    delay: float = 0.0
    """Delay of every call in seconds."""
    answers: Any = AS_USUAL
    """Fixed answer to every call."""
    missing: bool = False
    """Whether it does not exist at all."""
    lies: LieKind | None = None
    """How its results are falsified; with `answers`, that is the false result, else it is made from the true one."""
    times: int | None = None
    """Number of falsified calls per attempt before it tells the truth; None for all."""
    budget: int | None = None
    """Maximum tool calls per attempt."""
    tokens: int | None = None
    """Maximum tokens per attempt."""


def parse(name: str, fault: Mapping[str, Any]) -> Condition:
    """Parse the table of a condition; errors name the key, its value, and what was expected."""
    if name in RESERVED:
        raise InputError(f"a condition cannot be called {name!r}; choose another name")
    if not isinstance(fault, Mapping):
        raise InputError(f'condition {name!r} is {fault!r}; expected a table such as {{tool = "search", fails = 2}}')
    for key in fault:
        _must_be_known(name, str(key))
    condition = Condition(name=name, **{key: _CHECKS[key](name, key, value) for key, value in fault.items()})
    _must_make_sense(condition, fault)
    return condition


def _must_be_known(name: str, key: str) -> None:
    if key in _CHECKS:
        return
    raise InputError(f"condition {name!r} has an unknown key {key!r}; {did_you_mean(key, _CHECKS)}")


def _must_make_sense(condition: Condition, fault: Mapping[str, Any]) -> None:
    targets, faults = ([key for key in keys if key in fault] for keys in (TARGETS, FAULTS))
    if len(targets) == 2:
        raise InputError(f"condition {condition.name!r} names a tool and a sub_agent; declare a condition for each")
    if targets and not faults:
        raise InputError(
            f"condition {condition.name!r} does not say what is wrong with {targets[0]}={fault[targets[0]]!r}; "
            f"expected one of: {', '.join(FAULTS)}"
        )
    if faults and not targets:
        raise InputError(
            f"condition {condition.name!r} does not say what {faults[0]}={fault[faults[0]]!r} affects; "
            f"expected tool or sub_agent with it"
        )
    if condition.lies is not None and (clashing := [key for key in ("fails", "missing") if key in fault]):
        raise InputError(
            f"condition {condition.name!r} has lies={condition.lies!r} together with {clashing[0]}: what returns "
            "nothing cannot lie; declare a condition for each"
        )
    if condition.times is not None and condition.lies is None:
        raise InputError(f"condition {condition.name!r} has times={condition.times}, which belongs to lies; add lies")
    if not fault:
        raise InputError(f"condition {condition.name!r} is empty; expected some of: {', '.join(_CHECKS)}")


def _word(name: str, key: str, value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise _unfit(name, key, value, "a name")


def _seconds(name: str, key: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise _unfit(name, key, value, "seconds, more than 0")


def _at_least_one(name: str, key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise _unfit(name, key, value, "a whole number, 1 or more")


def _none_or_more(name: str, key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise _unfit(name, key, value, "a whole number, 0 or more")


def _yes(name: str, key: str, value: object) -> bool:
    if value is True:
        return True
    raise _unfit(name, key, value, "true")


def _lie(name: str, key: str, value: object) -> LieKind:
    for known in LIES:
        if value == known:
            return known
    raise _unfit(name, key, value, f"a kind of lie; {did_you_mean(value, LIES)}")


def _anything(name: str, key: str, value: object) -> object:
    return value


def _unfit(name: str, key: str, value: object, expected: str) -> InputError:
    return InputError(f"condition {name!r} has {key}={value!r}; expected {expected}")


_CHECKS: dict[str, Callable[[str, str, Any], Any]] = {
    "tool": _word,
    "sub_agent": _word,
    "fails": _at_least_one,
    "delay": _seconds,
    "answers": _anything,
    "missing": _yes,
    "lies": _lie,
    "times": _at_least_one,
    "budget": _none_or_more,
    "tokens": _none_or_more,
}
