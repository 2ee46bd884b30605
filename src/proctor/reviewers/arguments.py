"""Compare the arguments of tool calls: type-aware equality, rules for single arguments, and a match score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from numbers import Number
from typing import Any

from proctor.benchmark import ExpectedCall
from proctor.reading.text.patterns import matches_all
from proctor.transcript import ToolCall

_ABSENT = object()
_FOLDED_AWAY = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})


def fold(text: str) -> str:
    """Remove spaces and `,./-_*^` from a text and lowercase it, as the Berkeley Function-Calling Leaderboard does."""
    return text.translate(_FOLDED_AWAY).lower()


def same(a: object, b: object, *, tolerance: float = 0.0, folded: bool = False, whole: bool = False) -> bool:
    """Whether two values are equal: 1 equals 1.0 but not True or "1", NaN equals NaN; lists in order, dicts by key.

    With `whole`, 1.0 does not equal an expected 1.
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, str) and isinstance(b, str):
        return a == b or (folded and fold(a) == fold(b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if whole and isinstance(a, int) and isinstance(b, float):
            return False
        return a == b or (a != a and b != b) or (tolerance > 0 and _within(a, b, tolerance))
    within = partial(same, tolerance=tolerance, folded=folded, whole=whole)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(within(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(within, a, b))
    return _otherwise_equal(a, b)


def _within(a: float, b: float, tolerance: float) -> bool:
    """Whether two numbers differ by at most the tolerance, ignoring rounding errors."""
    try:
        return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance * (1 + 1e-9)
    except OverflowError:  # an integer too large for a float
        return False


def _otherwise_equal(a: object, b: object) -> bool:
    """Compare values of other types by `==`, such as bytes, dates and decimals; incomparable values differ."""
    if type(a) is not type(b) and not (isinstance(a, Number) and isinstance(b, Number)):
        return False
    try:
        return bool(a == b)
    except Exception:
        return False


def accepts(expected: ExpectedCall, name: str, value: object) -> bool:
    """Whether a value is acceptable for an argument: it equals a listed value, or the pattern matches all of it."""
    rule = expected.match.get(name)
    stated = expected.arguments.get(name, _ABSENT)
    if rule is None:
        return same(stated, value)
    choices = (*(() if stated is _ABSENT else (stated,)), *rule.get("any_of", ()))
    given = {"tolerance": rule.get("tolerance", 0.0), "folded": rule.get("fold", False)}
    if any(same(choice, value, **given, whole=rule.get("whole", False)) for choice in choices):
        return True
    pattern = rule.get("pattern")
    return pattern is not None and isinstance(value, str) and matches_all(pattern, value)


def arguments_fit(expected: ExpectedCall, used: ToolCall) -> float:
    """Share of correct arguments among all that were expected or used; 1 if there are none."""
    if not (expected.ignore or expected.optional or expected.match):
        return _plain_fit(expected.arguments, used.arguments)
    names = arguments_to_compare(expected, used)
    right = sum(name in used.arguments and accepts(expected, name, used.arguments[name]) for name in names)
    return right / len(names) if names else 1.0


def _plain_fit(expected: Mapping[str, Any], used: Mapping[str, Any]) -> float:
    right = sum(name in used and same(value, used[name]) for name, value in expected.items())
    names = len(expected) + sum(name not in expected for name in used)
    return right / names if names else 1.0


def arguments_to_compare(expected: ExpectedCall, used: ToolCall) -> list[str]:
    """Return the names of the arguments to compare: ignored ones and irrelevant optional ones are left out.

    An optional argument is compared only if it was used and has an expected value.
    """
    stated = expected.arguments.keys() | expected.match.keys()
    dropped = set(expected.ignore)
    for name in expected.optional:
        if name not in used.arguments or name not in stated:
            dropped.add(name)
    return [
        name for name in dict.fromkeys((*expected.arguments, *expected.match, *used.arguments)) if name not in dropped
    ]


def differences(expected: ExpectedCall, used: ToolCall) -> list[str]:
    """Describe what is wrong with each incorrect argument."""
    return [
        difference for name in arguments_to_compare(expected, used) if (difference := _difference(expected, used, name))
    ]


def _difference(expected: ExpectedCall, used: ToolCall, name: str) -> str:
    if name not in expected.arguments and name not in expected.match:
        return f"{name}={brief(used.arguments[name])} was not expected"
    if name not in used.arguments:
        return f"{name} is missing, expected {_describe_expected(expected, name)}"
    if accepts(expected, name, used.arguments[name]):
        return ""
    return f"{name}={brief(used.arguments[name])}, expected {_describe_expected(expected, name)}"


def _describe_expected(expected: ExpectedCall, name: str) -> str:
    rule = expected.match.get(name, {})
    choices = [expected.arguments[name]] if name in expected.arguments else []
    words = [brief(choice) for choice in (*choices, *rule.get("any_of", ()))]
    if "pattern" in rule:
        words.append(f"a match of {rule['pattern']!r}")
    within = f" within {rule['tolerance']}" if rule.get("tolerance") else ""
    return " or ".join(words) + within + (", as a whole number" if rule.get("whole") else "")


def brief(value: object, limit: int = 60) -> str:
    """Return the `repr` of a value, truncated to `limit` characters."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
