"""The pass rate: a mean over cases, never over pooled attempts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, repeat

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.statistics.pass_at_k import over_cases, pass_at_k


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


def rate_of_counts(
    counts: Mapping[str, tuple[int, int]], *, cases: int, trials: int, own: Mapping[str, int] | None = None
) -> Estimate:
    """The same from (counted, passed) of those that have any, of so many cases with so many trials, or their `own`."""
    if not own:
        unplayed = repeat((0, 0), max(0, cases - len(counts)))
        return over_cases(pass_at_k, chain(counts.values(), unplayed), 1, planned=trials)
    known = [(own.get(case, trials), *count) for case, count in counts.items()]
    waiting = [(each, 0, 0) for case, each in own.items() if case not in counts]
    others = repeat((trials, 0, 0), max(0, cases - len(known) - len(waiting)))
    return rate_over_cases(chain(known, waiting, others))
