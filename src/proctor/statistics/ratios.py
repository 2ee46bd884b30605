"""Cost, tokens or calls per success, and the 95th percentile, each with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log, log1p, sqrt

from proctor.statistics.estimate import Estimate

FEWEST_FOR_INTERVAL = 10
"""Minimum number of cases for a ratio to have an interval."""
FEWEST_FOR_PERCENTILE = 20
"""Minimum number of values for the 95th percentile; below, the maximum is shown instead."""


def per_success(
    spent: Sequence[float], successes: Sequence[float], *, attempts: int = 0, level: float = 0.95
) -> Estimate:
    """Σ spent / Σ successes, one of each per case; spending includes failures and retries.

    The interval is by the delta method over cases, on the logarithm, so that it stays above 0, and with two
    pseudo-cases of mean cost, one failed and one passed, so that it is not too narrow if no failure was observed.
    """
    n, total, passed = len(spent), sum(spent), sum(successes)
    if not passed:
        note = "no success" if n else "nothing was counted"
        return Estimate(value=None, low=None, high=None, n=n, method="ratio", attempts=attempts, level=level, note=note)
    ratio = total / passed
    low, high, note = None, None, f"no interval below {FEWEST_FOR_INTERVAL} cases"
    if n >= FEWEST_FOR_INTERVAL:
        factor = exp(_log_spread(spent, successes, ratio, level)) if ratio else 1.0
        low, high, note = ratio / factor, ratio * factor, ""
    return Estimate(
        value=ratio, low=low, high=high, n=n, method="delta-cases", attempts=attempts, level=level, note=note
    )


def _log_spread(spent: Sequence[float], successes: Sequence[float], ratio: float, level: float) -> float:
    from scipy.special import stdtrit

    n, total = len(spent), sum(spent)
    residuals = sum((x - ratio * y) ** 2 for x, y in zip(spent, successes, strict=True))
    pseudo = (total / n) ** 2 + (total / n - ratio * max(successes)) ** 2
    error = sqrt(residuals * n / (n - 1) + pseudo) / total
    return float(stdtrit(n - 1, (1 + level) / 2)) * error


def percentile_95(values: Sequence[float], *, level: float = 0.95) -> Estimate:
    """Estimate the 95th percentile with an interval from order statistics; below 20 values, the maximum.

    An end that no order statistic can bound with this many values is None.
    """
    ordered = sorted(values)
    n = len(ordered)
    if n < FEWEST_FOR_PERCENTILE:
        note = f"the maximum: below {FEWEST_FOR_PERCENTILE} values there is no 95th percentile"
        return Estimate(
            value=ordered[-1] if ordered else None, low=None, high=None, n=n, method="maximum", attempts=n,
            level=level, note=note if ordered else "nothing was counted",
        )  # fmt: skip
    below, above = _ranks(n, 0.95, (1 - level) / 2)
    return Estimate(
        value=ordered[min(n - 1, int(0.95 * n))],
        low=ordered[below - 1] if below else None,
        high=ordered[above - 1] if above <= n else None,
        n=n,
        method="order-statistics",
        attempts=n,
        level=level,
        note="" if above <= n else "too few values for an upper end",
    )


def _ranks(n: int, share: float, tail: float) -> tuple[int, int]:
    """Return ranks l and u with P(fewer than l below the quantile) ≤ tail and P(u or more below it) ≤ tail."""
    below, above = 0, n + 1
    chance = 0.0
    for count in range(max(0, int(n * share - 12 * sqrt(n * share * (1 - share)))), n + 1):
        chance += exp(_log_binomial(n, count, share))
        if chance <= tail:
            below = count + 1
        if chance >= 1 - tail:
            above = count + 1
            break
    return below, above


def _log_binomial(n: int, count: int, share: float) -> float:
    choose = lgamma(n + 1) - lgamma(count + 1) - lgamma(n - count + 1)
    return choose + count * log(share) + (n - count) * log1p(-share)
