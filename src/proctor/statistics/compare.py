"""Compare two runs, paired by case: difference with interval, probability that B is better, and an exact test.

Pairing by case removes what the cases have in common, which is most of the variance. All figures are based on d_i =
x_Bi − x_Ai, the difference of a case's values, over the cases counted in both runs. Probability and test use the trials
that both runs have of a case (`proctor.statistics.common_trials`), the interval uses all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import erfc, lcm, sqrt

from proctor.errors import InputError
from proctor.statistics.common_trials import Count, counts_alike
from proctor.statistics.estimate import Estimate, MissingBounds
from proctor.statistics.intervals import Sums

METHOD = "paired-cases"
FEWEST_FOR_VERDICT = 5
"""Minimum number of cases for a category to get a verdict."""
_FINEST = 5040
"""Maximum denominator up to which differences are represented as exact fractions; others are rounded."""
_ADDITIONS = 300_000_000
"""Maximum number of additions for the test's exact distribution: about half a second."""


@dataclass(slots=True)
class Differences:
    """Sums over the differences d_i in [−1, 1] for the interval and the probability."""

    trials: float = 1.0
    """Effective number of trials behind each value, from 1 to the actual number: see `effective_trials`."""
    n: int = 0
    total: float = 0.0
    squares: float = 0.0
    sizes: float = 0.0

    @classmethod
    def of(cls, values: Iterable[float], *, trials: float = 1.0) -> Differences:
        """Sum up differences."""
        n, total, squares, sizes = 0, 0.0, 0.0, 0.0
        for value in values:
            n += 1
            total += value
            squares += value * value
            sizes += abs(value)
        return cls(trials=trials, n=n, total=total, squares=squares, sizes=sizes)

    @property
    def mean(self) -> float:
        """Mean, as reported."""
        return self.total / self.n

    @property
    def centre(self) -> float:
        """Mean with two opposite pseudo-cases, on which the interval is centred."""
        return self.total / (self.n + 2)

    @property
    def variance(self) -> float:
        """Variance with pseudo-cases ±1/√trials, so that it is not 0 if no case flipped."""
        added = self.squares + 2 / self.trials
        return (added - (self.n + 2) * self.centre**2) / (self.n + 1)

    def interval(self, *, level: float = 0.95) -> tuple[float, float]:
        """Return Student's interval with two pseudo-cases; at one trial, Bonett & Price (2012) with a t quantile."""
        from scipy.special import stdtrit

        spread = float(stdtrit(self.n + 1, (1 + level) / 2)) * sqrt(self.variance / (self.n + 2))
        low, high = min(self.mean, self.centre - spread), max(self.mean, self.centre + spread)
        return max(-1.0, low), min(1.0, high)

    def better(self) -> float:
        """Return P(B better): the Jeffreys posterior of more fixed than broken, for effective numbers of flips."""
        from scipy.special import betainc

        if not self.squares:
            return 0.5
        both, excess = self.sizes**2 / self.squares, self.total * self.sizes / self.squares
        return float(betainc((both - excess) / 2 + 0.5, (both + excess) / 2 + 0.5, 0.5))


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """B compared with A, over the cases counted in both."""

    difference: Estimate
    """B − A."""
    better: float | None
    """P(B better), over the trials that both runs have of a case; 0.5 without evidence either way."""
    p_value: float | None
    """Exact two-sided p-value of no difference, over the same trials."""
    sums: Differences
    """Sums for computing the number of further cases."""
    thinned: bool = False
    """Whether one run has more trials of a case than the other, so that `better` and `p_value` use fewer trials than
    the interval."""

    @property
    def confirmed(self) -> bool:
        """Whether the interval excludes 0 on the side that the test favours; otherwise, no change is reported."""
        return self.difference.side * ((self.better or 0.5) - 0.5) > 0


def compare(
    a: Sequence[float | None],
    b: Sequence[float | None],
    *,
    trials: float = 1.0,
    attempts: int = 0,
    missing: int = 0,
    worst: Sequence[float] = (),
    best: Sequence[float] = (),
    tested: Sequence[float] | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare B with A from values of the same cases in the same order, None where a case did not count.

    For scores leave `trials` at 1: their low variance does not prove that none of them can drop to 0. `worst` and
    `best` are the differences of all planned cases with everything missing counted against and for B; `tested` those
    over the trials that both have of a case, if one of them has more.
    """
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    sums = Differences.of((y - x for x, y in pairs), trials=trials)
    bounds: MissingBounds = _bounds(worst, best, trials, level) if missing else {}
    if not pairs:
        difference = Estimate(
            value=None, low=None, high=None, n=0, method=METHOD, attempts=0, level=level, missing=missing,
            note="no case was counted in both runs", **bounds,
        )  # fmt: skip
        return Comparison(difference=difference, better=None, p_value=None, sums=sums)
    low, high = sums.interval(level=level)
    difference = Estimate(
        value=sums.mean, low=low, high=high, n=sums.n, method=METHOD, attempts=attempts, level=level,
        missing=missing, note="", **bounds,
    )  # fmt: skip
    alike = [y - x for x, y in pairs] if tested is None else tested
    return Comparison(
        difference=difference,
        better=Differences.of(alike).better(),
        p_value=sign_flip_test(alike),
        sums=sums,
        thinned=tested is not None,
    )


def compare_counts(
    a: Sequence[Count],
    b: Sequence[Count],
    *,
    planned: Iterable[tuple[int, int]] | None = None,
    common: Sequence[tuple[Count, Count]] | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare pass rates from (trials, passes) of the same cases in the same order.

    `planned` are the trials that each case should have had in A and in B; missing ones are bounded. `common` are the
    counts over the trials that both have of each case; leave it out if the order of trials is unknown.
    """
    every = list(zip(a, b, strict=True))
    both = [(x, y) for x, y in every if x[0] and y[0]]
    missing, worst, best = _lacking(a, b, planned)
    return compare(
        [c / m if m else None for m, c in a],
        [c / m if m else None for m, c in b],
        trials=effective_trials(both),
        attempts=sum(m for pair in both for m, _ in pair),
        missing=missing,
        worst=worst,
        best=best,
        tested=_tested_differences(both, [counts_alike(x, y) for x, y in both] if common is None else common),
        level=level,
    )


def _tested_differences(
    both: Sequence[tuple[Count, Count]], common: Sequence[tuple[Count, Count]]
) -> list[float] | None:
    """Return the differences over common trials, or None if all trials are common."""
    if sum(m for pair in both for m, _ in pair) == sum(m for pair in common for m, _ in pair):
        return None
    return differences_of(common)


def differences_of(pairs: Sequence[tuple[Count, Count]]) -> list[float]:
    """Return B's pass share minus A's, for the cases counted in both."""
    return [y / n - x / m for (m, x), (n, y) in pairs if m and n]


def effective_trials(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> float:
    """Return the effective number of trials for the difference, from (trials, passes) of each case in A and in B.

    If a case always or never passes, further trials of it carry no information on other cases. The effective number is
    the ratio of effective to counted cases, but at most the harmonic mean of the trials. With the actual number
    instead, an interval of 30 cases missed one in five times.
    """
    if not pairs:
        return 1.0
    trials = 2 * len(pairs) / sum(1 / a[0] + 1 / b[0] for a, b in pairs)
    shares = [Sums.of(case[side][1] / case[side][0] for case in pairs).effective() / len(pairs) for side in (0, 1)]
    return min(trials, 2 / (1 / shares[0] + 1 / shares[1]))


def _lacking(
    a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], planned: Iterable[tuple[int, int]] | None
) -> tuple[int, list[float], list[float]]:
    """Return the number of missing attempts, and the differences with all of them counted against and for B."""
    if planned is None:
        return 0, [], []
    lacks = [(max(0, m - x[0]), max(0, n - y[0])) for x, y, (m, n) in zip(a, b, planned, strict=True)]
    worst, best = [], []
    for (ma, ca), (mb, cb), (la, lb) in zip(a, b, lacks, strict=True):
        worst.append(cb / (mb + lb) - (ca + la) / (ma + la))
        best.append((cb + lb) / (mb + lb) - ca / (ma + la))
    return sum(la + lb for la, lb in lacks), worst, best


def _bounds(worst: Sequence[float], best: Sequence[float], trials: float, level: float) -> MissingBounds:
    if not worst or not best:
        return {}
    least, most = Differences.of(worst, trials=trials), Differences.of(best, trials=trials)
    return {
        "worst": least.mean,
        "best": most.mean,
        "gate_low": least.interval(level=level)[0],
        "gate_high": most.interval(level=level)[1],
    }


def sign_flip_test(differences: Sequence[float]) -> float:
    """Return the exact two-sided p-value of no difference: if A and B are equal, each d_i is equally likely to be −d_i.

    With one trial this is McNemar's exact test (1947), which does not hold for several trials. Values that are not
    simple fractions are rounded first, which keeps the test exact, since d and −d are rounded alike. Beyond some ten
    thousand flips the normal approximation is used, which is then within 1 % of the p-value.
    """
    steps = [step for step in _integer_steps(differences) if step]
    sizes = [abs(step) for step in steps]
    excess, total = abs(sum(steps)), sum(sizes)
    if not excess:
        return 1.0
    if total * len(sizes) > _ADDITIONS:
        return erfc((excess - 1) / sqrt(2 * sum(size * size for size in sizes)))
    # A flipped sum is 2·(sum of a random subset) − total; by symmetry one tail counts twice.
    return min(1.0, 2 * _upper_tail(sizes, (total + excess) // 2))


def _integer_steps(differences: Sequence[float]) -> list[int]:
    """Convert the differences to integer multiples of a unit: exactly if they are simple fractions, else rounded."""
    fractions = {value: Fraction(value).limit_denominator(_FINEST) for value in set(differences)}
    unit = lcm(*{fraction.denominator for fraction in fractions.values()})
    exact = all(abs(float(fraction) - value) < 1e-9 for value, fraction in fractions.items())
    if exact and unit <= _FINEST:
        steps = {value: int(fraction * unit) for value, fraction in fractions.items()}
        return [steps[value] for value in differences]
    cost = len(differences) * sum(abs(value) for value in differences)
    coarsest = 200 / max(abs(value) for value in differences)
    grid = max(coarsest, min(_FINEST, _ADDITIONS / cost))
    return [round(value * grid) for value in differences]


def _upper_tail(sizes: list[int], least: int) -> float:
    """P(sum of a random subset of the sizes ≥ least), all subsets equally likely."""
    import numpy as np

    chance = np.zeros(sum(sizes) + 1)
    chance[0] = 1.0
    reach = 0
    for size in sorted(sizes):
        reach += size
        chance[size : reach + 1] += chance[: reach + 1 - size].copy()
        chance[: reach + 1] /= 2
    return float(chance[least:].sum())


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple testing, so that each can be compared with the level itself (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, i in enumerate(order):
        if not 0 <= p_values[i] <= 1:
            raise InputError(f"p={p_values[i]!r} is not a p-value: expected a number from 0 to 1.")
        highest = max(highest, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryComparison:
    """Comparison of one category among several."""

    comparison: Comparison
    adjusted: float | None
    """Holm-adjusted p-value over all categories that are large enough; None if this one is too small, or has no pair.
    """
    changed: bool
    """Whether the adjusted p-value is significant at the level, and the interval excludes 0."""


def compare_categories(comparisons: Mapping[str, Comparison]) -> dict[str, CategoryComparison]:
    """Find the categories that changed, Holm-adjusted over those with at least five cases."""
    tested = {name: c.p_value for name, c in comparisons.items() if _testable(c) and c.p_value is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return {
        name: CategoryComparison(
            comparison=comparison,
            adjusted=adjusted.get(name),
            changed=adjusted.get(name, 1.0) <= 1 - comparison.difference.level + 1e-12 and comparison.confirmed,
        )
        for name, comparison in comparisons.items()
    }


def _testable(comparison: Comparison) -> bool:
    return comparison.difference.n >= FEWEST_FOR_VERDICT
