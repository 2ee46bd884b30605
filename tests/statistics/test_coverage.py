"""Small and seeded; `make simulate` does the whole grid, exactly."""

from math import comb

import numpy as np
import pytest

from proctor.statistics.compare import compare_counts
from proctor.statistics.intervals import Sums, clopper_pearson

RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


def binomial(n: int, rate: float) -> list[float]:
    return [comb(n, c) * rate**c * (1 - rate) ** (n - c) for c in range(n + 1)]


@pytest.mark.parametrize(("n", "least"), [(5, 0.89), (10, 0.89), (30, 0.915), (100, 0.915)])
def test_one_trial_a_case_covers_exactly_as_promised(n: int, least: float) -> None:
    intervals = [Sums.of([1.0] * c + [0.0] * (n - c)).interval() for c in range(n + 1)]
    exact = [clopper_pearson(c / n, n) for c in range(n + 1)]
    for rate in RATES:
        law = binomial(n, rate)
        assert sum(w for w, (low, high) in zip(law, intervals, strict=True) if low <= rate <= high) >= least
        assert sum(w for w, (low, _) in zip(law, intervals, strict=True) if low > rate) <= 0.04
        assert sum(w for w, (low, high) in zip(law, exact, strict=True) if low <= rate <= high) >= 0.95


@pytest.mark.parametrize("spread", [0.1, 0.5])
@pytest.mark.parametrize("n", [5, 30])
def test_four_trials_a_case_cover(n: int, spread: float) -> None:
    rng = np.random.default_rng(10)
    covered = runs = 0
    for rate in (0.5, 0.9):
        a, b = rate * (1 - spread) / spread, (1 - rate) * (1 - spread) / spread
        for _ in range(500):
            values = rng.binomial(4, rng.beta(a, b, n)) / 4
            low, high = Sums.of(values.tolist()).interval()
            covered += low <= rate <= high
            runs += 1
    assert covered / runs > 0.935


def test_four_trials_of_cases_that_never_vary_cover_a_change_that_was_not_seen() -> None:
    """Pseudo-cases of ±1/√trials cover .79 here: a share of .05 that broke is missed in a fifth of the runs."""
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(500):
        before = rng.random(30) < 0.5
        after = before & (rng.random(30) > 0.1)
        a, b = [(4, 4 * int(x)) for x in before], [(4, 4 * int(x)) for x in after]
        found = compare_counts(a, b).difference
        covered += found.low is not None and found.high is not None and found.low <= -0.05 <= found.high
    assert covered / 500 > 0.93
