"""Hierarchical Beta-Binomial model of a run: how cases differ, what each one's rate is, which are flaky.

Case i passes with its own rate p_i ~ Beta(μ(1−ρ)/ρ, (1−μ)(1−ρ)/ρ), with μ and ρ uniform on (0, 1): μ is the mean rate,
ρ the heterogeneity of the cases (0: all alike, 1: each always or never passes). The posterior of (μ, ρ) is integrated
on a fixed grid, so the same counts give the same numbers. It is used for shrunken rates, classes and values for k above
the trials, never for the headline interval: in small runs that would often exclude the reported rate itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import special

from proctor.statistics.beta import Floats, log_mean_power
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums

Counts = Sequence[tuple[int, int]]
"""(trials, passes) of each case."""
Class = Literal["stable-pass", "flaky", "stable-fail", "unsure"]

STABLE = 0.9
"""A case is stable if its rate is at least this, or at most one minus this."""
SURE = 0.8
"""Minimum probability for a case to be classified."""
FEWEST_CASES = 10
FEWEST_TRIALS = 2
_NODES = (400, 24)
"""Number of nodes in t = arcsin √μ and in ρ."""
_FEW_NODES = (64, 24)
"""Number of nodes that suffices for a mean over the posterior; its quantiles need more."""
_LIGHT = 1e-9
"""Nodes with less weight than this do not affect means."""
_NEGLIGIBLE = 40.0
"""Nodes whose log-posterior is this far below the maximum have negligible weight."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    """The posterior of (μ, ρ) as weighted nodes."""

    mu: Floats
    rho: Floats
    weight: Floats
    """Sums to 1."""

    @property
    def priors(self) -> tuple[Floats, Floats]:
        """Beta parameters of a case's rate at each node."""
        strength = (1 - self.rho) / self.rho
        return self.mu * strength, (1 - self.mu) * strength

    def stable(self, m: int, c: int) -> tuple[float, float]:
        """Return the probabilities that a case with c passes in m trials is stable-pass, and stable-fail.

        Averaged over the posterior: evaluated at its mean, uncertainty about the other cases would be ignored, and more
        classifications would be wrong, above all with two trials per case.
        """
        a, b = self.priors
        passing = special.betaincc(a + c, b + m - c, STABLE)
        failing = special.betainc(a + c, b + m - c, 1 - STABLE)
        return float(self.weight @ passing), float(self.weight @ failing)

    def rate(self, m: int, c: int) -> float:
        """Return the expected rate of a case with c passes in m trials: its own share, shrunk towards the others."""
        expected = (self.mu * (1 - self.rho) + self.rho * c) / (1 - self.rho + self.rho * m)
        return float(self.weight @ expected)

    def quantile(self, values: Floats, share: float) -> float:
        """Return the posterior quantile at `share`, for values given at the nodes."""
        order = np.argsort(values, kind="stable")
        middle = np.cumsum(self.weight[order]) - self.weight[order] / 2
        return float(np.interp(share, middle, values[order]))


def fit(counts: Counts) -> Population:
    """Fit the posterior of (μ, ρ) to the histogram of (trials, passes)."""
    return _fit(_histogram(counts), _NODES)


def fit_for_means(counts: Counts) -> Population:
    """Like `fit`, on fewer nodes, which suffice for means over the posterior."""
    found = _fit(_histogram(counts), _FEW_NODES)
    heavy = found.weight > _LIGHT
    return Population(mu=found.mu[heavy], rho=found.rho[heavy], weight=found.weight[heavy] / found.weight[heavy].sum())


def _histogram(counts: Counts) -> Histogram:
    return tuple(sorted(Counter((m, c) for m, c in counts if m).items()))


def shrunken_rates(counts: Counts) -> list[float]:
    """Return each case's expected rate, shrunk towards those of the others."""
    population = fit(counts)
    known = {pair: population.rate(*pair) for pair in set(counts)}
    return [known[pair] for pair in counts]


def classes(counts: Counts) -> list[Class] | None:
    """Classify each case as stable-pass, flaky, stable-fail or unsure; None below 10 cases with 2 trials or more."""
    if not enough(counts):
        return None
    population = fit_for_means(counts)
    known = {pair: _class(population, *pair) for pair in set(counts)}
    return [known[pair] for pair in counts]


def enough(counts: Counts) -> bool:
    """Whether there are enough trials to tell flaky cases from stable ones."""
    return sum(m >= FEWEST_TRIALS for m, _ in counts) >= FEWEST_CASES


def model_pass_hat_k(counts: Counts, k: int, *, level: float = 0.95) -> Estimate:
    """Estimate pass^k by the model, for k above the trials; with one trial per case, only its sharp bounds."""
    if _single(counts):
        return _bounded_estimate(counts, lambda p: p**k, lambda p: p, level)
    return _model(counts, lambda a, b: np.exp(log_mean_power(a, b, k)), level)


def model_pass_at_k(counts: Counts, k: int, *, level: float = 0.95) -> Estimate:
    """Estimate pass@k by the model, for k above the trials; with one trial per case, only its sharp bounds."""
    if _single(counts):
        return _bounded_estimate(counts, lambda p: p, lambda p: 1 - (1 - p) ** k, level)
    return _model(counts, lambda a, b: -np.expm1(log_mean_power(b, a, k)), level)


def _class(population: Population, m: int, c: int) -> Class:
    if not m:
        return "unsure"
    passing, failing = population.stable(m, c)
    named: dict[Class, float] = {"stable-pass": passing, "stable-fail": failing, "flaky": 1 - passing - failing}
    best = max(named, key=lambda name: named[name])
    return best if named[best] >= SURE else "unsure"


def _single(counts: Counts) -> bool:
    return all(m <= 1 for m, _ in counts)


def _model(counts: Counts, value: Callable[[Floats, Floats], Floats], level: float) -> Estimate:
    population = fit(counts)
    values = value(*population.priors)
    tail = (1 - level) / 2
    return Estimate(
        value=float(population.weight @ values),
        low=population.quantile(values, tail),
        high=population.quantile(values, 1 - tail),
        n=sum(m > 0 for m, _ in counts),
        attempts=sum(m for m, _ in counts),
        method="model",
        level=level,
        note="from the Beta-Binomial model: k exceeds the trials",
    )


def _bounded_estimate(
    counts: Counts, lower: Callable[[float], float], upper: Callable[[float], float], level: float
) -> Estimate:
    """Return bounds between identical cases and cases that always or never pass, which one trial cannot distinguish."""
    sums = Sums.of(float(c) for m, c in counts if m)
    if not sums.n:
        return Estimate(value=None, low=None, high=None, n=0, method="bounds", level=level, note="nothing was counted")
    low, high = sums.interval(level=level)
    return Estimate(
        value=None,
        low=lower(low),
        high=upper(high),
        n=sums.n,
        attempts=sums.n,
        method="bounds",
        level=level,
        worst=lower(sums.mean),
        best=upper(sums.mean),
        note="one trial a case: only bounds are known",
    )


Histogram = tuple[tuple[tuple[int, int], int], ...]
Box = tuple[float, float, float, float]


@lru_cache(maxsize=8)
def _fit(histogram: Histogram, nodes: tuple[int, int]) -> Population:
    box: Box = (0.0, float(np.pi / 2), 0.0, 1.0)
    for _ in range(12):
        smaller = _shrink(histogram, box)
        if _area(smaller) > 0.5 * _area(box):
            break
        box = smaller
    t, rho, log_weight = _grid(histogram, box, nodes)
    weight = np.exp(log_weight - log_weight.max())
    return Population(mu=np.sin(t) ** 2, rho=rho, weight=weight / weight.sum())


def _shrink(histogram: Histogram, box: Box) -> Box:
    """Shrink the box to the part that holds the posterior, which may be narrower than the grid's spacing."""
    nodes = (64, 24)
    t, rho, log_weight = _grid(histogram, box, nodes)
    inside = log_weight > log_weight.max() - _NEGLIGIBLE
    steps = (box[1] - box[0]) / nodes[0], (box[3] - box[2]) / nodes[1] * 2
    return (
        max(box[0], float(t[inside].min()) - steps[0]),
        min(box[1], float(t[inside].max()) + steps[0]),
        max(box[2], float(rho[inside].min()) - steps[1]),
        min(box[3], float(rho[inside].max()) + steps[1]),
    )


def _area(box: Box) -> float:
    return (box[1] - box[0]) * (box[3] - box[2])


def _grid(histogram: Histogram, box: Box, nodes: tuple[int, int]) -> tuple[Floats, Floats, Floats]:
    """Return the nodes t and ρ (midpoints × Gauss-Legendre) and their log weights under prior and likelihood."""
    x, gauss = np.polynomial.legendre.leggauss(nodes[1])
    t1 = box[0] + (box[1] - box[0]) * (np.arange(nodes[0]) + 0.5) / nodes[0]
    rho1 = box[2] + (box[3] - box[2]) * (x + 1) / 2
    t, rho = (axis.ravel() for axis in np.meshgrid(t1, rho1, indexing="ij"))
    prior = np.log(np.sin(2 * t)) + np.tile(np.log(gauss), nodes[0])
    return t, rho, prior + _log_likelihood(histogram, np.sin(t) ** 2, np.cos(t) ** 2, rho)


def _log_likelihood(histogram: Histogram, mu: Floats, rest: Floats, rho: Floats) -> Floats:
    """Σ times · log B(a+c, b+m−c)/B(a, b), as products of (μ(1−ρ) + jρ) and the like, which are stable for ρ near 0."""
    passes, failures, trials = _tails(histogram)
    total = np.zeros_like(mu)
    for j, times in enumerate(passes):
        total += times * np.log(mu * (1 - rho) + j * rho)
    for j, times in enumerate(failures):
        total += times * np.log(rest * (1 - rho) + j * rho)
    for j, times in enumerate(trials):
        total -= times * np.log(1 - rho + j * rho)
    return total


def _tails(histogram: Histogram) -> tuple[list[int], list[int], list[int]]:
    """Count the cases with more than j passes, failures and trials, for each j."""
    longest = max((m for (m, _), _ in histogram), default=0)
    passes, failures, trials = ([0] * longest for _ in range(3))
    for (m, c), times in histogram:
        for j in range(m):
            trials[j] += times
            passes[j] += times * (j < c)
            failures[j] += times * (j < m - c)
    return passes, failures, trials
