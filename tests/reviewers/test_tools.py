from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.benchmark import Expectation, ExpectedCall
from proctor.errors import InputError
from proctor.reviewers.tools import (
    ASPECTS,
    EQUAL_WEIGHTS,
    ToolScore,
    best_score,
    score_calls,
    score_expectation,
    tool_weights,
)
from proctor.transcript import Reply, ToolCall


def want(name: str, step: int | None = None, **arguments: Any) -> ExpectedCall:
    return ExpectedCall(name=name, arguments=arguments, step=step)


def made(name: str, step: int | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, step=step)


def values(score: ToolScore) -> tuple[float, ...]:
    return score.selection, score.parameters, score.sequence, score.utilisation, score.overall


A, B, C, D = (want(name, x=1) for name in "abcd")
a, b, c, d = (made(name, x=1) for name in "abcd")


def test_of_two_calls_only_those_count_whose_result_is_of_use() -> None:
    free = ExpectedCall(name="log", must_use_result=False)
    must = ExpectedCall(name="look", must_use_result=True)
    used = [ToolCall(name="log", result="entry 9921"), ToolCall(name="look", result="Tromso")]
    score = score_calls([free, must], used, answer="It is in Tromso.")
    assert (score.utilisation, score.is_correct, score.undecided) == (1.0, True, ())
    score = score_calls([free, must], used, answer="It is in entry 9921.", threshold=0.0)
    assert (score.utilisation, score.is_correct) == (0.0, False)
    untold = [used[0], ToolCall(name="look")]
    assert [match.used.name for match in score_calls([free, must], untold, answer="?").undecided] == ["look"]
    assert score_calls([free, must], untold, answer="?", flag=True).undecided == ()


TABLE = {
    "perfect two calls": ([A, B], [a, b], (1, 1, 1, 1, 1), True),
    "two perfect calls of one tool": (
        [want("a", x=1), want("a", x=2)],
        [made("a", x=1), made("a", x=2)],
        (1,) * 5,
        True,
    ),
    "1 of 2 expected missing": ([A, B], [a], (0.5, 0.5, 0.5, 1, 0.625), False),
    "1 extra tool": ([A], [a, b], (0.5, 1, 1, 1, 0.875), False),
    "one right, one wrong tool of 2": ([A, B], [a, c], (1 / 3, 0.5, 0.5, 1, 7 / 12), False),
    "3 same calls, 1 expected": ([A], [a, a, a], (1 / 3, 1, 1, 1, 5 / 6), False),
    "1 used, 3 expected of one tool": ([A, A, A], [a], (1 / 3, 1 / 3, 1 / 3, 1, 0.5), False),
    "extra call in front": ([A, B], [c, a, b], (2 / 3, 1, 1, 1, 11 / 12), False),
    "reversed (2 calls)": ([A, B], [b, a], (1, 1, 0, 1, 0.75), False),
    "reversed (3 calls)": ([A, B, C], [c, b, a], (1, 1, 0, 1, 0.75), False),
    "parallel though order asked": ([A, B], [made("a", 1, x=1), made("b", 1, x=1)], (1, 1, 0, 1, 0.75), False),
    "last of four called first": ([A, B, C, D], [d, a, b, c], (1, 1, 0.5, 1, 0.875), False),
    "one of two arguments wrong": ([want("a", x=1, y=2)], [made("a", x=1, y=3)], (1, 0.5, 1, 1, 0.875), False),
    "one extra argument": ([A], [made("a", x=1, y=3)], (1, 0.5, 1, 1, 0.875), False),
    "none expected one used": ([], [a], (0,) * 5, False),
    "expected none used": ([A], [], (0,) * 5, False),
    "none expected none used": ([], [], (1,) * 5, True),
}


@pytest.mark.parametrize("row", TABLE)
def test_every_row_of_the_table_of_definitions(row: str) -> None:
    expected, used, wanted, correct = TABLE[row]
    score = score_calls(expected, used, ordered=True, flag=True)
    assert values(score) == pytest.approx(wanted)
    assert score.is_correct is correct


def test_calls_of_one_tool_are_matched_by_their_arguments_and_then_judged_by_order() -> None:
    expected = [want("search", q=1), want("search", q=2), want("search", q=3)]
    used = [made("search", q=3), made("search", q=2), made("search", q=1)]
    assert values(score_calls(expected, used, flag=True)) == (1, 1, 1, 1, 1)
    assert score_calls(expected, used, ordered=True, flag=True).sequence == 0


def test_steps_give_a_partial_order() -> None:
    expected = [want("plan", 1), want("left", 2), want("right", 2), want("merge", 3)]
    right_first = [made("plan", 1), made("right", 2), made("left", 3), made("merge", 4)]
    together = [made("plan", 1), made("left", 2), made("right", 2), made("merge", 3)]
    late_plan = [made("left", 1), made("right", 1), made("plan", 2), made("merge", 3)]
    assert score_calls(expected, right_first, ordered=True).sequence == 1
    assert score_calls(expected, together, ordered=True).sequence == 1
    assert score_calls(expected, late_plan, ordered=True).sequence == pytest.approx(3 / 5)


def test_the_place_in_the_list_counts_where_a_used_call_has_no_step() -> None:
    used = [made("b", 2, x=1), made("a", x=1)]
    assert score_calls([A, B], used, ordered=True).sequence == 0


def test_an_optional_call_counts_only_where_it_was_made() -> None:
    optional = ExpectedCall(name="c", arguments={"x": 1}, may_be_absent=True)
    assert values(score_calls([A, optional], [a], flag=True)) == (1, 1, 1, 1, 1)
    assert values(score_calls([A, optional], [a, c], flag=True)) == (1, 1, 1, 1, 1)
    assert score_calls([A, optional], [a, made("c", x=2)], flag=True).parameters == 0.5
    assert score_calls([optional], [], flag=True).is_correct


def test_a_call_answers_a_required_one_before_an_optional_one() -> None:
    maybe = ExpectedCall(name="a", arguments={"x": 1}, may_be_absent=True)
    assert score_calls([maybe, A], [a], flag=True).is_correct
    many = [maybe] * 5 + [A] * 3
    assert score_calls(many, [a] * 3, flag=True).is_correct


def test_extra_calls_are_free_where_that_is_said() -> None:
    assert values(score_calls([A], [b, a, c], extra_allowed=True, flag=True)) == (1, 1, 1, 1, 1)
    assert score_calls([], [a], extra_allowed=True).is_correct
    assert score_calls([A], [b], extra_allowed=True).overall == 0


def test_an_empty_list_allows_no_call_also_where_extra_ones_are_free() -> None:
    reply = Reply(text="", tool_calls=(ToolCall(name="search"),))
    score = score_expectation(Expectation(tool_calls=(), extra_allowed=True), reply)
    assert score is not None
    assert not score.is_correct
    assert score.explanation == "extra search()"


def test_a_failed_call_that_is_repeated_is_an_extra_one() -> None:
    broken = ToolCall(name="a", arguments={"x": 1}, error="timeout")
    assert score_calls([A], [broken, a]).selection == 0.5
    assert score_calls([A], [broken, a], extra_allowed=True).is_correct


def test_the_best_of_several_right_trajectories_counts() -> None:
    ways = [Expectation(tool_calls=calls, ordered=True, result_used=True) for calls in ((A, B), (C,))]
    found = [best_score(ways, Reply(text="", tool_calls=(call,))) for call in (c, a)]
    assert [score.overall for score in found if score] == [1.0, 0.625]
    assert best_score([], Reply(text="")) is None


def test_a_reply_without_stated_calls_is_not_judged_and_an_empty_list_expects_none() -> None:
    reply = Reply(text="8", tool_calls=(a,))
    assert score_expectation(Expectation(), reply) is None
    nothing = score_expectation(Expectation(tool_calls=()), reply)
    assert nothing is not None
    assert nothing.overall == 0


def test_an_expectation_s_own_settings_are_used() -> None:
    expect = Expectation(tool_calls=(A, B), ordered=True, tool_threshold=0.6, result_used=True)
    score = score_expectation(expect, Reply(text="", tool_calls=(a,)))
    assert score is not None
    assert (score.overall, score.is_correct) == (0.625, True)


# --- use of results -----------------------------------------------------------------------------------------


def with_result(result: Any, name: str = "tool", **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, result=result)


def utilisation(
    result: Any, answer: str, *, question: str = "", flag: bool | None = None, **arguments: Any
) -> ToolScore:
    call = with_result(result, **arguments)
    return score_calls([want("tool", **arguments)], [call], question=question, answer=answer, flag=flag)


def test_a_result_that_stands_in_the_answer_was_used() -> None:
    assert utilisation(8, "The result is 8.", question="What is 5 + 3?", a=5, b=3).utilisation == 1


def test_a_result_that_stands_nowhere_was_not_used_whatever_the_caller_says() -> None:
    score = utilisation(8, "The result is 9.", flag=True)
    assert (score.utilisation, score.is_correct) == (0, False)
    assert "result of tool() not used" in score.explanation


def test_a_result_used_by_a_later_call_was_used() -> None:
    calls = [with_result({"id": "ORD-7781"}, "find"), with_result(None, "cancel", order="ORD-7781")]
    expected = [want("find"), want("cancel", order="ORD-7781")]
    assert score_calls(expected, calls, answer="Done.").utilisation == 1
    assert score_calls(expected[::-1], calls[::-1], answer="Done.").utilisation == 0


def test_without_a_judgeable_result_the_caller_s_word_counts() -> None:
    assert utilisation(None, "Done.", flag=True).utilisation == 1
    assert utilisation(None, "Done.", flag=False).utilisation == 0
    assert utilisation(True, "Done.", flag=False).overall == 0.75


def test_without_result_or_word_the_aspect_has_no_weight_and_that_is_said() -> None:
    score = score_calls([A, B], [a], ordered=True)
    assert score.utilisation == 1.0
    assert score.overall == pytest.approx(0.5)
    assert "not applicable" in score.explanation


def test_a_failed_call_has_no_result_to_use() -> None:
    failed = ToolCall(name="a", arguments={"x": 1}, result=77, error="no such row")
    assert score_calls([A], [failed], answer="nothing", flag=None).utilisation_by == "nothing"


def test_all_weight_on_an_aspect_that_does_not_apply_is_full_marks() -> None:
    weights = {"selection": 0.0, "parameters": 0.0, "sequence": 0.0, "utilization": 1.0}
    assert score_calls([A], [made("a", x=2)], weights=weights).overall == 1.0


# --- explanation --------------------------------------------------------------------------------------------


def test_the_explanation_lists_what_matched_was_missing_extra_wrong_and_out_of_order() -> None:
    expected = [want("search", q="rome"), want("read", page=3), want("save", path="x")]
    used = [made("read", page=4), made("search", q="rome"), made("delete", path="x")]
    said = score_calls(expected, used, ordered=True, flag=False).explanation
    assert said == (
        "matched search(q='rome'); matched read with wrong arguments: page=4, expected 3; missing save(path='x'); "
        "extra delete(path='x'); out of order: read(page=4) → search(q='rome'), expected search(q='rome') → "
        "read(page=3); results not used, by the caller's word"
    )


def test_the_explanation_of_nothing_says_so_and_long_values_are_cut() -> None:
    assert score_calls([], []).explanation == "no tool call was expected and none was made"
    assert len(score_calls([want("a", x="y" * 9999)], [made("a", x="y" * 9999)], flag=True).explanation) < 100


# --- weights ------------------------------------------------------------------------------------------------


def test_weights_are_normalised_by_their_sum_whatever_it_is() -> None:
    assert tool_weights({"selection": 2, "parameters": 1, "sequence": 1, "utilization": 0}) == {
        "selection": 0.5,
        "parameters": 0.25,
        "sequence": 0.25,
        "utilization": 0.0,
    }
    over = {**EQUAL_WEIGHTS, "selection": 0.2500000000000002}
    assert sum(over.values()) == 1.0000000000000002
    assert sum(tool_weights(over).values()) == pytest.approx(1)
    assert tool_weights(None) == EQUAL_WEIGHTS
    assert tool_weights(dict.fromkeys(EQUAL_WEIGHTS, 1e308)) == EQUAL_WEIGHTS


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"selection": 1.0}, "lacks 'parameters', 'sequence', 'utilization'"),
        ({**EQUAL_WEIGHTS, "sequence": -0.1}, r"tool_weights\['sequence'\]=-0.1"),
        ({**EQUAL_WEIGHTS, "sequence": math.nan}, "nan"),
        ({**EQUAL_WEIGHTS, "sequence": math.inf}, "inf"),
        ({**EQUAL_WEIGHTS, "sequence": True}, "True"),
        ({**EQUAL_WEIGHTS, "sequence": "1"}, "'1'"),
        (dict.fromkeys(ASPECTS, 0), "all zero"),
        ({**EQUAL_WEIGHTS, "utilisation": 0.1}, "did you mean 'utilization'"),
        ([0.25] * 4, "not a dict"),
    ],
)
def test_weights_that_cannot_be_used_are_named(weights: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        tool_weights(weights)


# --- properties ---------------------------------------------------------------------------------------------

names = st.sampled_from("ab")
arguments = st.dictionaries(st.sampled_from("xy"), st.sampled_from([1, 2]), max_size=2)
expected_calls = st.lists(
    st.builds(lambda name, given: ExpectedCall(name=name, arguments=given), names, arguments), max_size=5
)
used_calls = st.lists(st.builds(lambda name, given: ToolCall(name=name, arguments=given), names, arguments), max_size=5)
weightings = st.fixed_dictionaries(dict.fromkeys(ASPECTS, st.sampled_from([0.0, 0.1, 1.0])))


@settings(max_examples=300, deadline=None)
@given(expected=expected_calls, used=used_calls, weights=weightings, ordered=st.booleans(), flag=st.booleans())
def test_full_marks_mean_that_nothing_is_wrong_in_any_aspect_with_weight(
    expected: list[ExpectedCall], used: list[ToolCall], weights: dict[str, float], ordered: bool, flag: bool
) -> None:
    if not any(weights.values()):
        return
    score = score_calls(expected, used, ordered=ordered, flag=flag, weights=weights)
    assert all(0 <= value <= 1 for value in values(score))
    if not score.matches:
        assert score.is_correct == (not expected and not used)
        return
    times = [match.time for match in score.matches]
    wrong = {
        "selection": bool(score.missing or score.extra),
        "parameters": bool(score.missing) or any(match.fit < 1 for match in score.matches),
        "sequence": ordered and (bool(score.missing) or times != sorted(times)),
        "utilization": not flag,
    }
    assert score.is_correct == (not any(wrong[aspect] for aspect in ASPECTS if weights[aspect] > 0))


@settings(max_examples=200, deadline=None)
@given(used=used_calls, ordered=st.booleans(), data=st.data())
def test_a_trajectory_against_itself_is_perfect_in_any_order_unless_order_matters(
    used: list[ToolCall], ordered: bool, data: st.DataObject
) -> None:
    expected = [ExpectedCall(name=call.name, arguments=call.arguments) for call in used]
    assert score_calls(expected, used, ordered=ordered, flag=True).overall == 1.0
    shuffled = data.draw(st.permutations(used))
    assert score_calls(expected, shuffled, flag=True).overall == 1.0


# Names of tools, folded


FOLDED = ["getWeather", "get_weather", "get-weather", "GET.WEATHER", "Get Weather"]


@pytest.mark.parametrize("name", FOLDED)
def test_names_that_differ_in_case_and_separators_are_one_where_they_are_folded(name: str) -> None:
    wanted = [ExpectedCall(name="getWeather", arguments={"city": "Ghent"})]
    used = [ToolCall(name=name, arguments={"city": "Ghent"})]
    assert score_calls(wanted, used, fold_names=True).is_correct
    assert score_calls(wanted, used).is_correct == (name == "getWeather")


def test_other_names_stay_other_names_when_folded() -> None:
    used = [ToolCall(name="get_weathers")]
    assert not score_calls([ExpectedCall(name="getWeather")], used, fold_names=True).is_correct


def test_an_expectation_says_whether_names_are_folded() -> None:
    reply = Reply(text="", tool_calls=(ToolCall(name="get_weather"),))
    expect = Expectation(tool_calls=(ExpectedCall(name="getWeather"),), fold_names=True)
    scored = score_expectation(expect, reply)
    assert scored is not None
    assert scored.is_correct
