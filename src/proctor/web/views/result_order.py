"""Order of result rows: `score`, `time` or `case`, prefixed with − for descending."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from proctor.findings.run import CaseFinding
from proctor.run import Attempt

COLUMNS = ("case", "score", "time")
T = TypeVar("T")


def sort_cases(cases: list[CaseFinding], sort: str) -> list[CaseFinding]:
    """Sort cases, by default the worst first; those without a value come last in either direction."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column == "case":
        return sorted(cases, key=lambda case: case.id, reverse=descending)
    if column not in ("score", "time"):
        return cases
    return _by_number(cases, lambda case: case.score if column == "score" else case.seconds, descending)


def sort_attempts(found: list[Attempt], sort: str) -> list[Attempt]:
    """Sort attempts, by default in plan order; those without a value come last in either direction."""
    order, descending = order_in_store(sort)
    if order == "place":
        return found[::-1] if descending else found
    return _by_number(found, lambda each: each.value if order == "score" else each.seconds, descending)


def order_in_store(sort: str) -> tuple[Literal["place", "score", "seconds"], bool]:
    """Return the store's column name and whether the order is descending."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column == "score":
        return "score", descending
    return ("seconds" if column == "time" else "place"), descending


def _by_number(rows: Sequence[T], number: Callable[[T], float | None], descending: bool) -> list[T]:
    known = sorted((row for row in rows if number(row) is not None), key=lambda row: number(row) or 0.0)
    return [*(reversed(known) if descending else known), *(row for row in rows if number(row) is None)]
