from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.findings.run.tally import ExamTally, over_k
from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import (
    Formula,
    over_cases,
    pass_at_k,
    pass_hat_k,
    plug_in_at_k,
    plug_in_hat_k,
)


@settings(deadline=None)
@given(st.integers(1, 7), st.data())
def test_they_count_the_subsets_of_the_trials(m: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, m)), data.draw(st.integers(1, m))
    subsets = list(combinations([True] * c + [False] * (m - c), k))
    assert pass_at_k(m, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets), abs=1e-15)
    assert pass_hat_k(m, c, k) == pytest.approx(sum(map(all, subsets)) / len(subsets), abs=1e-15)


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(1, 9), st.data())
def test_they_are_unbiased_at_every_rate(m: int, tenths: int, data: st.DataObject) -> None:
    k, p = data.draw(st.integers(1, m)), Fraction(tenths, 10)
    law = [comb(m, c) * p**c * (1 - p) ** (m - c) for c in range(m + 1)]
    assert float(sum(w * Fraction(pass_hat_k(m, c, k)) for c, w in enumerate(law))) == pytest.approx(float(p**k))
    mean = float(sum(w * Fraction(pass_at_k(m, c, k)) for c, w in enumerate(law)))
    assert mean == pytest.approx(float(1 - (1 - p) ** k))


@settings(deadline=None)
@given(st.integers(1, 40), st.data())
def test_another_pass_never_lowers_them(m: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, m - 1)), data.draw(st.integers(1, m))
    assert pass_at_k(m, c, k) <= pass_at_k(m, c + 1, k)
    assert pass_hat_k(m, c, k) <= pass_hat_k(m, c + 1, k)


def test_a_tiny_value_keeps_its_digits() -> None:
    assert pass_at_k(300, 1, 1) == pytest.approx(1 / 300, rel=1e-15)
    assert pass_at_k(10_000, 1, 1) == pytest.approx(1e-4, rel=1e-6)


def test_the_pages_formulas_give_the_pages_example() -> None:
    assert plug_in_at_k(10, 7, 3) == pytest.approx(0.973)
    assert plug_in_hat_k(10, 7, 3) == pytest.approx(0.343)
    assert (plug_in_at_k(5, 5, 3), plug_in_hat_k(5, 5, 3)) == (1, 1)
    assert (plug_in_at_k(5, 0, 3), plug_in_hat_k(5, 0, 3)) == (0, 0)


def test_over_cases_is_the_mean_with_its_interval() -> None:
    estimate = over_cases(pass_hat_k, [(4, 2)] * 10, 1)
    assert (estimate.value, estimate.n, estimate.attempts) == (0.5, 10, 40)
    assert (estimate.low, estimate.high) == pytest.approx((0.3722, 0.6278), abs=5e-5)


def test_k_above_the_trials_is_no_value_and_says_why() -> None:
    estimate = over_cases(pass_at_k, [(4, 2)] * 10, 5, planned=4)
    assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
    assert estimate.note == "k exceeds the trials"


def test_where_nothing_was_judged_k_is_not_to_blame() -> None:
    assert over_cases(pass_at_k, [(0, 0)] * 10, 2).note == "nothing was counted"
    assert over_cases(pass_at_k, [], 2).note == "nothing was counted"


def test_a_case_with_too_few_trials_leaves_that_k_and_is_bounded() -> None:
    estimate = over_cases(pass_hat_k, [(4, 4), (4, 0), (1, 1)], 2, planned=4)
    assert (estimate.value, estimate.n, estimate.missing) == (0.5, 2, 3)
    assert (estimate.worst, estimate.best) == pytest.approx((1 / 3, 2 / 3))


def test_when_every_case_lacks_trials_only_the_bounds_are_known() -> None:
    estimate = over_cases(pass_hat_k, [(1, 1)] * 3, 2, planned=2)
    assert (estimate.value, estimate.worst, estimate.best) == (None, 0, 1)
    assert estimate.note == "nothing was counted"


@settings(deadline=None)
@given(st.integers(301, 2000), st.data())
def test_many_trials_give_what_the_exact_binomials_give(m: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, m)), data.draw(st.integers(1, m))
    assert pass_at_k(m, c, k) == pytest.approx(float(1 - Fraction(comb(m - c, k), comb(m, k))), rel=1e-7, abs=1e-10)
    assert pass_hat_k(m, c, k) == pytest.approx(float(Fraction(comb(c, k), comb(m, k))), rel=1e-7, abs=1e-10)


@pytest.mark.parametrize("m", [301, 500, 10_000])
def test_all_or_nothing_is_exactly_that_however_many_trials_there_are(m: int) -> None:
    for k in (1, 2, 299, 300, m - 1, m):
        assert (pass_at_k(m, 0, k), pass_hat_k(m, m, k)) == (0.0, 1.0)
        assert (pass_at_k(m, m, k), pass_hat_k(m, 0, k)) == (1.0, 0.0)


def of_tries(formula: Formula, cases: list[tuple[int, int]], k: int, planned: int) -> Estimate:
    return over_k([[ExamTally(planned=planned, counted=m, passed=c)] for m, c in cases], planned, formula)[k]


@given(
    st.sampled_from([pass_at_k, pass_hat_k]),
    st.lists(st.integers(0, 4).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m))), min_size=1, max_size=12),
    st.integers(1, 4),
)
def test_the_value_lies_between_what_missing_tries_could_make_of_it(
    formula: Formula, cases: list[tuple[int, int]], k: int
) -> None:
    found = of_tries(formula, cases, k, planned=4)
    if found.worst is not None and found.best is not None and found.value is not None:
        assert found.worst - 1e-9 <= found.value <= found.best + 1e-9
        assert found.low <= found.value <= found.high  # type: ignore[operator]


def test_what_missing_tries_cannot_change_is_told_of_all_cases() -> None:
    found = of_tries(pass_at_k, [(3, 0)] * 3 + [(3, 2)] * 32 + [(2, 1)] * 5, 3, planned=3)
    assert (found.value, found.n, found.attempts) == (0.925, 40, 115)
    assert (found.worst, found.best) == (0.925, 0.925)
    known = of_tries(pass_at_k, [(2, 1)] * 4, 3, planned=3)  # no case has had three tries, and yet each has passed
    assert (known.value, known.n) == (1.0, 4)


def test_a_value_that_no_outcome_could_bring_about_gives_way_to_the_nearest() -> None:
    found = of_tries(pass_at_k, [(4, 0)] + [(1, 1)] * 9, 2, planned=4)
    assert found.value == found.worst == pytest.approx(0.45)
    assert found.low < 0.45 < found.high  # type: ignore[operator]
