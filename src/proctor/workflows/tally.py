"""What a run has come to while it goes on: Tally."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proctor.benchmark import Exam
from proctor.run import Attempt, Finished, Record, Run
from proctor.statistics.intervals import Sums
from proctor.usage import Usage


class Tally:
    """Counts finished attempts as their records are stored; in a battle, the share of replies that passed."""

    def __init__(self, planned: int, *, conversations: Mapping[str, Exam] | None = None, seeds: bool = False) -> None:
        """`conversations`: the exams of a battle; with `seeds`, trials of one of them are alike."""
        self.planned = planned
        self._conversations = conversations
        self._seeds = seeds
        self.done = 0
        self.failed = 0
        self.passed = 0
        self.counted = 0
        self.lost = 0
        self.usage = Usage()
        self._cases: dict[object, tuple[int, float]] = {}
        self._sums = Sums()

    @classmethod
    def of(cls, run: Run, exams: Iterable[Exam]) -> Tally:
        """For this run, with nothing counted yet."""
        if run.settings.type == "standard":
            return cls(run.planned)
        conversations = {exam.id: exam for exam in exams}
        return cls(run.planned, conversations=conversations, seeds=run.settings.type == "abm-dynamic")

    def add(self, records: Iterable[Record]) -> None:
        """Count what finished in these records."""
        for record in records:
            if isinstance(record, Finished) and record.attempt.finished:
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
        if self._conversations is not None:
            self._count_conversation(self._conversations[attempt.key.exam], attempt)
        elif attempt.passed is not None:
            self._count_case(attempt.key.exam, attempt.passed)

    def _count_conversation(self, exam: Exam, attempt: Attempt) -> None:
        from proctor.battle.conversation import verdicts  # it reads language, which takes a while to load

        replies, passed = verdicts(exam, attempt)
        lost = attempt.failure is not None and attempt.failure.owner == "environment"
        if replies and not lost:
            self._count_case(exam.id if self._seeds else attempt.key, passed / replies)

    def _count_case(self, case: object, passed: float) -> None:
        """Keep the sums over cases up to date: a run looks at them many times a second."""
        m, c = self._cases.get(case, (0, 0))
        if m:
            self._sums.add(c / m, -1)
        self._cases[case] = m, c = m + 1, c + passed
        self._sums.add(c / m)

    def interval(self) -> tuple[float, float] | None:
        """The pass rate's interval so far; None before the first verdict."""
        return self._sums.interval() if self._sums.n else None

    def pass_rate(self) -> float | None:
        """The pass rate so far, over cases; None before the first verdict."""
        return self._sums.mean if self._sums.n else None
