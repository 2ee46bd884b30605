"""Whatever a reviewer or an examiner returned can be read from the store again, or is refused with words."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.codec import decode, encode
from proctor.codec.reviews import to_question, to_review
from proctor.errors import EnvironmentFault
from proctor.score import CheckResult, Contradiction, Part, Review
from proctor.transcript import Reply, Turn
from proctor.usage import Usage


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


def part(value: Any = 1.0, **others: Any) -> Part:
    return Part(**{"name": "correctness", "value": value, **others})


def checked(**others: Any) -> CheckResult:
    return CheckResult(**{"turn": 1, "name": "own", "passed": True, "evidence": "seen", **others})


ODD: list[Any] = [
    None, True, 0, 1, -1, 0.5, 2.5, float("nan"), float("inf"), 10**400, Fraction(1, 3), 0.5j, "", "0.5", b"1", [], [1],
    {}, {"a": 1}, {1, 2}, (1, 2), np.float64(0.9), np.float32(0.5), np.int64(1), np.bool_(True), np.array([1.0]),
    np.str_("said"), "\ud800", object(), Unprintable(), Usage(), Usage(input_tokens=-1), Usage(cost=float("nan")),
    part(), Part, ValueError("x"),
]  # fmt: skip
REVIEW_FIELDS = tuple(Review.__slots__)
PART_FIELDS = ("name", "value", "explanation", "unsure")
CHECK_FIELDS = ("turn", "name", "passed", "evidence", "value")
TURN_FIELDS = ("number", "question", "case", "strategy", "refers_to", "fault", "started", "ended", "examiner_usage")


@given(st.lists(st.tuples(st.sampled_from(REVIEW_FIELDS), st.sampled_from(ODD)), max_size=3),
       st.lists(st.tuples(st.sampled_from(PART_FIELDS), st.sampled_from(ODD)), max_size=3),
       st.lists(st.tuples(st.sampled_from(CHECK_FIELDS), st.sampled_from(ODD)), max_size=3))  # fmt: skip
def test_every_review_is_stored_as_it_will_be_read(review: Any, parts: Any, checks: Any) -> None:
    odd: Any = {"parts": (part(**dict(parts)),), "checks": (checked(**dict(checks)),), **dict(review)}
    found = to_review(Review(**odd))
    assert encode(decode(encode(found), Review)) == encode(found)
    marks = [each.value for each in (*found.parts, *found.question_parts)]
    marks += [check.value for check in found.checks if check.value is not None]
    assert all(type(mark) is float and 0 <= mark <= 1 for mark in marks)
    assert all(weight >= 0 for weight in found.weights.values())


@given(st.lists(st.tuples(st.sampled_from(TURN_FIELDS), st.sampled_from(ODD)), max_size=3))
def test_every_question_is_stored_as_it_will_be_read_or_refused(turn: Any) -> None:
    odd: Any = {"number": 1, "question": "Why?", **dict(turn)}
    with suppress(EnvironmentFault):
        found = to_question(Turn(**odd))
        assert isinstance(found, Turn)
        assert encode(decode(encode(found), Turn)) == encode(found)


def test_a_plain_review_is_taken_as_it_is() -> None:
    plain = Review(parts=(part(0.25, explanation="so so"),), checks=(checked(),), usage=Usage(calls=1, cost=0.5))
    assert to_review(plain) is plain


@pytest.mark.parametrize(("given", "mark"), [(np.float64(0.9), 0.9), (True, 1.0), (Fraction(1, 4), 0.25), (1, 1.0)])
def test_other_numbers_are_marks_as_well(given: Any, mark: float) -> None:
    found = to_review(Review(parts=(part(given),)))
    assert [each.value for each in found.parts] == [mark]


@pytest.mark.parametrize(
    ("review", "reason"),
    [
        (Review(parts=(part(1.5),)), "correctness is 1.5; expected a number from 0 to 1"),
        (Review(parts=(part("good"),)), "parts[0].value is 'good'; expected a number"),
        (Review(parts=(part(1.0, explanation=["why"]),)), "parts[0].explanation"),
        (Review(parts=(part(),), weights={"correctness": -1.0}), "weights.correctness is -1.0"),
        (Review(parts=(part(),), usage={"calls": "two"}), "usage.calls is 'two'"),  # type: ignore[arg-type]
        (Review(parts=(part(),), usage=Usage(calls=-2)), "usage.calls is -2"),
        (Review(checks=(checked(passed=0),)), "checks[0].passed is 0; expected true or false"),
        (Review(checks=(checked(value=float("nan")),)), "checks[0].value is nan"),
        (Review(parts=(part(Unprintable()),)), "it cannot be written as JSON (RuntimeError)"),
    ],
)
def test_what_does_not_fit_leaves_the_review_without_a_mark(review: Review, reason: str) -> None:
    found = to_review(review)
    assert (found.parts, found.checks) == ((), ())
    assert found.unscored is not None
    assert reason in found.unscored


def test_what_a_review_cost_is_kept_though_the_review_is_not_valid() -> None:
    paid = Usage(calls=1, cost=0.25)
    assert to_review(Review(parts=(part(7.0),), usage=paid)).usage == paid


def test_contradictions_weights_and_marks_of_the_question_are_kept() -> None:
    contradiction = Contradiction(turns=(1, 2), quotes=("a", "b"), kind="number", reason="both")
    full = Review(
        parts=(part(0.5),), weights={"correctness": 2.0}, question_parts=(part(0.75),), contradictions=(contradiction,),
        dropped=1, passed_on=Usage(calls=1), usage=Usage(calls=2),
    )  # fmt: skip
    assert to_review(full) == full


@pytest.mark.parametrize("returned", [{"correctness": 1.0}, 0.5, "good", None, [Review()]])
def test_what_is_no_review_is_refused(returned: object) -> None:
    with pytest.raises(TypeError, match=r"the reviewer returned .*; expected a proctor\.Review"):
        to_review(returned)


def test_an_examiner_may_end_with_nothing_or_with_what_that_cost() -> None:
    assert to_question(None) is None
    assert to_question(Usage(calls=1)) == Usage(calls=1)


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ("Why?", "returned 'Why?'; expected a proctor.Turn"),
        (Turn(number=1, question=None), "question is null; expected a text"),  # type: ignore[arg-type]
        (Turn(number=1, question="Why?", refers_to="2"), "refers_to is '2'"),  # type: ignore[arg-type]
        (Turn(number=1, question="Why?", examiner_usage=Usage(cost=-1.0)), "examiner_usage.cost is -1.0"),
        (Turn(number=1, question="Why?", reply=Reply(text="Because.")), "a Turn with a reply; only the agent replies"),
        (Usage(cost=float("inf")), "returned a Usage that is not valid"),
    ],
)
def test_what_is_no_question_is_the_examiners_failure(returned: object, reason: str) -> None:
    with pytest.raises(EnvironmentFault) as refused:
        to_question(returned)
    assert reason in str(refused.value)
    assert refused.value.kind == "wrong_type"
