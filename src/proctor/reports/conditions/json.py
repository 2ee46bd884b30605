"""Conditions as JSON."""

from __future__ import annotations

from typing import Any

from proctor.findings.run import CaseFinding, ConditionFinding
from proctor.reports.conditions.words import condition_name
from proctor.reports.values import counts, plain


def as_dict(condition: ConditionFinding) -> dict[str, Any]:
    """One of `conditions` of `--json`; the plain run is called none."""
    return {**plain(condition), "name": condition_name(condition.name), "attempts": counts(condition.counts)}


def of_case(case: CaseFinding) -> dict[str, Any]:
    """Condition → how many of a case's attempts have a verdict, and how many passed."""
    return {condition_name(name): {"counted": n, "passed": passed} for name, (n, passed) in case.conditions.items()}
