"""Early stopping: a group-sequential test of a rate against a bound, with a look every 5 % of the cases.

The error of each side, 2.5 %, is spent as α·t² (t: the share of cases counted). The bounds are known before the first
call: with one verdict per case exactly, from the binomial; else from the normal approximation, as z. A run also stops
for futility, if it is unlikely to reach either final bound: predictive probability (Jeffreys) below 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, isclose, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.025
"""Probability of each wrong verdict if the rate is at the bound."""
HOPELESS = 0.05
"""Probability of reaching a final bound below which the run is not worth continuing."""
_EVERY = 0.05
_SLACK = 1e-15
_TINY = 1e-12
"""Rates closer than this to 0 or 1 are rounded, as SciPy overflows on them."""
_GRID = 401
"""Number of grid points for integrating the normal path."""
_NORMAL = NormalDist()

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class LookBounds:
    """Bounds that end a run at one look."""

    cases: int
    """Number of cases counted at the look."""
    not_met: int | None
    """The gate is not met with this many passes or fewer; None if no number is low enough."""
    met: int
    """The gate is met with this many passes or more; may be more than can be reached."""
    reachable: bool
    """Whether any path that has not ended before can reach `met`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Bounds of all looks for a gate `rate >= bound` with one verdict per case."""

    cases: int
    bound: float
    looks: tuple[LookBounds, ...]
    spent: tuple[float, float]
    """Probabilities of `met` and of `not met` if the rate is at the bound, without stopping for futility."""

    def is_futile(self, cases: int, passed: int) -> bool:
        """Whether a run with these counts is unlikely to reach either final bound."""
        return bool(self.futile(cases)[passed])

    def futile(self, cases: int) -> NDArray[np.bool_]:
        """Return `is_futile` for each number of passes among `cases` cases."""
        last = self.looks[-1]
        return _futile(cases, self.cases, last.not_met, last.met)


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatingPoint:
    """Outcome probabilities of runs of an agent with a given rate."""

    rate: float
    calls: float
    """Mean share of all calls that they make."""
    met: float
    not_met: float
    inconclusive: float


def look_sizes(units: int) -> tuple[int, ...]:
    """Return the number of units at each look: every 5 %, and at the end."""
    step = max(1, ceil(units * _EVERY - 1e-9))
    return tuple(dict.fromkeys([*range(step, units, step), units]))


@lru_cache(maxsize=64)
def plan(cases: int, bound: float, sizes: tuple[int, ...] | None = None) -> Plan:
    """Compute the bounds for `rate >= bound`, exactly over the paths that have not ended before."""
    paths, before, met, not_met, looks = np.ones(1), 0, 0.0, 0.0, []
    for size in sizes or look_sizes(cases):
        paths, before = np.convolve(paths, binomial(size - before, bound)), size
        level = ALPHA * (size / cases) ** 2 + _SLACK
        above = np.append(np.cumsum(paths[::-1])[::-1], 0.0)
        below = np.cumsum(paths)
        upper = int(np.argmax(above <= level - met))
        few = np.flatnonzero(below <= level - not_met)
        lower = int(few[-1]) if few.size and below[few[-1]] > 0 else None
        looks.append(LookBounds(cases=size, not_met=lower, met=upper, reachable=bool(above[upper] > 0)))
        met += above[upper]
        paths[upper:] = 0.0
        if lower is not None:
            not_met += below[lower]
            paths[: lower + 1] = 0.0
    return Plan(cases=cases, bound=bound, looks=tuple(looks), spent=(float(met), float(not_met)))


def operating_point(planned: Plan, rate: float) -> OperatingPoint:
    """Compute exactly how runs with this pass rate end, and how many calls they make."""
    paths, before = np.ones(1), 0
    calls = met = not_met = futile = 0.0
    for look in planned.looks:
        paths, before = np.convolve(paths, binomial(look.cases - before, rate)), look.cases
        least = -1 if look.not_met is None else look.not_met
        ended = {"met": paths[look.met :].sum(), "not met": paths[: least + 1].sum()}
        paths[look.met :] = paths[: least + 1] = 0.0
        lost = planned.futile(look.cases)
        given_up = paths[lost].sum()
        paths[lost] = 0.0
        met, not_met, futile = met + ended["met"], not_met + ended["not met"], futile + given_up
        calls += (sum(ended.values()) + given_up) * look.cases
    left = float(paths.sum())
    calls += left * planned.cases
    return OperatingPoint(
        rate=rate, calls=float(calls / planned.cases), met=float(met), not_met=float(not_met),
        inconclusive=float(futile) + left,
    )  # fmt: skip


def binomial(n: int, rate: float) -> Floats:
    """Return the probabilities of 0 … n passes."""
    from scipy.stats import binom

    found: Floats = binom.pmf(np.arange(n + 1), n, rate if _TINY < rate < 1 - _TINY else round(rate))
    return found


@lru_cache(maxsize=256)
def _futile(cases: int, total: int, not_met: int | None, met: int) -> NDArray[np.bool_]:
    """Whether, per number of passes so far, a final bound is too unlikely to be reached (Jeffreys prior)."""
    from scipy.stats import betabinom

    passed = np.arange(cases + 1)
    if cases >= total:
        return ~((passed >= met) | (passed <= (-1 if not_met is None else not_met)))
    ahead = betabinom(total - cases, passed + 0.5, cases - passed + 0.5)
    reach = np.nan_to_num(ahead.sf(met - passed - 1))
    if not_met is not None:
        reach = reach + np.nan_to_num(ahead.cdf(not_met - passed))
    small: NDArray[np.bool_] = reach < HOPELESS
    return small


def score_z(rate: float, bound: float, cases: float) -> float:
    """Return the distance of a rate over `cases` (effective) cases from the bound, in standard errors at the bound."""
    spread = sqrt(bound * (1 - bound) / cases) if cases else 0.0
    if spread == 0:
        return 0.0 if isclose(rate, bound) else inf if rate > bound else -inf
    return (rate - bound) / spread


@lru_cache(maxsize=64)
def z_bounds(shares: tuple[float, ...], *, alpha: float = ALPHA) -> tuple[float, ...]:
    """Return the two-sided bound on z at each look, by integrating the normal path over what has not ended before."""
    bounds: list[float] = []
    spent, before = 0.0, 0.0
    points, mass = np.zeros(1), np.ones(1)
    for share in shares:
        wanted = alpha * share**2 - spent
        spread = sqrt(share - before)
        bound = _bound(points, mass, spread, wanted)
        bounds.append(bound / sqrt(share))
        points, mass = _go_on(points, mass, spread, bound)
        spent, before = spent + wanted, share
    return tuple(bounds)


def _bound(points: Floats, mass: Floats, spread: float, wanted: float) -> float:
    """Find the value above which the path lies with the wanted probability."""
    from scipy.special import ndtr

    low, high = 0.0, 12.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        above = float((mass * ndtr((points - middle) / spread)).sum())
        low, high = (middle, high) if above > wanted else (low, middle)
    return high


def _go_on(points: Floats, mass: Floats, spread: float, bound: float) -> tuple[Floats, Floats]:
    """Return the distribution of paths that have not ended, on a grid between the bounds."""
    from scipy.special import ndtr

    edges = np.linspace(-bound, bound, _GRID + 1)
    reached = ndtr((edges[:, None] - points[None, :]) / spread) @ mass
    return (edges[1:] + edges[:-1]) / 2, np.diff(reached)


def level_of(z: float) -> float:
    """Return the level of the two-sided interval that corresponds to a bound on z."""
    return 2 * _NORMAL.cdf(z) - 1


def is_futile(z: float, share: float, final: float) -> bool:
    """Whether a path at z after this share is unlikely to end beyond ± `final` (flat prior)."""
    if share >= 1:
        return abs(z) < final
    left = sqrt(1 - share)
    above = _NORMAL.cdf((z - sqrt(share) * final) / left)
    below = _NORMAL.cdf((-z - sqrt(share) * final) / left)
    return above + below < HOPELESS
