"""Gates: decide whether a bound is met, not met, or inconclusive, by the interval and never by the value alone.

At the usual level of 95 %, a gate is wrongly met in at most about 2.5 % of runs, and wrongly not met likewise. If
scores are missing, the interval's ends come from the worst and best case.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, sqrt
from statistics import NormalDist
from typing import Literal

from proctor.errors import InputError
from proctor.settings import given
from proctor.statistics.compare import Differences
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson

Verdict = Literal["met", "not met", "inconclusive"]

POWER = 0.8
"""Probability with which the suggested number of further cases settles the gate."""
_HOPELESS = 20
"""If more than this factor of cases were needed, the rate counts as being at the gate."""


def at_least(estimate: Estimate, bound: float) -> Verdict:
    """Return the verdict of `metric >= bound`."""
    low, high = ends(estimate)
    if low is not None and low >= bound:
        return "met"
    return "not met" if high is not None and high < bound else "inconclusive"


def at_most(estimate: Estimate, bound: float) -> Verdict:
    """Return the verdict of `metric <= bound`."""
    low, high = ends(estimate)
    if high is not None and high <= bound:
        return "met"
    return "not met" if low is not None and low > bound else "inconclusive"


def not_worse(difference: Estimate, margin: float) -> Verdict:
    """Return the verdict of `not worse than RUN by margin`, for the difference this − RUN (non-inferiority)."""
    low, high = ends(difference)
    if low is not None and low > -margin:
        return "met"
    return "not met" if high is not None and high < -margin else "inconclusive"


def count_at_most(count: float, bound: float) -> Verdict:
    """Return the verdict of an upper bound on a count that is not estimated: failures, cost."""
    return "met" if count <= bound else "not met"


def count_at_least(count: float, bound: float) -> Verdict:
    """Return the verdict of a lower bound on a count."""
    return "met" if count >= bound else "not met"


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine gates: all must be met (intersection-union, so no correction), and one not met decides."""
    seen = set(verdicts)
    if "not met" in seen:
        return "not met"
    return "inconclusive" if "inconclusive" in seen else "met"


def ends(estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the interval that a gate may rely on."""
    return estimate.ends


def level_of_look(look: int, *, level: float = 0.95) -> float:
    """Return the level of the j-th verdict on a run that is being extended: its error is halved at each look.

    However many looks there are, each kind of wrong verdict has at most twice the probability of the first look.
    """
    if look < 1:
        raise InputError(given("look", look), " is not usable; expected a whole number from 1, the first verdict")
    return 1 - (1 - level) / float(2 ** (look - 1))


def fewest_cases(bound: float, *, failures: int = 0, level: float = 0.95) -> int:
    """Return the minimum number of cases with which `>= bound` can be met if this many of them fail."""
    if not 0 <= bound < 1:
        raise InputError(f"no number of cases can show a rate of {100 * bound:g} %; choose a bound from 0 to below 1")
    few, many = failures, failures + 1
    while not _met(many, failures, bound, level):
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if _met(middle, failures, bound, level) else (middle, many)
    return many


def reachable(cases: int, bound: float, *, upper: bool = False, level: float = 0.95) -> bool:
    """Whether a gate on a rate could be met with this many cases at all; `upper`: a gate `<= bound`."""
    if not cases:
        return False
    return _met(cases, 0, 1 - bound if upper else bound, level)


def _met(cases: int, failures: int, bound: float, level: float) -> bool:
    return wilson((cases - failures) / cases, cases, level=level)[0] >= bound


def further_cases(estimate: Estimate, bound: float, *, level: float | None = None) -> int | None:
    """Return how many more cases would settle a gate with a probability of 80 %, if the rate is as estimated.

    None: more than 20 times the cases (the rate is at the gate), or only missing scores prevent a verdict. `level` is
    that of the next verdict, if it differs from the estimate's own.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    y, n = estimate.value, estimate.n
    if y == bound:
        return None
    z, power = _z(level if level is not None else estimate.level), NormalDist().inv_cdf(POWER)
    needed = ((z * sqrt(bound * (1 - bound)) + power * sqrt(y * (1 - y))) / (y - bound)) ** 2
    return _further(needed * n / _effective(estimate), n)


def further_pairs(sums: Differences, margin: float, *, level: float = 0.95) -> int | None:
    """Return how many more paired cases would settle `not worse by margin`, with the same probability."""
    distance = sums.centre + margin
    if not sums.n or not distance:
        return None
    return _further(((_z(level) + NormalDist().inv_cdf(POWER)) / distance) ** 2 * sums.variance, sums.n)


def _further(needed: float, n: int) -> int | None:
    more = ceil(needed - 1e-9) - n
    return more if 0 < more <= _HOPELESS * n else None


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _effective(estimate: Estimate) -> float:
    return max(float(estimate.n), effective_cases(estimate))


def effective_cases(estimate: Estimate) -> float:
    """Return the effective number of cases, computed from Wilson's ends, which solve (p − end)² = z²·end(1 − end)/n."""
    value, low, high = estimate.value or 0.0, estimate.low or 0.0, estimate.high or 0.0
    end = low if value - low > high - value else high
    distance = value - end
    return (_z(estimate.level) / distance) ** 2 * end * (1 - end) if distance else float(estimate.n)
