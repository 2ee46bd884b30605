import json
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import UsageError
from proctor.statistics.intervals import Sums, clopper_pearson, mean_over_cases, wilson

AIRLINE = Path(__file__).parents[3] / "shared" / "data" / "taubench_airline.json"
Z = 1.959963984540054

values = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def near(expected: tuple[float, float]) -> object:
    return pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("passes", "n", "expected"),
    [
        (74, 150, (0.4145, 0.5725)),
        (206, 345, (0.5446, 0.6475)),
        (84, 200, (0.3537, 0.4893)),
        (1, 1, (0.2065, 1)),
        (5, 5, (0.5655, 1)),
        (30, 30, (0.8865, 1)),
        (0, 5, (0, 0.4345)),
        (27, 30, (0.7438, 0.9654)),
    ],
)
def test_wilson_gives_the_published_intervals(passes: int, n: int, expected: tuple[float, float]) -> None:
    assert wilson(passes / n, n) == near(expected)
    assert Sums.of([1.0] * passes + [0.0] * (n - passes)).interval() == near(expected)


@settings(deadline=None)
@given(st.integers(1, 5000), st.data())
def test_wilsons_ends_solve_the_score_equation(n: int, data: st.DataObject) -> None:
    p = data.draw(st.integers(0, n)) / n
    for end in wilson(p, n):
        assert (p - end) ** 2 == pytest.approx(Z * Z * end * (1 - end) / n, abs=1e-12)


def test_one_case_of_several_trials_says_as_little_as_one_case() -> None:
    sums = Sums.of([0.75])
    assert sums.effective() == 1
    assert sums.interval() == near((0.1179, 0.9854))


def test_cases_that_are_alike_count_for_more() -> None:
    sums = Sums.of([0.5] * 10)
    assert sums.effective() == pytest.approx(55)
    assert sums.interval() == near((0.3722, 0.6278))


@pytest.mark.skipif(not AIRLINE.exists(), reason="the recorded tau-bench results are not beside the project")
@pytest.mark.parametrize(
    ("k", "at_least_one", "value", "interval", "effective"),
    [
        (1, False, 0.42, (0.3216, 0.5252), 86.54),
        (2, False, 0.2733, (0.1790, 0.3936), 63.43),
        (3, False, 0.22, (0.1298, 0.3478), 53.38),
        (4, False, 0.2, (0.1124, 0.3304), 50),
        (2, True, 0.5667, (0.4537, 0.6731), 74.67),
        (3, True, 0.66, (0.5344, 0.7665), 60.63),
        (4, True, 0.72, (0.5833, 0.8253), 50),
    ],
)
def test_tau_bench_airline_comes_out_as_published(
    k: int, at_least_one: bool, value: float, interval: tuple[float, float], effective: float
) -> None:
    rewards = json.loads(AIRLINE.read_text())["rewards"]
    passes = [int(sum(row)) for row in rewards]
    share = [comb(4 - c if at_least_one else c, k) / comb(4, k) for c in passes]
    sums = Sums.of(1 - x if at_least_one else x for x in share)
    assert sums.mean == pytest.approx(value, abs=5e-5)
    assert sums.interval() == near(interval)
    assert sums.effective() == pytest.approx(effective, abs=5e-3)


@settings(deadline=None)
@given(values)
def test_the_value_lies_inside_its_interval_and_the_interval_inside_the_unit(x: list[float]) -> None:
    sums = Sums.of(x)
    low, high = sums.interval()
    assert 0 <= low <= sums.mean <= high <= 1
    assert low < high


@settings(deadline=None)
@given(values)
def test_effective_cases_are_never_fewer_than_cases(x: list[float]) -> None:
    assert Sums.of(x).effective() >= len(x)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_with_one_trial_effective_cases_are_the_cases(x: list[bool]) -> None:
    assert Sums.of(map(float, x)).effective() == pytest.approx(len(x), rel=1e-12)


@settings(deadline=None)
@given(values)
def test_the_order_of_the_cases_does_not_matter(x: list[float]) -> None:
    assert Sums.of(sorted(x)).interval() == pytest.approx(Sums.of(x).interval(), abs=1e-9)


@settings(deadline=None)
@given(values)
def test_failures_mirror_passes(x: list[float]) -> None:
    low, high = Sums.of(x).interval()
    assert Sums.of(1 - v for v in x).interval() == pytest.approx((1 - high, 1 - low), abs=1e-9)


@settings(deadline=None)
@given(values)
def test_no_result_has_a_higher_lower_end_than_a_perfect_one(x: list[float]) -> None:
    n = len(x)
    assert Sums.of(x).interval()[0] <= n / (n + Z * Z) + 1e-12


@settings(deadline=None)
@given(st.integers(1, 400), st.data())
def test_another_pass_raises_both_ends(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n - 1))
    fewer, more = wilson(c / n, n), wilson((c + 1) / n, n)
    assert fewer[0] <= more[0]
    assert fewer[1] <= more[1]


@settings(deadline=None)
@given(st.integers(1, 60), st.data())
def test_clopper_pearson_cuts_off_exactly_its_tails(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    low, high = clopper_pearson(c / n, n)
    assert low <= c / n <= high
    if c:
        assert float(binomial_tail(n, c, low)) == pytest.approx(0.025, abs=1e-9)
    if c < n:
        assert float(1 - binomial_tail(n, c + 1, high)) == pytest.approx(0.025, abs=1e-9)


def binomial_tail(n: int, least: int, p: float) -> Fraction:
    rate = Fraction(p)
    return sum((comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(least, n + 1)), Fraction(0))


def test_clopper_pearson_of_none_and_all() -> None:
    assert clopper_pearson(0, 5) == pytest.approx((0, 1 - 0.025**0.2))
    assert clopper_pearson(1, 5) == pytest.approx((0.025**0.2, 1))


def test_t_is_refused_below_a_hundred_cases() -> None:
    with pytest.raises(UsageError, match="n=99 cases, expected at least 100"):
        Sums.of([0.5] * 99).interval(method="t")


def test_t_is_the_textbook_interval_from_a_hundred_cases() -> None:
    marks = [0.8, 0.9] * 50
    low, high = Sums.of(marks).interval(method="t")
    half = 1.984217 * sqrt(0.0025 * 100 / 99 / 100)
    assert (low, high) == pytest.approx((0.85 - half, 0.85 + half), abs=1e-7)
    assert high - low < Sums.of(marks).interval()[1] - Sums.of(marks).interval()[0]


def test_an_asked_for_method_is_named_in_the_estimate() -> None:
    estimate = mean_over_cases(Sums.of([1.0] * 5), attempts=5, method="clopper-pearson")
    assert estimate.method == "clopper-pearson"
    assert estimate.low == pytest.approx(0.025**0.2)


def test_a_higher_level_is_wider() -> None:
    narrow, wide = Sums.of([1, 0, 1, 1]).interval(level=0.8), Sums.of([1, 0, 1, 1]).interval(level=0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_missing_marks_are_bounded_by_fail_and_pass() -> None:
    estimate = mean_over_cases(
        Sums.of([1.0] * 18), attempts=18, missing=2, worst=Sums.of([1.0] * 18 + [0.0] * 2), best=Sums.of([1.0] * 20)
    )
    assert (estimate.value, estimate.worst, estimate.best, estimate.missing) == (1, 0.9, 1, 2)
    assert estimate.gate_low == wilson(0.9, 20)[0]
    assert estimate.gate_high == 1


def test_without_missing_marks_there_are_no_bounds() -> None:
    estimate = mean_over_cases(Sums.of([1.0]), attempts=1, worst=Sums.of([0.0]), best=Sums.of([1.0]))
    assert (estimate.worst, estimate.best, estimate.gate_low, estimate.gate_high) == (None,) * 4


def test_nothing_counted_is_no_value_and_says_so() -> None:
    estimate = mean_over_cases(Sums(), attempts=0)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (None, None, None, 0)
    assert estimate.note == "nothing was counted"
