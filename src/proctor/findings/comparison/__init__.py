"""Two runs side by side: what changed, whether it is real, and whether they can be compared at all."""

from proctor.findings.comparison.comparability import SettingDifference, unlike
from proctor.findings.comparison.compared import CaseChange, Compared, compare_findings
from proctor.findings.comparison.conditions import CategoryChange

__all__ = ["CaseChange", "CategoryChange", "Compared", "SettingDifference", "compare_findings", "unlike"]
