"""What a run has come to while it goes on: Tally."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.run import Attempt, Finished, Record
from proctor.statistics.intervals import Sums
from proctor.usage import Usage


class Tally:
    """Counts finished attempts as their records are stored."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.done = 0
        self.failed = 0
        self.passed = 0
        self.counted = 0
        self.lost = 0
        self.usage = Usage()
        self._cases: dict[str, tuple[int, int]] = {}

    def add(self, records: Iterable[Record]) -> None:
        """Count what finished in these records."""
        for record in records:
            if isinstance(record, Finished):
                self.count(record.attempt)

    def count(self, attempt: Attempt) -> None:
        """Count one finished attempt."""
        self.done += 1
        if attempt.failure is not None:
            self.failed += 1
            self.lost += attempt.failure.owner == "environment"
        if attempt.usage:
            self.usage += attempt.usage
        if attempt.passed is not None:
            self.counted += 1
            self.passed += attempt.passed
            m, c = self._cases.get(attempt.key.exam, (0, 0))
            self._cases[attempt.key.exam] = (m + 1, c + attempt.passed)

    def interval(self) -> tuple[float, float] | None:
        """The pass rate's interval so far; None before the first verdict."""
        sums = self._sums()
        return sums.interval() if sums.n else None

    def pass_rate(self) -> float | None:
        """The pass rate so far, over cases; None before the first verdict."""
        sums = self._sums()
        return sums.mean if sums.n else None

    def _sums(self) -> Sums:
        return Sums.of(c / m for m, c in self._cases.values())
