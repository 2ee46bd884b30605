"""Expected sub-agents and steps against what was done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from tests.findings.orchestration.made import ODD_STEPS, step

from proctor.benchmark import Expectation
from proctor.errors import InputError
from proctor.findings.orchestration.expected import judge_steps, missing_sub_agents, read_steps
from proctor.transcript import Step

DONE = [
    step("p", "plan", at=(0, 1)),
    step("d1", "delegate", "find sources", at=(1, 5), agent="researcher"),
    step("t1", "tool", "search", at=(2, 3), parent="d1"),
    step("d2", "delegate", "draw charts", at=(2, 6), agent="artist"),
    step("d3", "delegate", "write", at=(6, 9), agent="writer"),
    step("r", "re-plan", at=(9, 10)),
    step("d4", "delegate", "write", at=(10, 12), agent="writer"),
]
#  what is expected                                                       passed  seen
TABLE: list[tuple[Any, bool | None, str]] = [
    ("plan", True, "taken: p"),
    ({"kind": "plan"}, True, "taken: p"),
    ({"kind": "delegate", "agent": "Researcher"}, True, "taken: d1"),
    ({"kind": "delegate", "agent": "lawyer"}, False, "taken 0 of 1 times"),
    ({"kind": "delegate", "name": "write", "agent": "artist"}, False, "taken 0 of 1 times"),
    ({"kind": "tool", "agent": "researcher"}, True, "taken: t1"),
    ({"name": "search"}, True, "taken: t1"),
    ({"kind": "delegate", "after": "plan"}, True, "taken: d1, d2, d3, d4"),
    ({"kind": "delegate", "after": {"kind": "re-plan"}}, False, "d1 does not follow re-plan"),
    ({"kind": "delegate", "agent": "writer", "after": ["researcher", "artist"]}, True, "taken: d3, d4"),
    ({"kind": "delegate", "agent": "artist", "after": "researcher"}, False, "d2 does not follow researcher"),
    ({"kind": "tool", "after": "delegate"}, True, "taken: t1"),
    ({"kind": "delegate", "agent": "writer", "after": "review"}, False, "which was not taken"),
    ({"kind": "delegate", "agent": "artist", "parallel_with": "researcher"}, True, "taken: d2"),
    ({"kind": "delegate", "agent": "writer", "parallel_with": "artist"}, False, "not in parallel with artist"),
    ({"kind": "tool", "parallel_with": {"name": "find sources"}}, False, "not in parallel"),
    ({"kind": "tool", "parallel_with": {"name": "draw charts"}}, True, "taken: t1"),
    ({"kind": "delegate", "parallel_with": "review"}, False, "which was not taken"),
    ({"kind": "delegate", "max": 3}, False, "taken 4 times, expected at most 3"),
    ({"kind": "delegate", "min": 4, "max": 4}, True, "taken: d1, d2, d3, d4"),
    ({"kind": "delegate", "min": 5}, False, "taken 4 of 5 times"),
    ({"kind": "error", "max": 0}, True, "not taken, as expected"),
    ({"kind": "re-plan", "max": 0}, False, "taken 1 times, expected at most 0"),
    ({"kind": "error", "min": 0}, True, "not taken, as expected"),
    ({"kind": "plan", "agnet": "x"}, None, "the key 'agnet'"),
    ({}, None, "names a step by {}"),
]


@pytest.mark.parametrize(("expected", "passed", "seen"), TABLE)
def test_the_table_of_expected_steps(expected: Any, passed: bool | None, seen: str) -> None:
    [verdict] = judge_steps([expected], DONE)
    assert verdict.passed is passed, verdict
    assert seen in verdict.evidence


def verdicts(expected: list[Any], steps: list[Step] = DONE) -> list[bool | None]:
    return [verdict.passed for verdict in judge_steps(expected, steps)]


def test_without_a_word_about_it_any_order_will_do() -> None:
    assert verdicts(["delegate", "plan"]) == [True, True]


def test_in_order_means_a_subsequence_of_what_was_done() -> None:
    def ordered(kind: str) -> dict[str, Any]:
        return {"kind": kind, "ordered": True}

    assert verdicts(["plan", ordered("delegate"), ordered("re-plan"), ordered("delegate")]) == [True] * 4
    assert verdicts(["re-plan", ordered("plan")]) == [True, False]
    assert verdicts(["re-plan", ordered("delegate"), ordered("tool")]) == [True, True, False]


def test_what_ran_at_the_same_time_is_not_in_order() -> None:
    assert verdicts([{"name": "find sources"}, {"name": "draw charts", "ordered": True}]) == [True, False]
    assert verdicts([{"name": "find sources"}, {"name": "write", "ordered": True}]) == [True, True]


def test_what_must_not_happen_is_no_place_in_the_order() -> None:
    assert verdicts(["plan", {"kind": "error", "max": 0}, {"kind": "delegate", "ordered": True}]) == [True, True, True]


def test_the_same_entry_twice_asks_for_two_steps() -> None:
    assert verdicts(["re-plan", "re-plan"]) == [True, False]
    assert verdicts([{"agent": "writer"}, {"agent": "writer"}]) == [True, True]


def test_parallel_work_without_times_is_not_checkable() -> None:
    untimed = [step("a", "delegate", "researcher"), step("b", "delegate", "artist")]
    [verdict] = judge_steps([{"agent": "artist", "parallel_with": "researcher"}], untimed)
    assert verdict.passed is None
    assert "times" in verdict.evidence


def test_a_kind_of_ones_own_can_be_expected() -> None:
    assert verdicts(["review"], [step("a", "review", "check it")]) == [True]
    assert verdicts(["review"], [step("a", "dance", "check it")]) == [False]


def test_a_sub_agent_is_there_when_it_was_delegated_to_or_did_anything() -> None:
    expect = Expectation(sub_agents=("researcher", "Art Department", "writer", "lawyer"))
    steps = [
        step("d", "delegate", "researcher"),
        step("t", "tool", "draw", agent="art_department"),
        step("e", "error", "writer is not there", agent="writer"),
    ]
    assert missing_sub_agents(expect, steps) == ("writer", "lawyer")
    assert missing_sub_agents(Expectation(), steps) == ()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"knd": "plan"}, "key 'knd'"),
        ({"kind": "plan", "max": -1}, "max=-1"),
        ({"kind": "plan", "max": True}, "max=True"),
        ({"kind": "plan", "min": 3, "max": 2}, "min=3 above max=2"),
        ({"kind": "plan", "ordered": "yes"}, "ordered='yes'"),
        ({"kind": 3}, "names a step by {'kind': 3}"),
        ({"kind": "plan", "after": [7]}, "names a step by 7"),
        ({"kind": "plan", "after": {"max": 1}}, "names a step by {'max': 1}"),
        ({"after": "plan"}, "names a step by {}"),
        ("", "names a step by"),
    ],
)
def test_an_entry_that_cannot_be_used_says_why(entry: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read_steps([entry])
    assert said in str(raised.value)


@given(ODD_STEPS)
def test_no_steps_are_too_odd_to_judge(steps: list[Step]) -> None:
    entries = [entry for entry, _, _ in TABLE]
    assert len(judge_steps(entries, steps)) == len(entries)
