import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.statistics.intervals import wilson
from proctor.statistics.survival import Lifetime, stopping_bounds, survival_curve

lifetimes = st.lists(
    st.builds(Lifetime, turns=st.integers(1, 12), cause=st.sampled_from([None, "wrong", "caved"])), max_size=25
)


def test_the_curve_is_kaplan_and_meiers() -> None:
    """Freireich's leukaemia data, group 6-MP, as in every textbook: S(6)=.857, S(10)=.753, S(16)=.627, S(23)=.448."""
    failed = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    curve = survival_curve([Lifetime(turns=t, cause="relapse") for t in failed] + [Lifetime(turns=t) for t in censored])
    shares = {point.turn: point.survival.value for point in curve.points}
    expected = {6: 0.8571, 7: 0.8067, 10: 0.7529, 13: 0.6902, 16: 0.6275, 22: 0.5378, 23: 0.4482}
    assert {turn: shares[turn] for turn in expected} == pytest.approx(expected, abs=5e-5)
    assert [curve.points[i].at_risk for i in (5, 6, 9)] == [21, 17, 15]
    assert curve.until == 32  # four are left at 32, two at 33


def test_without_censoring_intervals_are_wilsons() -> None:
    causes = [(3, "a"), (5, "b"), (5, "a"), (7, "b"), (9, "a"), (10, None), (10, None), (10, "a")]
    curve = survival_curve([Lifetime(turns=t, cause=c) for t, c in causes])
    last = curve.points[-1]
    assert (last.survival.low, last.survival.high) == pytest.approx(wilson(2 / 8, 8))
    assert (last.causes["a"].low, last.causes["a"].high) == pytest.approx(wilson(4 / 8, 8))
    assert (last.causes["b"].low, last.causes["b"].high) == pytest.approx(wilson(2 / 8, 8))


@settings(deadline=None)
@given(lifetimes)
def test_survival_and_causes_add_up_and_lie_inside_their_intervals(given_lifetimes: list[Lifetime]) -> None:
    before = 1.0
    for point in survival_curve(given_lifetimes).points:
        shares = [point.survival, *point.causes.values()]
        assert sum(e.value or 0.0 for e in shares) == pytest.approx(1)
        for e in shares:
            assert e.value is not None
            assert e.low is not None
            assert e.high is not None
            assert 0 <= e.low <= e.value <= e.high <= 1
            assert e.low < e.high
        assert point.survival.value is not None
        assert point.survival.value <= before
        before = point.survival.value
        assert point.at_risk >= 3


@settings(deadline=None)
@given(lifetimes)
def test_the_order_of_the_conversations_does_not_matter(given_lifetimes: list[Lifetime]) -> None:
    assert survival_curve(given_lifetimes[::-1]) == survival_curve(given_lifetimes)


def test_mean_turns_counts_those_that_held_out() -> None:
    curve = survival_curve([Lifetime(turns=2, cause="wrong")] * 5 + [Lifetime(turns=10)] * 5)
    mean = curve.mean_turns
    assert mean.value == pytest.approx((2 + 10) / 2)
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < 6 < mean.high
    assert mean.note == "counted to turn 10"


def test_mean_turns_without_any_failure_still_has_doubt() -> None:
    mean = survival_curve([Lifetime(turns=5)] * 4).mean_turns
    assert (mean.value, mean.high) == (5, 5)
    assert mean.low is not None
    assert mean.low < 4


def test_mean_turns_covers_the_truth() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        fails, ends = rng.geometric(0.1, 20), np.minimum(10, rng.geometric(0.05, 20))
        drawn = [
            Lifetime(turns=int(f), cause="wrong") if f <= e else Lifetime(turns=int(e))
            for f, e in zip(fails, ends, strict=True)
        ]
        curve = survival_curve(drawn)
        truth = sum(0.9**t for t in range(curve.until))
        low, high = curve.mean_turns.low, curve.mean_turns.high
        covered += low is not None and high is not None and low <= truth <= high
    assert covered / 400 > 0.94


def test_two_conversations_make_no_curve() -> None:
    curve = survival_curve([Lifetime(turns=5)] * 2)
    assert (curve.points, curve.until, curve.mean_turns.value) == ((), 0, None)
    assert "fewer than 3" in curve.mean_turns.note


def test_an_examiner_that_stops_early_is_bounded() -> None:
    drawn = [Lifetime(turns=3, stopped=True)] * 4 + [Lifetime(turns=8)] * 4
    plain, (worst, best) = survival_curve(drawn), stopping_bounds(drawn, 8)
    assert plain.stopped == 4
    ends = [curve.points[-1].survival.value for curve in (worst, plain, best)]
    assert ends == [0.5, 1, 1]
    assert (worst.mean_turns.value, best.mean_turns.value) == (6, 8)
    assert worst.points[3].causes["stopped"].value == 0.5


def test_stopping_at_the_last_turn_is_no_failure() -> None:
    worst, _ = stopping_bounds([Lifetime(turns=8, stopped=True)] * 4, 8)
    assert worst.points[-1].survival.value == 1


def test_a_failure_before_the_first_turn_is_refused() -> None:
    with pytest.raises(InputError, match="turns=0"):
        survival_curve([Lifetime(turns=0, cause="wrong")])
