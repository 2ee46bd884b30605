"""Results of checks while attempts stream by: CheckTally."""

from __future__ import annotations

from dataclasses import dataclass, field

from proctor.findings.run.findings import CheckFinding
from proctor.run import Attempt, Key
from proctor.score import CheckResult
from proctor.statistics.intervals import Sums, mean_over_cases


@dataclass(slots=True)
class CheckTally:
    """One check over all replies that were held to it."""

    cases: dict[str, Sums] = field(default_factory=dict)
    not_checkable: int = 0
    failed: dict[str, tuple[int, Key, str]] = field(default_factory=dict)
    """Exam → the first attempt that failed it, its place first, with what the check saw."""

    def add(self, attempt: Attempt, result: CheckResult) -> None:
        """Count one result."""
        if result.passed is None:
            self.not_checkable += 1
            return
        self.cases.setdefault(attempt.key.exam, Sums()).add(float(result.passed))
        first = self.failed.get(attempt.key.exam)
        if not result.passed and (first is None or attempt.place < first[0]):
            self.failed[attempt.key.exam] = attempt.place, attempt.key, result.evidence

    def evidence(self, exam: str) -> str | None:
        """What it saw where an exam failed it first; None: that exam did not."""
        return self.failed[exam][2] if exam in self.failed else None

    def finding(self, name: str) -> CheckFinding:
        """What was counted."""
        passed = round(sum(sums.total for sums in self.cases.values()))
        counted = sum(sums.n for sums in self.cases.values())
        first = min(self.failed.values(), key=lambda failed: failed[0], default=None)
        return CheckFinding(
            name=name,
            passed=passed,
            failed=counted - passed,
            not_checkable=self.not_checkable,
            rate=mean_over_cases(Sums.of(sums.mean for sums in self.cases.values()), attempts=counted),
            example=first[1] if first else None,
            evidence=first[2] if first else "",
        )
