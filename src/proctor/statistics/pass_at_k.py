"""pass@k and pass^k: at least one of k tries right, and all k tries right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from math import comb, exp, expm1, lgamma, log1p

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import METHOD, Sums, mean_over_cases

Formula = Callable[[int, int, int], float]

_EXACT = 300
"""Number of trials up to which exact binomials are used; beyond, their integers become too slow to compute."""
_EQUAL = 1e-12
"""Rounding tolerance for comparing means."""


def pass_at_k(m: int, c: int, k: int) -> float:
    """Unbiased 1 − C(m−c, k)/C(m, k) from c passes in m trials, k ≤ m (Chen et al. 2021)."""
    if m > _EXACT:
        return -expm1(_log_share(m, m - c, k)) if m - c >= k else 1.0
    draws = comb(m, k)
    return (draws - comb(m - c, k)) / draws


def pass_hat_k(m: int, c: int, k: int) -> float:
    """Unbiased C(c, k)/C(m, k) from c passes in m trials, k ≤ m (Yao et al. 2024)."""
    if m > _EXACT:
        return exp(_log_share(m, c, k)) if c >= k else 0.0
    return comb(c, k) / comb(m, k)


def _log_share(m: int, c: int, k: int) -> float:
    """log C(c, k)/C(m, k), paired so that it is exactly 0 for c = m, and the share stays within 0 to 1."""
    return (lgamma(c + 1) - lgamma(m + 1)) + (lgamma(m - k + 1) - lgamma(c - k + 1))


def plug_in_at_k(n: int, c: int, k: int) -> float:
    """1 − (1 − c/n)^k: at least one right among k *different* conversations drawn at random, not k tries of one."""
    return 1.0 if c == n else -expm1(k * log1p(-c / n))


def plug_in_hat_k(n: int, c: int, k: int) -> float:
    """(c/n)^k: all of k different conversations right."""
    return float((c / n) ** k)


def over_tries(shown: Sums, worst: Sums, best: Sums, *, attempts: int, counted: int, missing: int) -> Estimate:
    """Estimate the mean over the cases with k tries or more, based on `attempts` of all `counted` attempts.

    These cases are a biased sample if the others are partly known: of three tries, one pass is enough for pass@3. A
    value that no outcome of the missing tries could produce is not reported; instead, all cases are used, with the
    missing tries counted the way that comes nearest to it.
    """
    if missing and worst.n and best.n:
        nearest = max(worst.mean, min(best.mean, shown.mean)) if shown.n else worst.mean
        settled = best.mean - worst.mean < _EQUAL
        if settled or (shown.n and abs(nearest - shown.mean) >= _EQUAL):
            shown, attempts = worst if abs(nearest - worst.mean) < _EQUAL else best, counted
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best)


def over_cases(
    formula: Formula, counts: Iterable[tuple[int, int]], k: int, *, planned: int | None = None, level: float = 0.95
) -> Estimate:
    """Estimate the mean of pass_at_k or pass_hat_k over cases with (trials, passes).

    A case with fewer than k trials cannot be used for this k. `planned` is the number of trials each case should have
    had: the difference counts as missing and is bounded. No unbiased estimate exists for k above the trials, since the
    expectation of any function of c is a polynomial in p of degree at most m: the value is then None.
    """
    histogram = Counter(counts)
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for (m, c), times in histogram.items():
        lacking = max(0, planned - m) if planned is not None else 0
        missing += lacking * times
        if m >= k:
            attempts += m * times
            shown.add(formula(m, c, k), times)
        if m + lacking >= k:
            worst.add(formula(m + lacking, c, k), times)
            best.add(formula(m + lacking, c + lacking, k), times)
    trials = planned if planned is not None else max((m for m, _ in histogram), default=0)
    if not shown.n and 0 < trials < k:
        return Estimate(value=None, low=None, high=None, n=0, method=METHOD, level=level, note="k exceeds the trials")
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best, level=level)


def rate_over_cases(cases: Iterable[tuple[int, int, int]]) -> Estimate:
    """Estimate the mean pass share over cases with (planned, counted, passed) trials; missing ones are bounded."""
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
    """Like `rate_over_cases`, from (counted, passed) by case, for `cases` cases with `trials` or their `own` trials."""
    if not own:
        unplayed = repeat((0, 0), max(0, cases - len(counts)))
        return over_cases(pass_at_k, chain(counts.values(), unplayed), 1, planned=trials)
    known = [(own.get(case, trials), *count) for case, count in counts.items()]
    waiting = [(each, 0, 0) for case, each in own.items() if case not in counts]
    others = repeat((trials, 0, 0), max(0, cases - len(known) - len(waiting)))
    return rate_over_cases(chain(known, waiting, others))
