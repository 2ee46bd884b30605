import time
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.statistics.bayes import estimates, posterior


def test_seven_of_ten_and_three_tries() -> None:
    at, hat = estimates(10, 7, 3)
    assert (at.value, at.low, at.high) == pytest.approx((0.945055, 0.773306, 0.998696), abs=5e-7)
    assert (hat.value, hat.low, hat.high) == pytest.approx((0.329670, 0.059437, 0.706721), abs=5e-7)
    assert (at.method, at.n, at.level) == ("posterior", 10, 0.95)


def test_all_right_leaves_one_outside() -> None:
    _, hat = estimates(5, 5, 1)
    assert hat.high == pytest.approx(0.9958, abs=5e-5)


def test_the_mean_may_lie_outside_the_interval_when_k_is_far_above_n() -> None:
    _, hat = estimates(3, 3, 1000)
    assert hat.value is not None
    assert hat.high is not None
    assert (hat.value, hat.high) == pytest.approx((0.0040, 0.0018), abs=5e-5)
    assert hat.value > hat.high


def test_the_prior_is_used() -> None:
    at, _ = estimates(4, 3, 1, a=2, b=6)
    assert at.value == pytest.approx(5 / 12)


@pytest.mark.parametrize(("n", "c", "k"), [(10_000_000, 9_999_990, 10_000), (10_000_000, 3, 10_000), (500, 250, 40)])
def test_means_are_exact_to_ten_digits_at_any_size(n: int, c: int, k: int) -> None:
    found = posterior(n, c, k)
    a, b = 1 + c, 1 + n - c
    whole = prod(range(a + b, a + b + k))
    hat = Fraction(prod(range(a, a + k)), whole)
    at = 1 - Fraction(prod(range(b, b + k)), whole)
    if hat > Fraction(1, 10**290):
        assert abs(float(Fraction(float(found.hat_k[0])) / hat - 1)) < 1e-10
    assert abs(float(Fraction(float(found.at_k[0])) / at - 1)) < 1e-10


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(1, 200), st.data())
def test_another_pass_raises_everything(n: int, k: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    fewer, more = posterior(n + 1, c, k), posterior(n + 1, c + 1, k)
    for name in ("at_k", "at_k_low", "at_k_high", "hat_k", "hat_k_low", "hat_k_high"):
        assert getattr(fewer, name)[0] <= getattr(more, name)[0]


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(1, 200), st.data())
def test_never_failing_mirrors_ever_passing(n: int, k: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    there, back = posterior(n, c, k), posterior(n, n - c, k)
    assert there.at_k[0] == pytest.approx(1 - back.hat_k[0], abs=1e-12)
    assert there.at_k_low[0] == pytest.approx(1 - back.hat_k_high[0], abs=1e-12)


def test_repeated_pairs_come_back_in_their_places() -> None:
    n, c = np.array([5, 9, 5, 40_000, 9]), np.array([2, 9, 2, 10, 0])
    found = posterior(n, c, 4)
    for i in range(5):
        alone = posterior(int(n[i]), int(c[i]), 4)
        assert found.hat_k[i] == alone.hat_k[0]
        assert found.at_k_high[i] == alone.at_k_high[0]


def test_a_million_pairs_take_less_than_two_seconds() -> None:
    rng = np.random.default_rng(1)
    n = rng.integers(1, 1001, 1_000_000)
    c = (rng.random(1_000_000) * (n + 1)).astype(np.int64)
    began = time.process_time()
    found = posterior(n, c, 3)
    assert time.process_time() - began < 2
    assert found.at_k.shape == (1_000_000,)


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_a_k_that_is_no_number_of_tries_is_refused(k: int) -> None:
    with pytest.raises(InputError, match="expected a whole number from 1"):
        posterior(3, 1, k)


def test_more_passes_than_tries_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="c=7 of n=5 cannot be used: expected 0 ≤ c ≤ n"):
        posterior([3, 5], [1, 7], 2)


def test_a_prior_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"a=0, b=1"):
        posterior(3, 1, 2, a=0)
    with pytest.raises(InputError, match="level=95"):
        posterior(3, 1, 2, level=95)
    with pytest.raises(InputError, match="whole numbers"):
        posterior([3.5], [1], 2)
