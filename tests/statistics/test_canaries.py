from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.findings.run.canaries import error_bound


@pytest.mark.parametrize(("judged", "bound"), [(20, 0.139), (30, 0.095), (60, 0.049)])
def test_canaries_that_are_all_right_bound_the_error_rate(judged: int, bound: float) -> None:
    assert error_bound(judged, 0) == pytest.approx(bound, abs=5e-4)


def test_a_wrong_one_raises_the_bound_as_the_exact_interval_does() -> None:
    assert error_bound(30, 1) == pytest.approx(0.1485, abs=1e-3)  # binom.cdf(1, 30, .1485) = .05
    assert (error_bound(5, 5), error_bound(0, 0)) == (1.0, None)


@given(st.integers(1, 200), st.data())
def test_the_bound_leaves_five_percent(judged: int, data: st.DataObject) -> None:
    from scipy.stats import binom

    wrong = data.draw(st.integers(0, judged - 1))
    bound = error_bound(judged, wrong)
    assert bound is not None
    assert binom.cdf(wrong, judged, bound) == pytest.approx(0.05, abs=1e-6)
