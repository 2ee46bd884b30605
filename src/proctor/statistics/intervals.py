"""Intervals for a mean over cases: Wilson on the effective number of cases, and Clopper-Pearson.

One interval serves every run-level mean (pass rate, mean score, pass@k, pass^k, categories): the cases are a
sample of the questions they stand for, so the unit is the case, never the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from proctor.statistics.estimate import Estimate

METHOD = "wilson-cases"


def wilson(p: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion p of n (Wilson 1927); n need not be whole."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = p + z * z / (2 * n)
    spread = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, min(p, (centre - spread) / scale)), min(1.0, max(p, (centre + spread) / scale))


@dataclass(slots=True)
class Sums:
    """What an interval over cases needs to know of their values in [0, 1]."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Count a case's value."""
        self.n += times
        self.total += value * times
        self.squares += value * value * times

    @classmethod
    def of(cls, values: Iterable[float]) -> Sums:
        """Of all these values."""
        sums = cls()
        for value in values:
            sums.add(value)
        return sums

    @property
    def mean(self) -> float:
        """Their mean, kept inside [0, 1] against rounding."""
        return min(1.0, max(0.0, self.total / self.n))

    def effective(self) -> float:
        """The effective number of cases: never below n (Bhatia & Davis), exactly n with one trial a case."""
        y = (self.total + 1) / (self.n + 2)
        variance = (self.squares + 1 - (self.n + 2) * y * y) / (self.n + 1)
        return max(float(self.n), self.n * y * (1 - y) / variance)

    def interval(self, *, level: float = 0.95) -> tuple[float, float]:
        """Wilson on the effective number of cases."""
        return wilson(self.mean, self.effective(), level=level)


def mean_over_cases(
    sums: Sums,
    *,
    attempts: int,
    missing: int = 0,
    worst: Sums | None = None,
    best: Sums | None = None,
    level: float = 0.95,
    note: str = "",
) -> Estimate:
    """The mean of the cases' values; with marks missing, also what it would be at worst and at best."""
    bounds = _bounds(worst, best, level) if missing else {}
    if not sums.n:
        return Estimate(
            value=None, low=None, high=None, n=0, method=METHOD, attempts=attempts, level=level,
            missing=missing, note=note or "nothing was counted", **bounds,
        )  # fmt: skip
    low, high = sums.interval(level=level)
    return Estimate(
        value=sums.mean, low=low, high=high, n=sums.n, method=METHOD, attempts=attempts, level=level,
        missing=missing, note=note, **bounds,
    )  # fmt: skip


def _bounds(worst: Sums | None, best: Sums | None, level: float) -> dict[str, float]:
    """Manski's bounds, and the outer ends of the intervals around them (Imbens & Manski 2004)."""
    if worst is None or best is None or not worst.n or not best.n:
        return {}
    return {
        "worst": worst.mean,
        "best": best.mean,
        "gate_low": worst.interval(level=level)[0],
        "gate_high": best.interval(level=level)[1],
    }
