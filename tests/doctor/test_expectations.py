"""Expectations that contradict the answer, each other, the tools or the folder of sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.codec import benchmark_of
from proctor.doctor import BenchmarkProblem, examine
from proctor.doctor.answers import stands_in


def complaints(expect: Expectation, answer: str | None = None, **others: Any) -> list[BenchmarkProblem]:
    """Everything but that there is only one case."""
    tools = others.pop("tools", None)
    made = benchmark_of([Case(id="c", question="q?", answer=answer, expect=expect, line=3)], name="b", **others)
    return [one for one in examine(made, tools=tools) if one.kind != "few-cases"]


def only(expect: Expectation, answer: str | None = None, **others: Any) -> tuple[str, str]:
    """Kind and severity of the one complaint."""
    (one,) = complaints(expect, answer, **others)
    assert (one.cases, one.lines) == (("c",), (3,))
    assert one.advice
    return one.kind, one.severity


def calls(*names: str) -> tuple[ExpectedCall, ...]:
    return tuple(ExpectedCall(name=name) for name in names)


# Keywords --------------------------------------------------------------------------------------------------------


def test_a_keyword_that_the_answer_lacks_is_a_warning() -> None:
    assert only(Expectation(keywords=("=policy",)), "The policies.") == ("keyword-not-in-answer", "warning")
    assert only(Expectation(keywords=("policy",)), "The police.") == ("keyword-not-in-answer", "warning")
    assert only(Expectation(keywords=(r"re:\bremote\b",)), "At home.") == ("keyword-not-in-answer", "warning")


@pytest.mark.parametrize(
    "keyword", ["Policy", "policies", "=policy", "remote  works", "re:polic(y|ies)", "re:POLICY", "re:("]
)
def test_a_keyword_that_the_answer_holds_or_that_cannot_be_tried_is_none(keyword: str) -> None:
    assert complaints(Expectation(keywords=(keyword,)), "The remote\nwork policy.") == []


def test_an_exclusion_that_the_answer_holds_is_an_error() -> None:
    assert only(Expectation(exclusions=("I don't know",)), "I don’t know.") == ("exclusion-in-answer", "error")
    assert only(Expectation(exclusions=("error",)), "Two errors.") == ("exclusion-in-answer", "error")


@pytest.mark.parametrize(
    ("keyword", "excluded"),
    [
        ("policy", "Policy"),
        ("errors", "error"),
        ("=errors", "error"),
        ("=error", "=error"),
        ("the remote policy", "policy"),
        ("v2.1", r"re:v\d"),
        ("re:a+", "re:a+"),
    ],
)
def test_a_keyword_that_is_excluded_is_an_error(keyword: str, excluded: str) -> None:
    expect = Expectation(keywords=(keyword,), exclusions=(excluded,))
    assert only(expect) == ("keyword-excluded", "error")


def test_an_exclusion_longer_than_the_keyword_is_none() -> None:
    assert complaints(Expectation(keywords=("policy",), exclusions=("no policy", "pol"))) == []


def test_another_form_may_stand_where_one_alone_is_excluded() -> None:
    assert complaints(Expectation(keywords=("error", "=policies"), exclusions=("=error", "=policy"))) == []


@pytest.mark.parametrize(
    ("phrase", "text", "stands"),
    [
        ("art", "a party", False),
        ("art.", "Art. 5", True),
        ("300", "1,300 people", False),
        ("3", "3.5 m", False),
        ("3", "It is 3.", True),
        ("£4", "for £4!", True),
        ("東京", "首都は東京です", True),
        ("GPS", "GPS系统", True),
        ("re:(a+)+$", "aaaa", True),
        ("re:a.*b.*c.*d.*e", "a" * 500, False),
        ("re:(x+x+)+y", "yx" + "x" * 20_000, None),
        ("re:(", "aaaa", None),
    ],
)
def test_phrases_stand_as_whole_words_and_costly_patterns_are_given_up(
    phrase: str, text: str, stands: bool | None
) -> None:
    assert stands_in(phrase, text) is stands


# Tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expect",
    [
        Expectation(tools_used=("a",), tools_not_used=("a",)),
        Expectation(tool_calls=calls("a"), tools_not_used=("a",)),
    ],
)
def test_a_tool_that_is_expected_and_forbidden_is_an_error(expect: Expectation) -> None:
    assert only(expect) == ("tool-forbidden", "error")


def test_a_call_that_may_be_left_out_and_is_forbidden_is_a_warning() -> None:
    expect = Expectation(tool_calls=(ExpectedCall(name="a", may_be_absent=True),), tools_not_used=("a",))
    assert only(expect) == ("tool-forbidden", "warning")


def test_a_tool_that_must_be_used_but_would_count_as_extra_is_an_error() -> None:
    assert only(Expectation(tools_used=("a",), tool_calls=())) == ("tool-not-in-calls", "error")
    assert only(Expectation(tools_used=("a",), tool_calls=calls("b"))) == ("tool-not-in-calls", "error")
    assert complaints(Expectation(tools_used=("a",), tool_calls=calls("a"))) == []
    assert complaints(Expectation(tools_used=("a",), tool_calls=calls("b"), extra_allowed=True)) == []
    assert complaints(Expectation(tools_used=("a",), tool_calls=calls("b"), tool_threshold=0.5)) == []


def test_a_limit_below_the_calls_that_are_needed_is_an_error() -> None:
    assert only(Expectation(tool_calls=calls("a", "a"), limits={"tool_calls": 1})) == ("limit-too-small", "error")
    used = Expectation(tools_used=("a", "b"), tool_calls=calls("a"), extra_allowed=True, limits={"tool_calls": 1})
    assert only(used) == ("limit-too-small", "error")
    optional = (*calls("a"), ExpectedCall(name="b", may_be_absent=True))
    assert complaints(Expectation(tool_calls=optional, limits={"tool_calls": 1})) == []


def test_a_tool_that_the_agent_does_not_have_is_told_with_the_nearest() -> None:
    expect = Expectation(tools_used=("serch",))
    assert complaints(expect) == []
    assert only(expect, tools=["search"]) == ("unknown-tool", "error")
    assert complaints(expect, tools=["search"])[0].advice == "did you mean “search”?"
    assert only(Expectation(tools_not_used=("web",)), tools=["search"]) == ("unknown-tool", "information")
    assert only(Expectation(tool_calls=calls("web")), tools=[]) == ("unknown-tool", "error")


def test_folded_names_of_tools_are_one() -> None:
    both = Expectation(tools_used=("getA",), tools_not_used=("get_a",), fold_names=True)
    assert only(both) == ("tool-forbidden", "error")
    assert complaints(Expectation(tools_used=("getA",), tool_calls=calls("get_a"), fold_names=True)) == []
    assert complaints(Expectation(tools_used=("getA",), fold_names=True), tools=["get-a"]) == []
    assert only(Expectation(tools_used=("getB",), fold_names=True), tools=["get-a"]) == ("unknown-tool", "error")


# Sources ---------------------------------------------------------------------------------------------------------


def test_an_expected_source_that_is_not_in_the_folder_is_told_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "hr").mkdir()
    (tmp_path / "hr" / "Remote.md").touch()
    there = ("hr/Remote.md", "hr/remote", "./hr/remote.md#pay", "https://example.com/x")
    assert complaints(Expectation(citations=1, sources=there), sources=str(tmp_path)) == []
    wrong = Expectation(citations=1, sources=("hr/remot.md",))
    assert only(wrong, sources=str(tmp_path)) == ("missing-source", "warning")
    assert complaints(wrong, sources=str(tmp_path))[0].advice == "did you mean “hr/Remote.md”?"
    assert complaints(wrong) == []


def test_a_folder_of_sources_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (one,) = complaints(Expectation(citations=1), sources=str(tmp_path / "none"))
    assert (one.kind, one.severity) == ("no-sources", "error")


def test_quotes_without_a_folder_of_sources_are_worth_knowing() -> None:
    assert only(Expectation(citations=1, quotes=True)) == ("no-sources", "information")
