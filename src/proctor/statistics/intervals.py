"""Intervals for a mean over cases: Wilson on the effective number of cases; Clopper-Pearson and t on request.

One interval serves every run-level mean (pass rate, mean score, pass@k, pass^k, categories): the cases are a sample of
the questions they represent (Miller 2024), so the unit is the case, never the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

from proctor.errors import UsageError
from proctor.statistics.estimate import Estimate, MissingBounds

Method = Literal["wilson-cases", "clopper-pearson", "t"]

METHOD: Method = "wilson-cases"
FEWEST_FOR_T = 100
"""Minimum number of cases for a t interval, whose coverage is too low below."""


def wilson(p: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a proportion p of n (Wilson 1927); n need not be an integer."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = p + z * z / (2 * n)
    spread = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, min(p, (centre - spread) / scale)), min(1.0, max(p, (centre + spread) / scale))


def clopper_pearson(p: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact binomial interval (Clopper & Pearson 1934); n need not be an integer (Korn & Graubard 1998)."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    passes, failures = p * n, (1 - p) * n
    low = 0.0 if passes <= 0 else float(betaincinv(passes, failures + 1, tail))
    high = 1.0 if failures <= 0 else float(betaincinv(passes + 1, failures, 1 - tail))
    return min(p, low), max(p, high)


@dataclass(slots=True)
class Sums:
    """Sums over case values in [0, 1], sufficient for an interval."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Add a case's value."""
        self.n += times
        self.total += value * times
        self.squares += value * value * times

    @classmethod
    def of(cls, values: Iterable[float]) -> Sums:
        """Sum up values."""
        n, total, squares = 0, 0.0, 0.0
        for value in values:
            n += 1
            total += value
            squares += value * value
        return cls(n, total, squares)

    @property
    def mean(self) -> float:
        """Mean, clipped to [0, 1] against rounding."""
        return min(1.0, max(0.0, self.total / self.n))

    def effective(self) -> float:
        """Return the effective number of cases: never below n (Bhatia & Davis 2000), exactly n with one trial per case.

        Two pseudo-cases, 0 and 1, keep the variance from collapsing if few cases fail, where design-effect intervals
        cover too little (Franco et al. 2019).
        """
        y = (self.total + 1) / (self.n + 2)
        variance = (self.squares + 1 - (self.n + 2) * y * y) / (self.n + 1)
        return max(float(self.n), self.n * y * (1 - y) / variance)

    def interval(self, *, level: float = 0.95, method: Method = METHOD) -> tuple[float, float]:
        """Return the interval of the mean, on the effective number of cases unless `t` is requested."""
        if method == "t":
            return self._student(level)
        interval = clopper_pearson if method == "clopper-pearson" else wilson
        return interval(self.mean, self.effective(), level=level)

    def _student(self, level: float) -> tuple[float, float]:
        """Return Student's interval, which is narrow if scores hardly vary; raises if its coverage would be too low."""
        if self.n < FEWEST_FOR_T:
            raise UsageError(
                f"A t interval was asked for with n={self.n!r} cases, expected at least {FEWEST_FOR_T}: "
                f"with fewer it leaves out the truth too often. Use {METHOD}."
            )
        from scipy.special import stdtrit

        variance = max(0.0, self.squares - self.n * self.mean**2) / (self.n - 1)
        spread = float(stdtrit(self.n - 1, (1 + level) / 2)) * sqrt(variance / self.n)
        return max(0.0, self.mean - spread), min(1.0, self.mean + spread)


def mean_over_cases(
    sums: Sums,
    *,
    attempts: int,
    missing: int = 0,
    worst: Sums | None = None,
    best: Sums | None = None,
    level: float = 0.95,
    note: str = "",
    method: Method = METHOD,
) -> Estimate:
    """Estimate the mean of the cases' values; if scores are missing, with bounds for the worst and best case."""
    bounds: MissingBounds = _bounds(worst, best, level, method) if missing else {}
    if not sums.n:
        return Estimate(
            value=None, low=None, high=None, n=0, method=method, attempts=attempts, level=level,
            missing=missing, note=note or "nothing was counted", **bounds,
        )  # fmt: skip
    low, high = sums.interval(level=level, method=method)
    return Estimate(
        value=sums.mean, low=low, high=high, n=sums.n, method=method, attempts=attempts, level=level,
        missing=missing, note=note, **bounds,
    )  # fmt: skip


def _bounds(worst: Sums | None, best: Sums | None, level: float, method: Method) -> MissingBounds:
    """Return Manski's bounds (1990), and the outer ends of the intervals around them (Imbens & Manski 2004)."""
    if worst is None or best is None or not worst.n or not best.n:
        return {}
    return {
        "worst": worst.mean,
        "best": best.mean,
        "gate_low": worst.interval(level=level, method=method)[0],
        "gate_high": best.interval(level=level, method=method)[1],
    }
