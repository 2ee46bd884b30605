"""Marks and verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.benchmark import Case, Expectation
from proctor.run import Settings
from proctor.running.verdict import attempt_passes, marks, turn_passes
from proctor.score import NO_ERROR, CheckResult, Part, Review, Score, Unscored, weigh

ALL = ("correctness", "reasoning", "context")


def parts(**values: float) -> tuple[Part, ...]:
    return tuple(Part(name=name, value=value) for name, value in values.items())


def score_of(value: float) -> Score:
    return Score(turn=1, of="agent", parts=parts(correctness=value), value=value, by="r")


def check_of(name: str, passed: bool | None) -> CheckResult:
    return CheckResult(turn=1, name=name, passed=passed, evidence="")


ANSWERED = check_of(NO_ERROR, True)
LACKING = Unscored(turn=1, of="agent", by="r", reason="unusable")
MARKS_BESIDE = Settings(passing_score=None)
CHECKS_ALONE = Settings(passing_score=None, reviewer=None)
PLAIN = Case(id="c", question="q")
REFERRED = replace(PLAIN, answer="Paris")
CHECKED = replace(PLAIN, expect=Expectation(keywords=("Paris",)))


@pytest.mark.parametrize(
    ("weights", "judged"),
    [({}, ("correctness", "tone")), ({"tone": 1.0}, ("correctness", "tone")), ({"tone": 1.0}, ("tone",))],
)
@pytest.mark.parametrize("exam_type", ["abm-static", "abm-dynamic"])
def test_consistency_weighs_as_usual_beside_parts_with_weights_of_their_own(
    exam_type: Literal["abm-static", "abm-dynamic"], weights: dict[str, float], judged: tuple[str, ...]
) -> None:
    given = parts(**dict.fromkeys(judged, 1.0), consistency=0.0)
    [score], _ = marks([("r", Review(parts=given, weights=weights))], turn=1, settings=Settings(type=exam_type))
    others = sum({"correctness": 0.4, "tone": 1.0}[name] for name in judged)
    assert score.value == pytest.approx(others / (others + 0.3))


def test_no_error_alone_passes_only_what_expects_nothing_else() -> None:
    for settings in (MARKS_BESIDE, CHECKS_ALONE):
        assert turn_passes(PLAIN, [], [], [ANSWERED], settings=settings) is True
    assert turn_passes(PLAIN, [], [], [], settings=MARKS_BESIDE) is None
    assert turn_passes(PLAIN, [], [LACKING], [ANSWERED], settings=MARKS_BESIDE) is None
    assert turn_passes(PLAIN, [], [], [ANSWERED], settings=Settings()) is None
    assert turn_passes(replace(PLAIN, passing_score=0.5), [], [], [ANSWERED], settings=MARKS_BESIDE) is None
    for settings in (Settings(), MARKS_BESIDE, CHECKS_ALONE):
        assert turn_passes(REFERRED, [], [], [ANSWERED], settings=settings) is None
        assert turn_passes(CHECKED, [], [], [ANSWERED], settings=settings) is None


def test_a_reference_that_nobody_judged_is_undecided_where_the_mark_counts() -> None:
    both = replace(CHECKED, answer="Paris")
    found = check_of("keywords", True)
    assert turn_passes(both, [], [], [ANSWERED, found], settings=Settings()) is None
    assert turn_passes(both, [], [LACKING], [ANSWERED, found], settings=Settings()) is None
    assert turn_passes(both, [score_of(0.8)], [], [ANSWERED, found], settings=Settings()) is True
    assert turn_passes(both, [score_of(0.6)], [], [ANSWERED, found], settings=Settings()) is False


def test_checks_decide_where_nobody_marks_or_the_mark_does_not_count() -> None:
    both, found = replace(CHECKED, answer="Paris"), check_of("keywords", True)
    assert turn_passes(both, [], [LACKING], [ANSWERED, found], settings=MARKS_BESIDE) is True
    assert turn_passes(both, [score_of(0.0)], [], [ANSWERED, found], settings=MARKS_BESIDE) is True
    assert turn_passes(CHECKED, [], [], [ANSWERED, found], settings=Settings()) is True
    assert turn_passes(replace(both, passing_score=0.9), [], [], [found], settings=Settings(reviewer=None)) is True


def test_the_parts_of_somebodys_own_weigh_one_each() -> None:
    def value(**marked: float) -> float:
        (score,), missing = marks([("r", Review(parts=parts(**marked)))], turn=1, settings=Settings())
        assert missing == ()
        return score.value

    assert value(politeness=0.9) == pytest.approx(0.9)
    assert value(politeness=0.9, brevity=0.5) == pytest.approx(0.7)
    assert value(correctness=1.0, politeness=0.4) == pytest.approx((0.5 + 0.4) / 1.5)
    assert value(correctness=1.0, completeness=0.0, politeness=0.4) == pytest.approx((0.5 + 0.4) / 2)
    assert value(correctness=1.0, completeness=0.0) == pytest.approx(0.5)


def test_own_parts_of_a_question_weigh_too() -> None:
    review = Review(question_parts=parts(relevance=1.0, kindness=0.0))
    (score,), _ = marks([("r", review)], turn=1, settings=Settings())
    assert score.of == "examiner"
    assert score.value == pytest.approx(0.5 / 1.5)


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
    assert turn_passes(None, [score_of(value)], [], [], settings=Settings()) is True


def test_a_case_may_have_its_own_passing_score() -> None:
    strict = Case(id="c", question="q", passing_score=0.9)
    assert turn_passes(strict, [score_of(0.8)], [], [], settings=Settings()) is False


def test_a_failed_check_fails_whatever_the_mark() -> None:
    check = CheckResult(turn=1, name="keywords", passed=False, evidence="'policy' is not there")
    assert turn_passes(None, [score_of(1.0)], [], [check], settings=Settings()) is False


def test_a_check_that_could_not_be_made_leaves_it_undecided() -> None:
    check = CheckResult(turn=1, name="quotes", passed=None, evidence="the source cannot be read")
    assert turn_passes(None, [score_of(1.0)], [], [check], settings=Settings()) is None
    assert turn_passes(None, [score_of(0.1)], [], [check], settings=Settings()) is False
    assert turn_passes(None, [], [], [check, check_of("keywords", False)], settings=CHECKS_ALONE) is False
    assert turn_passes(None, [], [], [check, check_of("keywords", True), ANSWERED], settings=CHECKS_ALONE) is None
    assert turn_passes(None, [], [], [check], settings=Settings(passing_score=None)) is None


def test_without_a_passing_score_the_checks_decide_and_the_mark_stands_beside() -> None:
    check = CheckResult(turn=1, name="keywords", passed=True, evidence="found")
    assert turn_passes(None, [score_of(0.1)], [], [check], settings=Settings(passing_score=None)) is True


def test_an_attempt_fails_with_any_turn_and_is_undecided_with_any_undecided_one() -> None:
    assert attempt_passes([True, False, None]) is False
    assert attempt_passes([True, None]) is None
    assert attempt_passes([True, True]) is True
    assert attempt_passes([]) is None


def test_criteria_of_a_case_that_nobody_marked_leave_it_open_whatever_its_other_marks_say() -> None:
    polite = replace(REFERRED, criteria={"politeness": {"asks": "Is it polite?", "weight": 3}})
    for value in (0.1, 1.0):
        assert turn_passes(polite, [score_of(value)], [], [ANSWERED], settings=Settings()) is None
        marked = Score(turn=1, of="agent", parts=parts(correctness=value, politeness=1.0), value=value, by="r")
        assert turn_passes(polite, [marked], [], [ANSWERED], settings=Settings()) is (value > 0.7)
    failed = check_of("keywords", False)
    assert turn_passes(polite, [score_of(1.0)], [], [failed], settings=Settings()) is False
