from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.errors import InputError
from proctor.statistics.compare import (
    Comparison,
    Differences,
    compare,
    compare_categories,
    compare_counts,
    effective_trials,
    holm,
    sign_flip_test,
)

differences = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


def single(n: int, fixed: int, broken: int) -> Comparison:
    rest = n - fixed - broken
    a = [(1, 0)] * fixed + [(1, 1)] * broken + [(1, 1)] * rest
    b = [(1, 1)] * fixed + [(1, 0)] * broken + [(1, 1)] * rest
    return compare_counts(a, b)


@pytest.mark.parametrize(
    ("n", "fixed", "broken", "value", "interval", "better", "p"),
    [
        (100, 8, 2, 0.06, (-0.0079, 0.1255), 0.9740, 0.1094),
        (50, 0, 0, 0, (-0.0551, 0.0551), 0.5, 1),
        (200, 15, 5, 0.05, (0.0041, 0.0949), 0.9886, 0.0414),
    ],
)
def test_the_worked_examples(
    n: int, fixed: int, broken: int, value: float, interval: tuple[float, float], better: float, p: float
) -> None:
    found = single(n, fixed, broken)
    assert found.difference.value == pytest.approx(value)
    assert (found.difference.low, found.difference.high) == pytest.approx(interval, abs=5e-5)
    assert (found.better, found.p_value) == pytest.approx((better, p), abs=5e-5)
    assert (found.difference.n, found.difference.attempts) == (n, 2 * n)


@settings(deadline=None)
@given(differences, st.floats(1, 10), st.floats(0.5, 0.999))
def test_the_value_lies_inside_its_interval(d: list[float], trials: float, level: float) -> None:
    sums = Differences.of(d, trials=trials)
    low, high = sums.interval(level=level)
    assert -1 <= low <= sums.mean <= high <= 1
    assert low < high


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_b_against_a_is_minus_a_against_b(pairs: list[tuple[int, int]]) -> None:
    a, b = [(4, x) for x, _ in pairs], [(4, y) for _, y in pairs]
    there, back = compare_counts(a, b), compare_counts(b, a)
    assert there.difference.value is not None
    assert there.difference.low is not None
    assert back.difference.value == pytest.approx(-there.difference.value, abs=1e-12)
    assert back.difference.high == pytest.approx(-there.difference.low, abs=1e-12)
    assert there.better is not None
    assert back.better == pytest.approx(1 - there.better, abs=1e-12)
    assert back.p_value == pytest.approx(there.p_value)


@settings(deadline=None)
@given(differences, st.integers(1, 8))
def test_more_trials_never_widen_the_interval(d: list[float], trials: int) -> None:
    few, many = Differences.of(d, trials=trials).interval(), Differences.of(d, trials=trials + 1).interval()
    assert many[1] - many[0] <= few[1] - few[0] + 1e-12


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_at_one_trial_the_test_is_mcnemars(fixed: int, broken: int) -> None:
    expected = stats.binomtest(fixed, fixed + broken).pvalue if fixed + broken else 1.0
    assert sign_flip_test([1.0] * fixed + [-1.0] * broken + [0.0] * 7) == pytest.approx(expected)


@settings(deadline=None)
@given(st.integers(1, 6), st.data())
def test_the_test_counts_every_way_to_flip_the_signs(trials: int, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.integers(-trials, trials), max_size=9))
    seen = sum(abs(sum(s * f for s, f in zip(steps, flips, strict=True))) >= abs(sum(steps)) for flips in signs(steps))
    assert sign_flip_test([s / trials for s in steps]) == pytest.approx(seen / 2 ** len(steps))


def signs(steps: list[int]) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=len(steps)))


def test_the_test_takes_marks_of_any_value() -> None:
    rng = np.random.default_rng(2)
    d = rng.normal(0.1, 0.2, 11).clip(-1, 1)
    flips = np.array(list(product((1, -1), repeat=11)))
    expected = np.mean(np.abs(flips @ d) >= abs(d.sum()) - 1e-9)
    assert sign_flip_test(d.tolist()) == pytest.approx(expected, abs=2 / 2**11)


def test_the_test_of_unequal_trials_is_exact_too() -> None:
    d = [2 / 3 - 1 / 4, 1 - 3 / 5, 0.5 - 2 / 7, 1 / 3 - 1]
    flips = np.array(list(product((1, -1), repeat=4)))
    assert sign_flip_test(d) == np.mean(np.abs(flips @ d) >= abs(sum(d)) - 1e-9)


def test_very_many_flips_take_the_normal_limit_smoothly() -> None:
    d = [0.25, -0.5, 0.75, 0.25, -0.25] * 8_000 + [0.25] * 600
    n = len(d)
    spread = (sum(x * x for x in d)) ** 0.5
    assert n * sum(map(abs, d)) * 4 > 300_000_000
    assert sign_flip_test(d) == pytest.approx(2 * stats.norm.sf(sum(d) / spread), rel=0.01)


def test_no_flips_is_a_p_value_of_one() -> None:
    assert sign_flip_test([0.0] * 20) == 1
    assert sign_flip_test([]) == 1


def test_at_one_trial_p_better_is_the_jeffreys_posterior() -> None:
    rng = np.random.default_rng(1)
    draws = rng.dirichlet([6 + 0.5, 3 + 0.5, 1], 400_000)
    d = [1.0] * 6 + [-1.0] * 3 + [0.0] * 11
    assert Differences.of(d).better() == pytest.approx(np.mean(draws[:, 0] > draws[:, 1]), abs=0.003)


def test_trials_of_cases_that_never_vary_are_worth_one() -> None:
    fixed = [((4, 4), (4, 4))] * 20 + [((4, 0), (4, 0))] * 10
    assert effective_trials(fixed) == pytest.approx(1, abs=0.05)


def test_trials_of_cases_that_are_alike_are_worth_their_number() -> None:
    assert effective_trials([((4, 2), (4, 2))] * 30) == 4
    assert effective_trials([((1, 1), (1, 0))] * 30) == 1


def test_four_trials_without_a_flip_do_not_rule_out_what_thirty_cases_cannot_see() -> None:
    counts = [(4, 4)] * 15 + [(4, 0)] * 15
    low = compare_counts(counts, counts).difference.low
    assert low is not None
    assert low < -0.05  # a share of .05 broken is not seen in 0.95³⁰ = 21 % of runs


def test_cases_counted_in_one_run_only_are_left_out() -> None:
    found = compare_counts([(1, 1), (1, 0), (0, 0)], [(1, 1), (0, 0), (1, 1)])
    assert (found.difference.n, found.difference.value, found.difference.attempts) == (1, 0, 2)


def test_nothing_in_common_is_no_value_and_says_so() -> None:
    found = compare([None, 1.0], [0.5, None])
    assert (found.difference.value, found.better, found.p_value) == (None, None, None)
    assert found.difference.note == "no case was counted in both runs"


def test_missing_marks_are_bounded_against_b_and_for_it() -> None:
    a, b = [(2, 2)] * 10, [(2, 2)] * 8 + [(1, 1), (0, 0)]
    found = compare_counts(a, b, planned=[(2, 2)] * len(a)).difference
    assert (found.value, found.n, found.missing) == (0, 9, 3)
    assert (found.worst, found.best) == pytest.approx((-0.15, 0))
    assert found.gate_low is not None
    assert found.low is not None
    assert found.gate_low < found.low
    assert compare_counts(a, a, planned=[(2, 2)] * len(a)).difference.worst is None


def test_holm_gives_the_textbook_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert all(x <= y <= 1 for x, y in zip(p, adjusted, strict=True))
    assert [y for _, y in sorted(zip(p, adjusted, strict=True))] == sorted(adjusted)


def test_holm_refuses_what_is_no_p_value() -> None:
    with pytest.raises(InputError, match=r"p=1\.5"):
        holm([0.2, 1.5])


def test_a_category_stands_out_only_after_holm_and_with_five_cases() -> None:
    found = compare_categories({"a": single(30, 9, 1), "b": single(30, 4, 4), "c": single(4, 4, 0)})
    p = 2 * sum(comb(10, j) for j in (9, 10)) / 2**10
    assert found["a"].comparison.p_value == pytest.approx(p)
    assert found["a"].adjusted == pytest.approx(2 * p)
    assert (found["a"].changed, found["b"].changed) == (2 * p <= 0.05, False)
    assert (found["c"].adjusted, found["c"].changed) == (None, False)
