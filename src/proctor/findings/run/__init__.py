"""Attempts → what the report says, as data. Every rendering shows these numbers and computes none."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.findings.run.accumulator import Accumulator, gather
from proctor.findings.run.findings import (
    CaseFinding,
    CategoryFinding,
    CheckFinding,
    ConditionFinding,
    Counts,
    Findings,
    Latency,
    ProblemGroup,
)
from proctor.findings.run.stability import count_stability, stability
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage

__all__ = [
    "Accumulator",
    "CaseFinding",
    "CategoryFinding",
    "CheckFinding",
    "ConditionFinding",
    "Counts",
    "Findings",
    "Latency",
    "ProblemGroup",
    "Summary",
    "count_stability",
    "gather",
    "stability",
]


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
