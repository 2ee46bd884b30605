"""What a run has come to while it goes on: Tally."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.run import Attempt, Finished, Record, Run
from proctor.statistics.intervals import Sums
from proctor.usage import Usage


class Tally:
    """Counts finished attempts as their records are stored; in a battle, the share of replies that passed."""

    def __init__(self, planned: int, *, battle: bool = False) -> None:
        self.planned = planned
        self._battle = battle
        self.done = 0
        self.failed = 0
        self.passed = 0
        self.counted = 0
        self.lost = 0
        self.usage = Usage()
        self._cases: dict[str, tuple[int, float]] = {}
        self._sums = Sums()

    @classmethod
    def of(cls, run: Run) -> Tally:
        """For this run, with nothing counted yet."""
        return cls(run.planned, battle=run.settings.type != "standard")

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
        if self._battle:
            given = [passed for passed in attempt.turn_passed if passed is not None]
            if given:
                self._count_case(attempt.key.exam, sum(given) / len(given))
        elif attempt.passed is not None:
            self._count_case(attempt.key.exam, attempt.passed)

    def _count_case(self, exam: str, passed: float) -> None:
        """Keep the sums over cases up to date: a run looks at them many times a second."""
        m, c = self._cases.get(exam, (0, 0))
        if m:
            self._sums.add(c / m, -1)
        self._cases[exam] = m, c = m + 1, c + passed
        self._sums.add(c / m)

    def interval(self) -> tuple[float, float] | None:
        """The pass rate's interval so far; None before the first verdict."""
        return self._sums.interval() if self._sums.n else None

    def pass_rate(self) -> float | None:
        """The pass rate so far, over cases; None before the first verdict."""
        return self._sums.mean if self._sums.n else None
