"""The order of rows of results: `score`, `time` or `case`, with a − before it the other way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from proctor.findings.run import CaseFinding
from proctor.run import Attempt

COLUMNS = ("case", "score", "time")
T = TypeVar("T")


def sort_cases(cases: list[CaseFinding], sort: str) -> list[CaseFinding]:
    """Worst first, as they come, or otherwise; those without a number come last, whichever way others are sorted."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column == "case":
        return sorted(cases, key=lambda case: case.id, reverse=descending)
    if column not in ("score", "time"):
        return cases
    return _by_number(cases, lambda case: case.score if column == "score" else case.seconds, descending)


def sort_attempts(found: list[Attempt], sort: str) -> list[Attempt]:
    """In the order of the plan, as they come, or otherwise; those without a number come last here too."""
    order, descending = order_in_store(sort)
    if order == "place":
        return found[::-1] if descending else found
    return _by_number(found, lambda each: each.value if order == "score" else each.seconds, descending)


def order_in_store(sort: str) -> tuple[Literal["place", "score", "seconds"], bool]:
    """What the store calls the column, and whether the other way."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column == "score":
        return "score", descending
    return ("seconds" if column == "time" else "place"), descending


def _by_number(rows: Sequence[T], number: Callable[[T], float | None], descending: bool) -> list[T]:
    known = sorted((row for row in rows if number(row) is not None), key=lambda row: number(row) or 0.0)
    return [*(reversed(known) if descending else known), *(row for row in rows if number(row) is None)]
