"""What became of each case between two runs: fixed, broken, flaky, unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # they import SciPy, which whoever only names a Flip should not wait for
    from proctor.statistics.beta import Floats
    from proctor.statistics.hierarchical import Class, Counts

Flip = Literal["fixed", "broken", "flaky", "unchanged", "missing"]

SURE = 0.95
"""With several trials, a case is fixed or broken when it is this probable."""


def flips(a: Counts, b: Counts) -> list[Flip]:
    """What became of each case from A to B, from (trials, passes) of the same cases in the same order.

    One trial: the verdict changed or not. Several: fixed or broken when it passed more or less often and that is 95 %
    probable under each run's own model; otherwise flaky when flaky in either run. A run that is too small for a model,
    or has one trial a case, borrows the other's: two different priors alone would make flips of cases that went the
    same. Where neither has a model the prior is uniform, and a case that both passed and failed is flaky. A case that
    did not count in both runs is missing.
    """
    if all(m <= 1 for m, _ in a) and all(m <= 1 for m, _ in b):
        return [_single(x, y) for x, y in zip(a, b, strict=True)]
    prior_a, prior_b = _priors(a, b)
    flaky_a, flaky_b = _flaky(a), _flaky(b)
    known = {(x, y): _several(x, y, prior_a, prior_b) for x, y in set(zip(a, b, strict=True))}
    return [
        "flaky" if known[x, y] == "unchanged" and (first or second) else known[x, y]
        for x, y, first, second in zip(a, b, flaky_a, flaky_b, strict=True)
    ]


def probability_less(first: tuple[float, float], second: tuple[float, float]) -> float:
    """P(X < Y) for X ~ Beta(first), Y ~ Beta(second), independent: the mean of X's distribution at Y's quantiles.

    Where both crowd at 0 or 1 below the smallest float the result is too small, never too large.
    """
    import numpy as np
    from scipy import special

    x, weight = _nodes()
    at = special.betaincinv(*second, (x + 1) / 2)
    below = np.where(at <= 0, 0.0, special.betainc(*first, np.minimum(at, 1 - 1e-15)))
    return float(weight @ below / 2)


@cache
def _nodes() -> tuple[Floats, Floats]:
    import numpy as np

    x, weight = np.polynomial.legendre.leggauss(200)
    return x, weight


def _single(a: tuple[int, int], b: tuple[int, int]) -> Flip:
    if not (a[0] and b[0]):
        return "missing"
    if a[1] == b[1]:
        return "unchanged"
    return "fixed" if b[1] else "broken"


def _several(
    a: tuple[int, int], b: tuple[int, int], prior_a: tuple[float, float], prior_b: tuple[float, float]
) -> Flip:
    if not (a[0] and b[0]):
        return "missing"
    before = prior_a[0] + a[1], prior_a[1] + a[0] - a[1]
    after = prior_b[0] + b[1], prior_b[1] + b[0] - b[1]
    moved = b[1] * a[0] - a[1] * b[0]
    if moved > 0 and probability_less(before, after) >= SURE:
        return "fixed"
    return "broken" if moved < 0 and probability_less(after, before) >= SURE else "unchanged"


def _priors(a: Counts, b: Counts) -> tuple[tuple[float, float], tuple[float, float]]:
    from proctor.statistics.hierarchical import enough, fit

    own_a, own_b = (fit(counts).prior if enough(counts) else None for counts in (a, b))
    return own_a or own_b or (1.0, 1.0), own_b or own_a or (1.0, 1.0)


def _flaky(counts: Counts) -> list[bool]:
    from proctor.statistics.hierarchical import classes

    named: Sequence[Class] | None = classes(counts)
    if named is None:
        return [0 < c < m for m, c in counts]
    return [name == "flaky" for name in named]
