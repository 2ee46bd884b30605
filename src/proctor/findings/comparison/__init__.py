"""Comparison of runs: what changed, whether it is statistically certain, and whether the runs are comparable."""

from proctor.findings.comparison.comparability import SettingDifference, unlike
from proctor.findings.comparison.compared import CaseChange, Compared, compare_findings
from proctor.findings.comparison.conditions import CategoryChange

__all__ = ["CaseChange", "CategoryChange", "Compared", "SettingDifference", "compare_findings", "unlike"]
