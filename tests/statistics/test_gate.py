import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.statistics.compare import Differences, compare
from proctor.statistics.estimate import Estimate
from proctor.statistics.gate import (
    Verdict,
    at_least,
    at_most,
    count_at_least,
    count_at_most,
    ends,
    fewest_cases,
    further_cases,
    further_pairs,
    level_of_look,
    not_worse,
    reachable,
    together,
)
from proctor.statistics.intervals import Sums, mean_over_cases


def rate(passes: int, n: int, *, missing: int = 0) -> Estimate:
    sums = Sums.of([1.0] * passes + [0.0] * (n - passes))
    worst = Sums.of([1.0] * passes + [0.0] * (n - passes + missing))
    best = Sums.of([1.0] * (passes + missing) + [0.0] * (n - passes))
    return mean_over_cases(sums, attempts=n, missing=missing, worst=worst, best=best)


@pytest.mark.parametrize(
    ("passes", "n", "at_least_90", "at_most_90"),
    [
        (35, 35, "met", "not met"),
        (34, 34, "inconclusive", "inconclusive"),
        (95, 100, "inconclusive", "inconclusive"),
        (290, 300, "met", "not met"),
        (80, 100, "not met", "met"),
    ],
)
def test_a_gate_is_decided_by_the_intervals_end(passes: int, n: int, at_least_90: Verdict, at_most_90: Verdict) -> None:
    assert at_least(rate(passes, n), 0.9) == at_least_90
    assert at_most(rate(passes, n), 0.9) == at_most_90


def test_missing_marks_can_turn_a_met_gate_into_an_open_one() -> None:
    assert at_least(rate(60, 60), 0.9) == "met"
    assert at_least(rate(60, 60, missing=4), 0.9) == "inconclusive"
    assert at_least(rate(10, 60, missing=10), 0.9) == "not met"
    assert at_most(rate(0, 60, missing=4), 0.1) == "inconclusive"


def test_missing_marks_without_bounds_decide_nothing() -> None:
    estimate = Estimate(value=1.0, low=0.99, high=1.0, n=400, method="wilson-cases", missing=3)
    assert (ends(estimate), at_least(estimate, 0.9), at_most(estimate, 0.9)) == (
        (None, None),
        "inconclusive",
        "inconclusive",
    )


def test_no_value_is_inconclusive() -> None:
    nothing = Estimate(value=None, low=None, high=None, n=0, method="wilson-cases")
    assert (at_least(nothing, 0.5), at_most(nothing, 0.5), not_worse(nothing, 0.5)) == ("inconclusive",) * 3


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 10))
def test_missing_marks_never_sharpen_what_a_gate_relies_on(passes: int, more: int, missing: int) -> None:
    estimate = rate(passes, passes + more, missing=missing)
    low, high = ends(estimate)
    assert low is not None
    assert high is not None
    assert estimate.low is not None
    assert estimate.high is not None
    assert low <= estimate.low
    assert high >= estimate.high


def test_not_worse_needs_the_whole_interval_above_the_margin() -> None:
    same = compare([1.0] * 200, [1.0] * 200).difference
    assert not_worse(same, 0.02) == "met"
    assert not_worse(compare([1.0] * 50, [1.0] * 50).difference, 0.02) == "inconclusive"
    assert not_worse(compare([1.0] * 50, [0.0] * 20 + [1.0] * 30).difference, 0.02) == "not met"


def test_counts_are_compared_exactly() -> None:
    assert (count_at_most(3, 3), count_at_most(4, 3)) == ("met", "not met")
    assert (count_at_least(3, 3), count_at_least(2.5, 3)) == ("met", "not met")


def test_of_several_gates_one_not_met_decides_and_one_open_keeps_it_open() -> None:
    assert together(["met", "met"]) == "met"
    assert together(["met", "inconclusive"]) == "inconclusive"
    assert together(["inconclusive", "not met", "met"]) == "not met"


@pytest.mark.parametrize(
    ("bound", "cases"),
    [
        (0.7, (9, 15, 21, 35)),
        (0.8, (16, 25, 33, 54)),
        (0.9, (35, 53, 69, 113)),
        (0.95, (73, 110, 142, 230)),
        (0.99, (381, 563, 726, 1166)),
    ],
)
def test_the_fewest_cases_that_can_meet_a_gate(bound: float, cases: tuple[int, ...]) -> None:
    assert tuple(fewest_cases(bound, failures=f) for f in (0, 1, 2, 5)) == cases


@settings(deadline=None)
@given(st.floats(0.01, 0.98), st.integers(0, 6))
def test_one_case_fewer_cannot_meet_it(bound: float, failures: int) -> None:
    n = fewest_cases(bound, failures=failures)
    assert at_least(rate(n - failures, n), bound) == "met"
    if n - 1 > failures:
        assert at_least(rate(n - 1 - failures, n - 1), bound) != "met"


def test_a_gate_out_of_reach_is_known_before_the_run() -> None:
    assert (reachable(34, 0.9), reachable(35, 0.9), reachable(0, 0.1)) == (False, True, False)
    assert (reachable(34, 0.1, upper=True), reachable(35, 0.1, upper=True)) == (False, True)


def test_a_bound_of_one_can_never_be_met() -> None:
    with pytest.raises(InputError, match="no number of cases can show a rate of 100 %"):
        fewest_cases(1.0)


def test_further_cases_are_those_that_settle_it_four_times_in_five() -> None:
    # (1.959964·√.09 + .841621·√.0564)²/.04² = 387.96
    assert further_cases(rate(94, 100), 0.9) == 388 - 100


@settings(deadline=None)
@given(st.integers(5, 300), st.data(), st.floats(0.05, 0.95))
def test_an_open_gate_always_needs_more_cases_or_is_hopeless(n: int, data: st.DataObject, bound: float) -> None:
    estimate = rate(data.draw(st.integers(0, n)), n)
    if at_least(estimate, bound) == "inconclusive":
        more = further_cases(estimate, bound)
        assert more is None or 0 < more <= 20 * n


def test_trials_that_add_cases_need_fewer_of_them() -> None:
    alike = mean_over_cases(Sums.of([0.55] * 20), attempts=400)
    single = rate(11, 20)
    assert at_least(single, 0.5) == at_least(alike, 0.5) == "inconclusive"
    few, many = further_cases(alike, 0.5), further_cases(single, 0.5)
    assert few is not None
    assert many is None or few < many


def test_a_rate_at_the_gate_will_not_be_settled() -> None:
    assert further_cases(rate(90, 100), 0.9) is None
    assert further_cases(rate(91, 100), 0.9) is None


def test_a_stricter_next_verdict_needs_more() -> None:
    first, later = further_cases(rate(94, 100), 0.9), further_cases(rate(94, 100), 0.9, level=level_of_look(2))
    assert first is not None
    assert later is not None
    assert first < later


def test_further_pairs_follow_the_variance_of_the_differences() -> None:
    sums = Differences.of([1.0] * 8 + [-1.0] * 2 + [0.0] * 90)
    centre, variance = 6 / 102, (12 - 36 / 102) / 101
    assert further_pairs(sums, 0.02) == -(-7.848879 * variance // (centre + 0.02) ** 2) - 100
    assert further_pairs(Differences.of([0.0] * 50), 0.0) is None


def test_each_look_spends_half_of_the_last() -> None:
    assert [level_of_look(j) for j in (1, 2, 3)] == pytest.approx([0.95, 0.975, 0.9875])
    with pytest.raises(InputError, match="look=0"):
        level_of_look(0)
