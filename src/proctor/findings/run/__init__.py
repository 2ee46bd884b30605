"""Attempts → what the report says, as data. Every rendering shows these numbers and computes none."""

from __future__ import annotations

from proctor.findings.run.accumulator import Gathering, gather
from proctor.findings.run.findings import (
    CaseFinding,
    CategoryFinding,
    CheckFinding,
    ConditionFinding,
    Counts,
    Findings,
    Latency,
    Trouble,
)
from proctor.findings.run.stability import stability
from proctor.findings.run.summary import Summary

__all__ = [
    "CaseFinding",
    "CategoryFinding",
    "CheckFinding",
    "ConditionFinding",
    "Counts",
    "Findings",
    "Gathering",
    "Latency",
    "Summary",
    "Trouble",
    "gather",
    "stability",
]
