"""Accumulate one exam's attempts (ExamTally) and estimate rates over many exams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from proctor.run import Attempt
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.statistics.pass_at_k import over_tries, rate_over_cases

Formula = Callable[[int, int, int], float]


@dataclass(slots=True)
class ExamTally:
    """Counts of one exam's attempts, under one condition or all together."""

    planned: int
    markable: bool = True
    """Whether each attempt should get a score: there is a reviewer, and a reference to judge by."""
    passed: int = 0
    counted: int = 0
    failed_by_agent: int = 0
    failed_by_environment: int = 0
    unscored: int = 0
    unmarked: int = 0
    """Attempts that a reviewer could not score."""
    marks: int = 0
    mark_total: float = 0.0
    timed: int = 0
    seconds: float = 0.0

    @property
    def played(self) -> int:
        """Number of finished attempts."""
        return self.counted + self.unscored + self.failed_by_environment

    def add(self, attempt: Attempt, value: float | None) -> None:
        """Count one attempt and its score."""
        if attempt.passed is not None:
            self.counted += 1
            self.passed += attempt.passed
        if attempt.failure is None:
            self.unscored += attempt.passed is None
        elif attempt.failure.owner == "agent":
            self.failed_by_agent += 1
        else:
            self.failed_by_environment += 1
        if value is not None:
            self.marks += 1
            self.mark_total += value
        elif attempt.unscored:
            self.unmarked += 1
        if attempt.seconds is not None:
            self.timed += 1
            self.seconds += attempt.seconds


def pass_rate(tallies: Iterable[ExamTally]) -> Estimate:
    """Estimate the pass rate: the mean over cases of the share of counted attempts that passed."""
    return rate_over_cases((tally.planned, tally.counted, tally.passed) for tally in tallies)


def mean_score(tallies: Iterable[ExamTally]) -> Estimate:
    """Estimate the mean score over cases. Failures have no score; `worst` counts them as 0.

    In cases without a reference to judge by, no score is missing, even where the agent failed.
    """
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for tally in tallies:
        wanted = tally.planned if tally.markable else max(tally.marks, tally.planned - tally.failed_by_agent)
        if not tally.marks and not (tally.markable or tally.unmarked):
            continue
        attempts += tally.marks
        lacking = wanted - tally.marks
        missing += lacking
        if tally.marks:
            shown.add(tally.mark_total / tally.marks)
        worst.add(tally.mark_total / wanted)
        best.add(min(1.0, (tally.mark_total + lacking) / wanted))
    note = "" if attempts else "no score was given"
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best, note=note)


def over_k(exams: Iterable[Sequence[ExamTally]], trials: int, formula: Formula) -> dict[int, Estimate]:
    """Estimate a formula such as pass@k for each k up to the number of trials.

    Equal (counted, passed, planned) tuples are computed once. Each exam has one tally per condition: the k tries are
    under the same condition, and the exam's value is the mean over its conditions.
    """
    histogram = Counter(tuple((each.counted, each.passed, each.planned) for each in exam) for exam in exams)
    return {k: _at_k(histogram, k, formula) for k in range(1, trials + 1)}


def _at_k(histogram: Counter[tuple[tuple[int, int, int], ...]], k: int, formula: Formula) -> Estimate:
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = counted = missing = 0
    for planned_at_all, times in histogram.items():
        exam = [
            each for each in planned_at_all if each[2] >= k
        ]  # after early stopping, some exams may have been asked less often
        if not exam:
            continue
        counted += sum(m for m, _, _ in exam) * times
        if all(m == planned for m, _, planned in exam):  # nothing is missing: shown, worst and best are equal
            attempts += sum(m for m, _, _ in exam) * times
            value = sum(formula(m, c, k) for m, c, _ in exam) / len(exam)
            for sums in (shown, worst, best):
                sums.add(value, times)
            continue
        missing += sum(planned - m for m, _, planned in exam) * times
        known_counts = [(m, c) for m, c, _ in exam if m >= k]
        if known_counts:
            attempts += sum(m for m, _ in known_counts) * times
            shown.add(sum(formula(m, c, k) for m, c in known_counts) / len(known_counts), times)
        worst.add(sum(formula(planned, c, k) for _, c, planned in exam) / len(exam), times)
        best.add(sum(formula(planned, c + planned - m, k) for m, c, planned in exam) / len(exam), times)
    return over_tries(shown, worst, best, attempts=attempts, counted=counted, missing=missing)
