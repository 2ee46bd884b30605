"""Results of checks while attempts stream by: CheckTally."""

from __future__ import annotations

from proctor.findings.finding import CheckFinding
from proctor.run import Attempt, Key
from proctor.score import CheckResult
from proctor.statistics.intervals import Sums, mean_over_cases


class CheckTally:
    """One check over all replies that were held to it."""

    def __init__(self) -> None:
        self._cases: dict[str, Sums] = {}
        self._not_checkable = 0
        self._failed: dict[str, tuple[int, Key, str]] = {}

    def add(self, attempt: Attempt, result: CheckResult) -> None:
        """Count one result."""
        if result.passed is None:
            self._not_checkable += 1
            return
        self._cases.setdefault(attempt.key.exam, Sums()).add(float(result.passed))
        first = self._failed.get(attempt.key.exam)
        if not result.passed and (first is None or attempt.place < first[0]):
            self._failed[attempt.key.exam] = attempt.place, attempt.key, result.evidence

    def evidence(self, exam: str) -> str | None:
        """What it saw where an exam failed it first; None: that exam did not."""
        return self._failed[exam][2] if exam in self._failed else None

    def finding(self, name: str) -> CheckFinding:
        """What was counted."""
        passed = round(sum(sums.total for sums in self._cases.values()))
        counted = sum(sums.n for sums in self._cases.values())
        first = min(self._failed.values(), key=lambda failed: failed[0], default=None)
        return CheckFinding(
            name=name,
            passed=passed,
            failed=counted - passed,
            not_checkable=self._not_checkable,
            rate=mean_over_cases(Sums.of(sums.mean for sums in self._cases.values()), attempts=counted),
            example=first[1] if first else None,
            evidence=first[2] if first else "",
        )
