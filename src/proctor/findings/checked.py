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
        self._first: tuple[int, Key, str] | None = None

    def add(self, attempt: Attempt, result: CheckResult) -> None:
        """Count one result."""
        if result.passed is None:
            self._not_checkable += 1
            return
        self._cases.setdefault(attempt.key.exam, Sums()).add(float(result.passed))
        if not result.passed and (self._first is None or attempt.place < self._first[0]):
            self._first = attempt.place, attempt.key, result.evidence

    def finding(self, name: str) -> CheckFinding:
        """What was counted."""
        passed = round(sum(sums.total for sums in self._cases.values()))
        counted = sum(sums.n for sums in self._cases.values())
        return CheckFinding(
            name=name,
            passed=passed,
            failed=counted - passed,
            not_checkable=self._not_checkable,
            rate=mean_over_cases(Sums.of(sums.mean for sums in self._cases.values()), attempts=counted),
            example=self._first[1] if self._first else None,
            evidence=self._first[2] if self._first else "",
        )
