import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.statistics.ratios import per_success, percentile_95


def test_failures_are_paid_for_by_the_successes() -> None:
    found = per_success([1.0, 2.0, 3.0], [1, 0, 1])
    assert (found.value, found.low, found.high) == (3, None, None)
    assert found.note == "no interval below 10 cases"


def test_no_success_is_no_value_and_says_so() -> None:
    found = per_success([1.0] * 12, [0] * 12)
    assert (found.value, found.low, found.high, found.note) == (None, None, None, "no success")
    assert per_success([], []).note == "nothing was counted"


def test_a_free_run_costs_nothing_for_certain() -> None:
    found = per_success([0.0] * 12, [1] * 12)
    assert (found.value, found.low, found.high) == (0, 0, 0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 100), st.integers(0, 4)), min_size=10, max_size=40))
def test_the_ratio_lies_inside_its_interval_above_nothing(cases: list[tuple[float, int]]) -> None:
    found = per_success([x for x, _ in cases], [y for _, y in cases])
    if found.value is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 < found.low < found.value < found.high


@pytest.mark.parametrize("rate", [0.3, 0.7, 0.95])
def test_the_ratio_covers_the_truth_even_when_every_success_costs_the_same(rate: float) -> None:
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(500):
        passed = (rng.random(30) < rate).astype(float)
        found = per_success([2.0] * 30, passed.tolist())
        covered += found.low is not None and found.high is not None and found.low <= 2 / rate <= found.high
    assert covered / 500 > 0.93


def test_below_twenty_values_the_maximum_is_shown_as_such() -> None:
    found = percentile_95([3.0, 1.0, 2.0])
    assert (found.value, found.method, found.low, found.high) == (3, "maximum", None, None)
    assert percentile_95([]).value is None


@pytest.mark.parametrize("n", [20, 71, 72, 100, 500, 3000])
def test_the_percentiles_ends_are_the_order_statistics_that_hold_the_level(n: int) -> None:
    found = percentile_95(list(range(1, n + 1)))  # a value is its rank
    below = stats.binom(n, 0.95)
    assert found.value == int(0.95 * n) + 1
    low = int(found.low or 0)
    assert below.cdf(low - 1) <= 0.025 < below.cdf(low)
    if found.high is None:
        assert n < 72
        assert below.cdf(n - 1) < 0.975
        assert found.note == "too few values for an upper end"
    else:
        assert below.cdf(found.high - 1) >= 0.975 > below.cdf(found.high - 2)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=20, max_size=200))
def test_the_percentile_lies_inside_its_interval(values: list[float]) -> None:
    found = percentile_95(values)
    assert found.value is not None
    assert found.low is None or found.low <= found.value
    assert found.high is None or found.value <= found.high
    assert percentile_95(values[::-1]) == found
