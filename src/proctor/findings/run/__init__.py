"""Attempts → what the report says, as data. Every rendering shows these numbers and computes none."""

from __future__ import annotations

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
from proctor.findings.run.summary import Summary

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
