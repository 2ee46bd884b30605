"""What a list says of a run: Summary."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A run's pass rate, and in a battle what it rests on."""

    rate: Estimate
    """As in its findings."""
    asked: int | None = None
    """In a battle, the questions asked; None: no battle."""
    judged: int | None = None
    """Of them, those whose reply somebody judged."""
    no_test: bool = False
    """Whether nothing was judged, in a battle nothing beyond the seed questions."""
