from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.metrics.statistical import BayesianMode, FrequentistMode

counts = st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(pair=counts, k=st.integers(1, 50))
def test_point_estimates_follow_the_page_s_formulas(pair: tuple[int, int], k: int) -> None:
    n, c = pair
    (rates,) = FrequentistMode().rates([pair], k)
    assert rates.at_k == pytest.approx(1 - (1 - c / n) ** k)
    assert rates.hat_k == pytest.approx((c / n) ** k)
    assert rates.at_k_low is None


@given(pair=counts, k=st.integers(1, 50))
def test_the_summary_s_interval_holds_the_point_estimate(pair: tuple[int, int], k: int) -> None:
    for estimate in FrequentistMode().estimates(*pair, k):
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0 <= estimate.low <= estimate.value + 1e-12
        assert estimate.value <= estimate.high + 1e-12 <= 1 + 2e-12


def test_many_conversations_are_computed_together_and_each_as_if_alone() -> None:
    pairs = [(5, 5), (5, 0), (10, 7), (5, 5)]
    mode = BayesianMode(beta_prior_a=0.5, beta_prior_b=0.5, ci_level=0.9)
    assert mode.rates(pairs, 3) == [mode.rates([pair], 3)[0] for pair in pairs]
    assert mode.rates([], 3) == []


def test_a_prior_pulls_the_mean() -> None:
    (plain,) = BayesianMode().rates([(10, 7)], 1)
    (sceptical,) = BayesianMode(beta_prior_a=1, beta_prior_b=9).rates([(10, 7)], 1)
    assert plain.at_k == pytest.approx(8 / 12)
    assert sceptical.at_k == pytest.approx(8 / 20)
