"""Aggregate attempts into the findings that every report shows; no renderer computes numbers itself."""

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
    """Key numbers of a run: its pass rate, its usage and, for a battle, what the rate is based on."""

    rate: Estimate
    """The pass rate, as in the run's findings."""
    asked: int | None = None
    """Questions asked, in a battle; None otherwise."""
    judged: int | None = None
    """Number of those whose reply was judged."""
    no_test: bool = False
    """Whether nothing was judged; in a battle, nothing beyond the seed questions."""
    never_answered: bool = False
    """Whether the run completed and the agent itself failed in every attempt."""
    usage: Usage = Usage()
    """Usage of the agent, the examiner and the reviewers over all attempts."""
