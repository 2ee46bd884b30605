from __future__ import annotations

from proctor.benchmark import Expectation, ExpectedCall
from proctor.reviewers.checks.merge import keep_common, merge

SEARCH, READ = ExpectedCall(name="search", arguments={"query": "x"}), ExpectedCall(name="read")


def test_lists_are_joined_without_repeats() -> None:
    first = Expectation(keywords=("a", "b"), steps=({"kind": "plan"},))
    second = Expectation(keywords=("b", "c"), exclusions=("d",), steps=({"kind": "plan"}, {"kind": "tool"}))
    both = merge(first, second)
    assert both.keywords == ("a", "b", "c")
    assert both.exclusions == ("d",)
    assert both.steps == ({"kind": "plan"}, {"kind": "tool"})


def test_values_that_the_other_sets_hold() -> None:
    both = merge(Expectation(citations=1, ordered=True, tool_threshold=0.5), Expectation(citations=2, quotes=True))
    assert (both.citations, both.ordered, both.tool_threshold, both.quotes) == (2, True, 0.5, True)


def test_bounds_stand_side_by_side() -> None:
    both = merge(Expectation(limits={"tokens": 10, "cost": 1}), Expectation(limits={"tokens": 5, "seconds": 2}))
    assert both.limits == {"tokens": 5, "cost": 1, "seconds": 2}


def test_no_calls_expected_is_not_the_same_as_nothing_said_of_calls() -> None:
    nothing, none, one = Expectation(ordered=True), Expectation(tool_calls=()), Expectation(tool_calls=(SEARCH,))
    assert merge(nothing, none).tool_calls == ()
    assert merge(none, nothing).tool_calls == ()
    assert merge(one, Expectation(tool_calls=(SEARCH, READ))).tool_calls == (SEARCH, READ)


def test_nothing_changes_nothing() -> None:
    some = Expectation(keywords=("a",), limits={"cost": 1})
    assert merge(some, Expectation()) == some
    assert merge(Expectation(), some) == some


def test_of_common_expectations_stays_what_a_case_has_not_overruled() -> None:
    common = Expectation(
        tools_not_used=("delete",), citations=1, sources=("a",), quotes=True, limits={"cost": 1}, tool_calls=(READ,)
    )
    own = Expectation(tools_not_used=("delete", "x"), limits={"cost": 2, "tokens": 5}, tool_calls=(READ, SEARCH))
    assert keep_common(common, own) == Expectation(tools_not_used=("delete",), limits={"cost": 2}, tool_calls=(READ,))
    assert keep_common(common, merge(common, Expectation(keywords=("k",), role="r"))) == common
