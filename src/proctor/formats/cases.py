"""Validate cases created in Python by the same rules as cases in a suite file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from proctor.benchmark import Case, Expectation
from proctor.codec import digest
from proctor.errors import UsageError
from proctor.settings import (
    AMOUNT,
    MOST_CRITERIA,
    SHARE,
    Bounds,
    check_name,
    check_setting,
    read_criterion,
    shown,
    unfit,
    why_no_pattern,
)

PATTERN = "re:"
_COUNT = Bounds(least=0, most=10**15, whole=True)
_LIMITS = ("tool_calls", "seconds", "tokens", "cost")
_NOTHING: Expectation = Case(id="", question="").expect
_TEXTS = ("question", "answer", "reasoning", "context")
_BEYOND = 2**63
_DEEPEST = 60
"""Maximum nesting depth: a suite allows at most 50 levels, plus a few of the case itself."""


def check_case(case: Case) -> None:
    """Refuse a case that cannot be stored or whose expectations cannot be checked."""
    check_name("its id", case.id)
    for category in case.categories:
        check_name("a category", category)
    if case.passing_score is not None:
        check_setting("passing_score", case.passing_score)
    if case.trials is not None:
        check_setting("trials", case.trials)
    plain = _plain_texts(case)
    if plain is None:
        _check_expectation(case.expect)
    if len(case.criteria) > MOST_CRITERIA:
        raise UsageError(f"it has {len(case.criteria):,} criteria; expected at most {MOST_CRITERIA}")
    for name, criterion in case.criteria.items():
        read_criterion(name, criterion)
    for name in case.metadata:
        check_name("a name of its metadata", name)
    for place, value in _values(case, _DEEPEST) if plain is None else plain:
        if (wrong := _unstorable(value)) is not None:
            raise UsageError(f"{place} holds {wrong}; remove it or complete it")
    if plain is None:
        _must_be_storable(case)


def _plain_texts(case: Case) -> list[tuple[str, str]] | None:
    """Return the texts of a case that has nothing else (the common case), or None if a full check is needed."""
    if case.criteria or case.metadata or (case.expect is not _NOTHING and case.expect != _NOTHING):
        return None
    given = [(f"its {name}", text) for name in _TEXTS if (text := getattr(case, name)) is not None]
    return None if [text for _, text in given if type(text) is not str] else given


def _must_be_storable(case: Case) -> None:
    try:
        digest(case)
    except (OverflowError, RecursionError, TypeError, ValueError) as error:
        raise UsageError(f"it cannot be stored: {error}; use text, numbers of 64 bits, lists and dicts") from error


def _unstorable(value: object) -> str | None:
    """Return why a text or number cannot be stored unchanged, or None if it can."""
    if isinstance(value, str):
        return unfit(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value}, which JSON has no word for"
    if isinstance(value, int) and abs(value) >= _BEYOND:
        return "a number beyond 64 bits"
    return None


def _values(value: Any, levels: int, place: str = "it") -> Iterator[tuple[str, Any]]:
    """Yield every text and number in a nested value, with its place."""
    if levels < 0:
        raise UsageError(f"{place} holds more than {_DEEPEST} levels inside each other; nest it less deeply")
    if isinstance(value, (str, int, float)):
        yield place, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _values(key, levels - 1, place)
            yield from _values(each, levels - 1, place)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _values(each, levels - 1, place)
    elif hasattr(value, "__slots__"):
        for name in value.__slots__:
            yield from _values(getattr(value, name), levels - 1, f"its {name}" if place == "it" else place)


def _check_expectation(expect: Expectation) -> None:
    _check("tool_threshold", expect.tool_threshold, SHARE)
    if expect.citations is not None:
        _check("citations", expect.citations, _COUNT)
    for name, most in expect.limits.items():
        if name not in _LIMITS:
            raise UsageError(f"there is no limit {name!r}; expected one of {', '.join(_LIMITS)}")
        _check(f"limits.{name}", most, Bounds(least=0, most=_COUNT.most))
    for call in expect.tool_calls or ():
        for name, rule in call.match.items():
            if "tolerance" in rule:
                _check(f"the tolerance of {name!r}", rule["tolerance"], AMOUNT)
            if "pattern" in rule:
                _must_compile(rule["pattern"])
    for keyword in (*expect.keywords, *expect.exclusions):
        if keyword.startswith(PATTERN):
            _must_compile(keyword.removeprefix(PATTERN).strip())


def _check(name: str, value: object, bounds: Bounds) -> None:
    if not bounds.holds(value):
        raise UsageError(f"{name}={shown(value)} is not usable; expected {bounds.requirement}")


def _must_compile(pattern: object) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise UsageError(f"the pattern {shown(pattern)} is none; expected a regular expression")
    if (wrong := why_no_pattern(pattern)) is not None:
        raise UsageError(f"the pattern {shown(pattern)} does not compile: {wrong}")
