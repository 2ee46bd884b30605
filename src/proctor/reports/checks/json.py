"""Checks as JSON."""

from __future__ import annotations

from typing import Any

from proctor.findings.run import CheckFinding
from proctor.reports.values import estimate, where


def as_dict(check: CheckFinding) -> dict[str, Any]:
    """Under `checks` of `--json`, by its name."""
    return {
        "passed": check.passed,
        "failed": check.failed,
        "not_checkable": check.not_checkable,
        "rate": estimate(check.rate),
        "example": None if check.example is None else where(check.example),
        "evidence": check.evidence,
    }
