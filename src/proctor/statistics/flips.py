"""What became of each case between two runs: fixed, broken, changed, flaky, unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from proctor.statistics.common_trials import Count

if TYPE_CHECKING:  # they import SciPy, which whoever only names a Flip should not wait for
    from proctor.statistics.beta import Floats
    from proctor.statistics.hierarchical import Counts, Population

Flip = Literal["fixed", "broken", "changed", "flaky", "unchanged", "missing"]

SURE = 0.95
"""With several trials, a case is fixed or broken when it is this probable."""
_REACH = 20.0
"""How far the grid of logits goes to either side."""
_STEP = 0.1
_ROUNDING = 1e-6
"""What the grid may be wrong by: two failures of two and two passes of two are .95 to the digit."""


def flips(a: Counts, b: Counts) -> list[Flip]:
    """What became of each case from A to B, from (trials, passes) of the same cases in the same order.

    One trial: the verdict changed or not. Several: fixed or broken when it passed more or less often and that is 95 %
    probable, both by its own trials alone and under each run's own model; otherwise flaky when it was seen to pass and
    to fail within one run, changed when it always went one way in A and the other way in B, with too few trials to be
    sure, and unchanged when every trial went the same way. A run that is too small for a model, or has one trial a
    case, borrows the other's: two different priors alone would make flips of cases that went the same. By its own
    trials, because the model takes the two runs of a case for strangers: where nearly all cases pass, it would call one
    failure of three, and none in the next three, a repair. A case that did not count in both runs is missing.
    """
    if all(m <= 1 for m, _ in a) and all(m <= 1 for m, _ in b):
        return [_single(x, y) for x, y in zip(a, b, strict=True)]
    known = _several(a, b)
    return [known[pair] for pair in zip(a, b, strict=True)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """What is known of one case's pass rate: how probable each value is, on a grid of its logit."""

    chance: Floats
    """Sums to 1; the first and the last also hold what lies beyond them."""

    def less_than(self, other: Rate) -> float:
        """P(this rate < the other), both on the same grid; by Euler and Maclaurin, so that a coarse grid will do."""
        import numpy as np

        below = self.chance.cumsum() - self.chance / 2 - np.gradient(self.chance) / 12
        return float(other.chance @ below)


def rate_of(population: Population, m: int, c: int, logits: Floats) -> Rate:
    """The rate of a case with c passes in m trials, averaged over what is known of how the cases differ."""
    import numpy as np
    from scipy import special

    a, b = (prior[:, None] for prior in population.priors)
    passed, failed = a + c, b + m - c
    log_density = passed * special.log_expit(logits) + failed * special.log_expit(-logits)
    density = population.weight @ np.exp(log_density - special.betaln(passed, failed))
    chance = density * (logits[1] - logits[0])
    # A case that always or never passed may have a rate nearer to 1 or 0 than the grid goes.
    chance[0 if c == 0 else -1] += max(0.0, 1 - chance.sum())
    return Rate(chance=chance / chance.sum())


_Views = tuple[Mapping[Count, Rate], Mapping[Count, Rate]]
"""What is known of the rates of A's counts and of B's, by one way of seeing them."""


def grid(trials: int) -> Floats:
    """Logits of rates from 2e-9 to 1 − 2e-9, fine enough for a rate that was tried so many times."""
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
    """Each pair of counts that occurs → what became of such a case."""
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
    """Every rate is as probable as any other."""
    import numpy as np

    from proctor.statistics.hierarchical import Population

    return Population(mu=np.array([1 / 2]), rho=np.array([1 / 3]), weight=np.ones(1))
