"""The pass rate: a mean over cases, never over pooled attempts."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases


def rate_over_cases(cases: Iterable[tuple[int, int, int]]) -> Estimate:
    """The mean over cases with (planned, counted, passed) of the share that passed; what is missing is bounded."""
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for planned, counted, passed in cases:
        lacking = planned - counted
        attempts += counted
        missing += lacking
        if counted:
            shown.add(passed / counted)
        worst.add(passed / planned)
        best.add((passed + lacking) / planned)
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best)
