"""Marks and verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.benchmark import Case
from proctor.run import Settings
from proctor.running.verdict import attempt_passes, marks, turn_passes
from proctor.score import CheckResult, Part, Review, Score, weigh

ALL = ("correctness", "reasoning", "context")


def parts(**values: float) -> tuple[Part, ...]:
    return tuple(Part(name=name, value=value) for name, value in values.items())


def score_of(value: float) -> Score:
    return Score(turn=1, of="agent", parts=parts(correctness=value), value=value, by="r")


def test_default_weights_are_half_three_tenths_two_tenths() -> None:
    (score,), _ = marks(
        [("r", Review(parts=parts(correctness=1, reasoning=0.5, context=0)))], turn=1, settings=Settings()
    )
    assert score.value == pytest.approx(0.5 + 0.15)


def test_a_missing_part_drops_out_and_the_rest_are_renormalised() -> None:
    (score,), _ = marks([("r", Review(parts=parts(correctness=1, reasoning=0)))], turn=1, settings=Settings())
    assert score.value == pytest.approx(0.5 / 0.8)


@given(st.dictionaries(st.sampled_from(ALL), st.floats(0, 1), min_size=1), st.floats(0.01, 100))
def test_only_the_ratio_of_weights_matters(values: dict[str, float], factor: float) -> None:
    weights = {"correctness": 0.5, "reasoning": 0.3, "context": 0.2}
    scaled = {name: weight * factor for name, weight in weights.items()}
    assert weigh(parts(**values), weights) == pytest.approx(weigh(parts(**values), scaled))


def test_weights_that_miss_every_part_leave_it_unscored_and_say_so() -> None:
    review = Review(parts=parts(correctness=1.0))
    scores, (missing,) = marks([("r", review)], turn=1, settings=Settings(weights={"context": 1.0}))
    assert scores == ()
    assert "correctness" in missing.reason


def test_three_parts_at_the_threshold_pass_in_spite_of_rounding() -> None:
    value = 0.5 * 0.7 + 0.3 * 0.7 + 0.2 * 0.7
    assert turn_passes(None, [score_of(value)], [], [], threshold=0.7) is True


def test_a_case_may_have_its_own_passing_score() -> None:
    strict = Case(id="c", question="q", passing_score=0.9)
    assert turn_passes(strict, [score_of(0.8)], [], [], threshold=0.7) is False


def test_a_failed_check_fails_whatever_the_mark() -> None:
    check = CheckResult(turn=1, name="keywords", passed=False, evidence="'policy' is not there")
    assert turn_passes(None, [score_of(1.0)], [], [check], threshold=0.7) is False


def test_a_check_that_could_not_be_made_neither_passes_nor_fails() -> None:
    check = CheckResult(turn=1, name="quotes", passed=None, evidence="the source cannot be read")
    assert turn_passes(None, [score_of(1.0)], [], [check], threshold=0.7) is True
    assert turn_passes(None, [], [], [check], threshold=None) is None


def test_without_a_passing_score_the_checks_decide_and_the_mark_stands_beside() -> None:
    check = CheckResult(turn=1, name="keywords", passed=True, evidence="found")
    assert turn_passes(None, [score_of(0.1)], [], [check], threshold=None) is True


def test_an_attempt_fails_with_any_turn_and_is_undecided_with_any_undecided_one() -> None:
    assert attempt_passes([True, False, None]) is False
    assert attempt_passes([True, None]) is None
    assert attempt_passes([True, True]) is True
    assert attempt_passes([]) is None
