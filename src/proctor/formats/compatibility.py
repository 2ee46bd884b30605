"""Determine from its number of questions which kinds of benchmark a file suits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RECOMMENDED = 10
"""Recommended minimum number of questions for a static battle; fewer run with a warning."""
MAXIMUM = 200
"""Maximum number of questions for a static battle; more are refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Indicator:
    """Whether a file suits one kind of benchmark."""

    indicator: Literal["✓", "✗", "⚠"]
    """✓ suitable, ✗ not suitable or not recommended, ⚠ above the maximum."""
    reason: str


def compatibility(questions: int) -> dict[str, Indicator]:
    """Return the indicator per kind of benchmark for this number of valid questions."""
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
