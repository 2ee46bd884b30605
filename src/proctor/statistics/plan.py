"""Sample size planning: how many cases and trials are needed to detect a difference (Miller 2024).

The variance of one case's difference is ω² + σ_A²/m_A + σ_B²/m_B: ω² is how differently the change affects different
cases, σ² the randomness from trial to trial. More trials reduce only the second part, so there is a minimum number of
cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, sqrt
from statistics import NormalDist, fmean

from proctor.errors import InputError
from proctor.settings import given

Counts = Sequence[tuple[int, int]]
"""(trials, passes) of each case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """Variance components of a case's difference between two runs."""

    between: float
    """ω²: variance over cases of the true change p_B − p_A."""
    within_a: float = 0.0
    """σ_A²: variance from trial to trial, mean of p(1−p) over cases."""
    within_b: float = 0.0

    def of(self, trials_a: int, trials_b: int) -> float:
        """Return the variance of a case's difference for these numbers of trials."""
        return self.between + self.within_a / trials_a + self.within_b / trials_b


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleSizePlan:
    """Sample size for detecting a difference."""

    cases: int
    trials: int
    """Trials per case in each run."""
    floor: int
    """Cases needed even with an unlimited number of trials."""
    difference: float
    power: float
    level: float

    @property
    def attempts(self) -> int:
        """Number of attempts in both runs together."""
        return 2 * self.cases * self.trials


def plan(
    spread: Spread, difference: float, *, trials: Sequence[int] = (1, 2, 4, 8), power: float = 0.8, level: float = 0.95
) -> list[SampleSizePlan]:
    """Return the cases needed to detect a difference, for each number of trials in both runs."""
    return [
        SampleSizePlan(
            cases=cases_needed(spread.of(m, m), difference, power=power, level=level),
            trials=m,
            floor=cases_needed(spread.between, difference, power=power, level=level),
            difference=difference,
            power=power,
            level=level,
        )
        for m in trials
    ]


def cases_needed(variance: float, difference: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """(z + z_power)²·variance/difference², rounded to an integer of at least 1."""
    _positive("difference", difference, 1.0)
    return max(1, floor(_factor(power, level) * variance / difference**2 + 0.5))


def detectable(variance: float, cases: int, *, power: float = 0.8, level: float = 0.95) -> float:
    """Return the smallest difference detectable with this number of cases."""
    return min(1.0, sqrt(_factor(power, level) * variance / cases))


def spread_from_flips(flips: float, difference: float, *, noise: float = 0.0) -> Spread:
    """Derive the variances from an assumed share of cases that flip between two runs of one trial each.

    `noise` is σ², the random part of it in each run; at 0 more trials do not help, which is the conservative
    assumption.
    """
    if not abs(difference) <= flips <= 1:
        raise InputError(
            given("flips", flips), f" is not usable; expected a share from the difference {abs(difference):g} to 1"
        )
    return Spread(between=max(0.0, flips - difference**2 - 2 * noise), within_a=noise, within_b=noise)


def spread_from_run(counts: Counts, flips: float, difference: float) -> Spread:
    """Derive the random variance from a stored run with two trials or more, the rest from an assumed share of flips."""
    return spread_from_flips(flips, difference, noise=within(counts))


def spread_from_runs(a: Counts, b: Counts) -> Spread:
    """Derive the variances from two stored runs of the same cases in the same order, each with two trials or more."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x[0] and y[0]]
    if len(pairs) < 2:
        raise InputError(f"cases={len(pairs)!r} in both runs are too few to plan from: expected at least 2.")
    differences = [y[1] / y[0] - x[1] / x[0] for x, y in pairs]
    mean = fmean(differences)
    seen = sum((d - mean) ** 2 for d in differences) / (len(differences) - 1)
    noise_a, noise_b = within(a), within(b)
    chance = fmean(noise_a / x[0] + noise_b / y[0] for x, y in pairs)
    return Spread(between=max(0.0, seen - chance), within_a=noise_a, within_b=noise_b)


def within(counts: Counts) -> float:
    """σ²: the mean over cases of m·p̂(1−p̂)/(m−1), unbiased; needs two trials or more."""
    values = [c * (m - c) / (m * (m - 1)) for m, c in counts if m > 1]
    if not values:
        raise InputError("One trial a case cannot show the chance from trial to trial: expected a run of at least 2.")
    return fmean(values)


def _factor(power: float, level: float) -> float:
    _positive("power", power, 1.0)
    _positive("level", level, 1.0)
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) ** 2


def _positive(name: str, value: float, below: float) -> None:
    if not 0 < value < below:
        raise InputError(given(name, value), f" is not usable; expected a number between 0 and {below:g}")
