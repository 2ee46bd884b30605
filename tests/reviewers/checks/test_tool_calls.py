from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reviewers.checks.asking import asked, outcome

from proctor.benchmark import ExpectedCall
from proctor.codec.replies import to_reply
from proctor.reviewers.checks.tool_calls import tool_calls, tools_not_used, tools_used
from proctor.transcript import Reply, ToolCall


def calling(*names: str) -> Reply:
    return Reply(text="It is 30 days.", tool_calls=tuple(ToolCall(name=name) for name in names))


def test_nothing_is_said_where_nothing_is_asked() -> None:
    for check in (tools_used, tools_not_used, tool_calls):
        assert asked(check, calling("search")) is None


def test_evidence_tells_which_tool_was_called_and_how_often() -> None:
    found = outcome(tools_used, calling("search", "read", "search"), tools_used=("search", "read"))
    assert found.passed is True
    assert found.evidence == "search was called 2 times, read was called once"


def test_a_tool_that_was_not_called_fails_and_the_calls_are_named() -> None:
    found = outcome(tools_used, calling("search", "search", "readPage"), tools_used=("search", "read_page"))
    assert (found.passed, found.value) == (False, 0.5)
    assert found.evidence == (
        "read_page was not called (but readPage was; fold_names: true takes them for one); search was called 2 times; "
        "the calls were search ×2, readPage"
    )


def test_without_any_call_that_is_what_is_said() -> None:
    assert outcome(tools_used, calling(), tools_used=("read",)).evidence == "read was not called; no tool was called"
    assert outcome(tools_not_used, calling(), tools_not_used=("read",)).evidence == "no tool was called"


def test_tools_that_a_reply_does_not_tell_are_not_checkable_and_the_cure_is_named() -> None:
    untold = to_reply("It is 30 days.")
    for found in (
        outcome(tools_used, untold, tools_used=("search",)),
        outcome(tools_not_used, untold, tools_not_used=("search",)),
        outcome(tool_calls, untold, tool_calls=()),
    ):
        assert found.passed is None
        assert "return a dict with 'tool_calls'" in found.evidence


def test_a_call_that_is_seen_counts_also_where_others_may_not_be() -> None:
    some = replace(calling("search"), tools_known=False)
    assert outcome(tools_used, some, tools_used=("search",)).passed is True
    assert outcome(tools_used, some, tools_used=("search", "read")).passed is None
    assert outcome(tools_not_used, some, tools_not_used=("search",)).passed is False


def test_a_call_that_failed_was_still_made() -> None:
    reply = Reply(text="", tool_calls=(ToolCall(name="search", error="timed out"),))
    assert outcome(tools_used, reply, tools_used=("search",)).passed is True
    assert outcome(tools_not_used, reply, tools_not_used=("search",)).passed is False


def test_names_of_tools_are_compared_letter_by_letter() -> None:
    assert outcome(tools_used, calling("Search"), tools_used=("search",)).passed is False


def test_a_forbidden_tool_fails_with_the_number_of_its_calls() -> None:
    found = outcome(tools_not_used, calling("web", "web"), tools_not_used=("mail", "web"))
    assert found.passed is False
    assert found.evidence == "web was called 2 times"


def test_tool_calls_pass_at_their_threshold_and_tell_the_score() -> None:
    expected = (ExpectedCall(name="search", arguments={"query": "leave"}), ExpectedCall(name="read"))
    reply = Reply(text="", tool_calls=(ToolCall(name="search", arguments={"query": "leave"}),))
    strict = outcome(tool_calls, reply, tool_calls=expected)
    assert strict.passed is False
    assert strict.value == pytest.approx(2 / 3)
    assert strict.evidence.startswith("tool correctness 0.67, needed 1: ")
    assert "missing read()" in strict.evidence
    assert outcome(tool_calls, reply, tool_calls=expected, tool_threshold=0.6).passed is True


def test_no_call_expected_is_an_expectation_too() -> None:
    assert outcome(tool_calls, calling(), tool_calls=()).passed is True
    assert outcome(tool_calls, calling("search"), tool_calls=()).passed is False


def test_a_broken_pattern_of_an_argument_is_not_checkable() -> None:
    expected = ExpectedCall(name="search", match={"query": {"pattern": "("}})
    reply = Reply(text="", tool_calls=(ToolCall(name="search", arguments={"query": "leave"}),))
    found = outcome(tool_calls, reply, tool_calls=(expected,))
    assert found.passed is None
    assert "the pattern of an argument cannot be looked for: it is not a regular expression" in found.evidence


def test_folded_names_are_one_tool_however_they_are_written() -> None:
    reply = calling("readPage", "read-page")
    used = outcome(tools_used, reply, tools_used=("read_page",), fold_names=True)
    assert (used.passed, used.evidence) == (True, "readPage or read-page was called 2 times")
    assert outcome(tools_not_used, reply, tools_not_used=("read_page",), fold_names=True).passed is False
    assert outcome(tools_not_used, reply, tools_not_used=("read_page",)).passed is True
