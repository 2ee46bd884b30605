"""Classify the change of each case between two runs: fixed, broken, changed, flaky, unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from proctor.statistics.common_trials import Count

if TYPE_CHECKING:  # imported for annotations only: these import SciPy, which is slow
    from proctor.statistics.beta import Floats
    from proctor.statistics.hierarchical import Counts, Population

Flip = Literal["fixed", "broken", "changed", "flaky", "unchanged", "missing"]

SURE = 0.95
"""With several trials, a case is fixed or broken if that has at least this probability."""
_REACH = 20.0
"""Range of the logit grid on either side of 0."""
_STEP = 0.1
_ROUNDING = 1e-6
"""Error tolerance of the grid: for two failures of two against two passes of two, the probability is exactly .95."""


def flips(a: Counts, b: Counts) -> list[Flip]:
    """Classify each case's change from A to B, from (trials, passes) of the same cases in the same order.

    One trial: whether the verdict changed. Several: fixed or broken if the case passed more or less often and that is
    95 % probable, both by its own trials alone and under each run's model; otherwise flaky if it both passed and failed
    within one run, changed if it always went one way in A and the other way in B, with too few trials to be sure, and
    unchanged if all trials had the same result. A run that is too small for a model, or has one trial per case, borrows
    the other's: different priors alone would cause flips of cases with equal results. Its own trials are required
    because the model treats the two runs of a case as independent: where nearly all cases pass, it would call one
    failure in three trials, followed by none in the next three, a repair. A case that did not count in both runs is
    missing.
    """
    if all(m <= 1 for m, _ in a) and all(m <= 1 for m, _ in b):
        return [_single(x, y) for x, y in zip(a, b, strict=True)]
    known = _several(a, b)
    return [known[pair] for pair in zip(a, b, strict=True)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Posterior of one case's pass rate, on a grid of its logit."""

    chance: Floats
    """Probabilities, summing to 1; the first and the last include the tails beyond the grid."""

    def less_than(self, other: Rate) -> float:
        """P(this rate < the other) on the same grid; with an Euler-Maclaurin correction, so a coarse grid suffices."""
        import numpy as np

        below = self.chance.cumsum() - self.chance / 2 - np.gradient(self.chance) / 12
        return float(other.chance @ below)


def rate_of(population: Population, m: int, c: int, logits: Floats) -> Rate:
    """Return the posterior rate of a case with c passes in m trials, averaged over the population's posterior."""
    import numpy as np
    from scipy import special

    a, b = (prior[:, None] for prior in population.priors)
    passed, failed = a + c, b + m - c
    log_density = passed * special.log_expit(logits) + failed * special.log_expit(-logits)
    density = population.weight @ np.exp(log_density - special.betaln(passed, failed))
    chance = density * (logits[1] - logits[0])
    # The rate of a case that always or never passed may lie beyond the grid.
    chance[0 if c == 0 else -1] += max(0.0, 1 - chance.sum())
    return Rate(chance=chance / chance.sum())


_Views = tuple[Mapping[Count, Rate], Mapping[Count, Rate]]
"""Rates of A's counts and of B's, under one prior."""


def grid(trials: int) -> Floats:
    """Return logits of rates from 2e-9 to 1 − 2e-9, spaced finely enough for this number of trials."""
    import numpy as np

    step = min(_STEP, 1 / trials**0.5)
    return np.arange(-_REACH, _REACH + step, step)


def _single(a: tuple[int, int], b: tuple[int, int]) -> Flip:
    if not (a[0] and b[0]):
        return "missing"
    if a[1] == b[1]:
        return "unchanged"
    return "fixed" if b[1] else "broken"


def _several(a: Counts, b: Counts) -> dict[tuple[Count, Count], Flip]:
    """Map each distinct pair of counts to its classification."""
    logits, tried_a, tried_b = grid(max(m for m, _ in (*a, *b))), {x for x in a if x[0]}, {y for y in b if y[0]}
    views = [
        ({x: rate_of(before, *x, logits) for x in tried_a}, {y: rate_of(after, *y, logits) for y in tried_b})
        for before, after in ((_uniform(), _uniform()), _populations(a, b))
    ]
    return {(x, y): _classify_flip(x, y, views) for x, y in set(zip(a, b, strict=True))}


def _classify_flip(a: Count, b: Count, views: Sequence[_Views]) -> Flip:
    if not (a[0] and b[0]):
        return "missing"
    more = b[1] * a[0] - a[1] * b[0]
    enough = SURE - _ROUNDING
    if more > 0 and all(before[a].less_than(after[b]) >= enough for before, after in views):
        return "fixed"
    if more < 0 and all(after[b].less_than(before[a]) >= enough for before, after in views):
        return "broken"
    if any(0 < passed < tried for tried, passed in (a, b)):
        return "flaky"
    return "changed" if more else "unchanged"


def _populations(a: Counts, b: Counts) -> tuple[Population, Population]:
    from proctor.statistics.hierarchical import enough, fit_for_means

    own_a, own_b = (fit_for_means(counts) if enough(counts) else None for counts in (a, b))
    return own_a or own_b or _uniform(), own_b or own_a or _uniform()


def _uniform() -> Population:
    """Return a uniform prior on the rate."""
    import numpy as np

    from proctor.statistics.hierarchical import Population

    return Population(mu=np.array([1 / 2]), rho=np.array([1 / 3]), weight=np.ones(1))
