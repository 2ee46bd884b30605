"""Conditions as JSON."""

from __future__ import annotations

from typing import Any

from proctor.findings.run import CaseFinding, ConditionFinding
from proctor.reports.checks.json import as_dict as of_check
from proctor.reports.conditions.words import condition_name
from proctor.reports.values import counts, plain


def as_dict(condition: ConditionFinding) -> dict[str, Any]:
    """One of `conditions` of `--json`; the plain run is called none."""
    checks = {check.name: of_check(check) for check in condition.checks}
    said = {**plain(condition), "name": condition_name(condition.name), "attempts": counts(condition.counts)}
    return {**said, "checks": checks}


def of_case(case: CaseFinding) -> dict[str, Any]:
    """Condition → how many of a case's attempts have a verdict, and how many passed."""
    return {condition_name(name): {"counted": n, "passed": passed} for name, (n, passed) in case.conditions.items()}
