from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from proctor.benchmark import ExpectedCall
from proctor.reviewers.arguments import accepts, arguments_fit, differences, fold, same
from proctor.transcript import ToolCall

NAN = math.nan


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (NAN, NAN),
        (-0.0, 0),
        ("x", "x"),
        (None, None),
        (True, True),
        ([1, [2.0]], [1.0, (2,)]),
        ({"a": 1, "b": {"c": NAN}}, {"b": {"c": NAN}, "a": 1.0}),
        (date(2024, 5, 1), date(2024, 5, 1)),
        (Decimal("1.5"), 1.5),
        (10**400, 10**400),
    ],
)
def test_values_that_are_the_same(left: Any, right: Any) -> None:
    assert same(left, right)
    assert same(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, "1"),
        (1, True),
        (0, False),
        (1.0, True),
        ("True", True),
        (None, ""),
        (None, 0),
        (None, False),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([1], 1),
        ([True], [1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": "1"}, {"a": 1}),
        ({}, []),
        ("A", "a"),
        (NAN, 0.0),
        (10**400, 1.5),
        (date(2024, 5, 1), "2024-05-01"),
    ],
)
def test_values_that_differ(left: Any, right: Any) -> None:
    assert not same(left, right)
    assert not same(right, left)


class Touchy:
    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    __hash__ = None  # type: ignore[assignment]


def test_what_cannot_be_compared_is_different() -> None:
    assert not same(Touchy(), Touchy())


def test_a_tolerance_includes_its_bound_and_reaches_into_structures() -> None:
    assert same(1.0, 1.1, tolerance=0.1)
    assert not same(1.0, 1.11, tolerance=0.1)
    assert same({"p": [1.0, 2]}, {"p": [1.05, 2.05]}, tolerance=0.1)
    assert not same(math.inf, 1.0, tolerance=math.inf)
    assert not same(True, 1, tolerance=5)
    assert not same(10**400, 1.0, tolerance=0.1)


def test_folding_drops_case_spaces_and_the_leaderboard_s_marks() -> None:
    assert fold("New-York, N.Y. a*b^c_d/e 'x'") == 'newyorknyabcde"x"'
    assert same(["April 1, 2024"], ["april 1 2024"], folded=True)
    assert not same("New York", "NewYork")
    assert not same("New York!", "NewYork", folded=True)


def fit(expected: dict[str, Any], used: dict[str, Any], **rules: Any) -> float:
    return arguments_fit(ExpectedCall(name="t", arguments=expected, **rules), ToolCall(name="t", arguments=used))


def test_the_fit_is_the_share_of_right_arguments_over_all_that_were_expected_or_used() -> None:
    assert fit({}, {}) == 1
    assert fit({"a": 1}, {}) == 0
    assert fit({}, {"a": 1}) == 0
    assert fit({"a": 1, "b": 2}, {"a": 1, "c": 3}) == pytest.approx(1 / 3)


def test_a_missing_argument_is_not_one_that_is_none() -> None:
    assert fit({"a": None}, {}) == 0
    assert fit({"a": None}, {"a": None}) == 1


def test_ignored_arguments_count_neither_way() -> None:
    assert fit({"a": 1, "b": 2}, {"a": 1, "b": 9, "c": 0}, ignore=("b", "c")) == 1
    assert fit({"b": 2}, {}, ignore=("b",)) == 1


def test_optional_arguments_count_only_where_they_were_used() -> None:
    assert fit({"a": 1, "b": 2}, {"a": 1}, optional=("b",)) == 1
    assert fit({"a": 1, "b": 2}, {"a": 1, "b": 3}, optional=("b",)) == 0.5
    assert fit({"a": 1}, {"a": 1, "b": 3}, optional=("b",)) == 1, "no value is stated, so any will do"


def test_any_of_several_values_will_do_beside_the_stated_one() -> None:
    rule = {"unit": {"any_of": ["C", "celsius"]}}
    assert fit({}, {"unit": "celsius"}, match=rule) == 1
    assert fit({}, {"unit": "F"}, match=rule) == 0
    assert fit({"unit": "K"}, {"unit": "K"}, match=rule) == 1
    assert fit({}, {}, match=rule) == 0
    assert fit({}, {"n": 1}, match={"n": {"any_of": ["1", 1]}}) == 1


def test_a_pattern_must_match_the_whole_text_and_only_text() -> None:
    rule = {"day": {"pattern": r"\d{4}-\d{2}-\d{2}"}}
    assert fit({}, {"day": "2024-05-01"}, match=rule) == 1
    assert fit({}, {"day": "2024-05-01; drop"}, match=rule) == 0
    assert fit({}, {"day": 20240501}, match={"day": {"pattern": r"\d+"}}) == 0


def test_tolerance_and_folding_are_declared_for_one_argument() -> None:
    assert fit({"t": 20.0, "u": 20.0}, {"t": 20.4, "u": 20.4}, match={"t": {"tolerance": 0.5}}) == 0.5
    assert fit({"city": "New York"}, {"city": "new-york"}, match={"city": {"fold": True}}) == 1


def test_a_number_too_long_to_be_written_is_still_named() -> None:
    expected = ExpectedCall(name="t", arguments={"a": 1})
    assert differences(expected, ToolCall(name="t", arguments={"a": 10**5000})) == ["a=a huge int, expected 1"]


def test_differences_name_each_wrong_argument() -> None:
    expected = ExpectedCall(
        name="t",
        arguments={"a": 1, "b": 2, "c": 3.0},
        match={"c": {"tolerance": 0.5}, "d": {"any_of": ["x", "y"], "pattern": "z+"}},
    )
    used = ToolCall(name="t", arguments={"a": 1, "c": 4, "d": "q", "e": 5})
    assert differences(expected, used) == [
        "b is missing, expected 2",
        "c=4, expected 3.0 within 0.5",
        "d='q', expected 'x' or 'y' or a match of 'z+'",
        "e=5 was not expected",
    ]


def test_a_whole_number_may_be_asked_for_as_one() -> None:
    asked = ExpectedCall(name="t", arguments={"n": 5, "list": [1, {"a": 2}]}, match={"n": {"whole": True}})
    assert accepts(asked, "n", 5)
    assert not accepts(asked, "n", 5.0)
    assert accepts(asked, "list", [1.0, {"a": 2.0}])
    deep = replace(asked, match={"list": {"whole": True}})
    assert not accepts(deep, "list", [1, {"a": 2.0}])
    assert accepts(ExpectedCall(name="t", match={"n": {"any_of": [5.5], "whole": True}}), "n", 5.5)
    assert differences(asked, ToolCall(name="t", arguments={"n": 5.0, "list": [1, {"a": 2}]})) == [
        "n=5.0, expected 5, as a whole number"
    ]
