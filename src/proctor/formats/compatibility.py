"""How many questions a file has → which kinds of benchmark it serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RECOMMENDED = 10
"""The least questions of a static battle that are recommended; fewer run, with a warning."""
MAXIMUM = 200
"""The most questions of a static battle; more are refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Indicator:
    """Whether a file serves one kind of benchmark."""

    indicator: Literal["✓", "✗", "⚠"]
    """Yes, no, or too much."""
    reason: str
    """Why."""


def compatibility(questions: int) -> dict[str, Indicator]:
    """The indicators of a file with so many valid questions, whatever is wrong with its other rows."""
    return {
        "standard": _at_least_one(questions),
        "abm_static": _static(questions),
        "abm_dynamic": _at_least_one(questions),
    }


def _at_least_one(questions: int) -> Indicator:
    if questions >= 1:
        return Indicator(indicator="✓", reason="at least 1 question")
    return Indicator(indicator="✗", reason="no questions")


def _static(questions: int) -> Indicator:
    if not questions:
        return _at_least_one(questions)
    if questions < RECOMMENDED:
        return Indicator(indicator="✗", reason=f"under {RECOMMENDED} questions: not recommended, but it runs")
    if questions > MAXIMUM:
        return Indicator(indicator="⚠", reason=f"over {MAXIMUM} questions: exceeds maximum, so it is refused")
    return Indicator(indicator="✓", reason=f"{RECOMMENDED} to {MAXIMUM} questions")
