"""What a list says of a run: Summary."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.statistics.estimate import Estimate
from proctor.usage import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A run's pass rate, what it used, and in a battle what the rate rests on."""

    rate: Estimate
    """As in its findings."""
    asked: int | None = None
    """In a battle, the questions asked; None: no battle."""
    judged: int | None = None
    """Of them, those whose reply somebody judged."""
    no_test: bool = False
    """Whether nothing was judged, in a battle nothing beyond the seed questions."""
    never_answered: bool = False
    """Whether it is completed and the agent itself failed in every attempt."""
    usage: Usage = Usage()
    """Of the agent, the examiner and the reviewers, over all attempts."""
