"""Resources: the table worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.findings.orchestration.made import attempt, exam, step, tokens

from proctor.findings.orchestration.outline import outline
from proctor.findings.orchestration.resources import ITSELF, Resources, ResourceUse, spent_by
from proctor.run import Attempt
from proctor.transcript import Step, ToolCall, Transcript, Turn
from proctor.usage import Usage


def used(steps: list[Step], usage: Usage | None = None) -> Resources:
    found = outline(exam(), attempt(steps, usage=usage))
    assert found is not None
    return found.resources


PLAN = step("p", "plan", usage=tokens(100, 0.1))
FIND = step("d", "delegate", "find", agent="researcher", usage=tokens(300, 0.1))
SEARCH = step("t", "tool", "search", parent="d", usage=tokens(200, 0.2))

#  what                                            steps                  whole        shares of tokens
TABLE: list[tuple[str, list[Step], Usage | None, dict[str, float]]] = [
    ("each its own", [PLAN, FIND], None, {"researcher": 0.75, ITSELF: 0.25}),
    ("a tool's are its sub-agent's", [PLAN, FIND, SEARCH], tokens(600), {"researcher": 5 / 6, ITSELF: 1 / 6}),
    ("added up again in the delegation", [PLAN, FIND, SEARCH], tokens(400), {"researcher": 0.75, ITSELF: 0.25}),
    ("nothing told", [step("p", "plan")], tokens(400), {}),
]


@pytest.mark.parametrize(("what", "steps", "whole", "shares"), TABLE)
def test_the_table_worked_out_by_hand(
    what: str, steps: list[Step], whole: Usage | None, shares: dict[str, float]
) -> None:
    found = used(steps, whole)
    assert found.tokens == pytest.approx(shares), what
    assert list(found.tokens) == list(shares), what


def test_shares_of_the_cost_are_known_only_where_all_costs_are() -> None:
    assert used([PLAN, FIND, SEARCH]).cost == pytest.approx({"researcher": 0.75, ITSELF: 0.25})
    assert used([PLAN, step("d", "delegate", "find", usage=tokens(5))]).cost == {}


#  limit                       what was used                                              kept
LIMITS: list[tuple[dict[str, float], dict[str, Any], float | None]] = [
    ({"tokens": 400}, {"usage": tokens(400)}, 1),
    ({"tokens": 399}, {"usage": tokens(400)}, 0),
    ({"tokens": 1000, "cost": 0.02}, {"usage": tokens(400, 0.03)}, 0.5),
    ({"cost": 0.3}, {"usage": tokens(1, 0.1 + 0.2)}, 1),
    ({"cost": 0.02}, {"usage": tokens(400)}, None),
    ({"tool_calls": 1}, {"calls": (ToolCall(name="a"), ToolCall(name="b"))}, 0),
    ({"tool_calls": 1}, {}, 1),
    ({"seconds": 2}, {"seconds": 2.5}, 0),
    ({"patience": 2}, {"seconds": 2.5}, None),
    ({}, {"seconds": 2.5}, None),
]


@pytest.mark.parametrize(("limits", "spent", "kept"), LIMITS)
def test_the_table_of_limits(limits: dict[str, float], spent: dict[str, Any], kept: float | None) -> None:
    found = outline(exam(limits=limits), attempt([step("t", "tool", "search")], **spent))
    assert found is not None
    assert found.resources.kept.value == kept
    assert len(found.resources.limits) == len(limits)


def test_what_was_spent_is_as_the_reply_tells_else_as_its_steps_do() -> None:
    assert spent_by(attempt([PLAN, FIND], usage=tokens(900, 2.0), seconds=3.0)) == ResourceUse(
        tokens=900, cost=2.0, tool_calls=0, seconds=3.0
    )
    by_steps = spent_by(attempt([PLAN, FIND, SEARCH]))
    assert (by_steps.tokens, by_steps.tool_calls) == (600, 1)
    assert by_steps.cost == pytest.approx(0.4)


def test_a_reply_that_did_not_come_tells_nothing_and_not_zero() -> None:
    lost = attempt().transcript.turns[0]
    silent = Transcript(turns=(lost, Turn(number=2, question="And?")))
    assert spent_by(Attempt(key=attempt().key, transcript=silent)) == ResourceUse(
        tokens=None, cost=None, tool_calls=None, seconds=None
    )
