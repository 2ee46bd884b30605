"""Two runs side by side: what changed, whether it is real, and whether they can be compared at all."""

from proctor.findings.comparison.compared import CaseChange, Compared, compare_findings
from proctor.findings.comparison.conditions import CategoryChange
from proctor.findings.comparison.likeness import Unlike, unlike

__all__ = ["CaseChange", "CategoryChange", "Compared", "Unlike", "compare_findings", "unlike"]
