"""Planning: the table worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.findings.orchestration.made import step, turns

from proctor.findings.orchestration.outline import planning
from proctor.transcript import Step, ToolCall

PLAN = step("p", "plan", detail="1. researcher: find sources\n2. artist: draw charts\n3. check the numbers")
FIND = step("d1", "delegate", "find sources", agent="researcher")
DRAW = step("d2", "delegate", "charts of sales", agent="painter")
CHECK = step("t", "tool", "calculator", detail="checked all numbers")
BROKEN = step("d1", "delegate", "find sources", agent="researcher", status="error")
TWO: dict[str, Any] = {"sub_agents": ("researcher", "artist")}

#  what                                steps                      expected          planned  used   done
TABLE: list[tuple[str, list[Step], dict[str, Any], float | None, float | None, float | None]] = [
    ("all planned, one used", [PLAN, FIND], TWO, 1, 0.5, 1 / 3),
    ("nothing expected", [PLAN, FIND, CHECK], {}, None, None, 2 / 3),
    ("done by words in common", [PLAN, FIND, DRAW, CHECK], {}, None, None, 2 / 3),
    ("half the words will do", [step("p", "plan", detail="- draw charts"), DRAW], {}, None, None, 1),
    ("one of two planned", [step("p", "plan", detail="Ask the researcher."), FIND], TWO, 0.5, 0.5, None),
    ("no plan told", [FIND], TWO, None, 0.5, None),
    ("a plan without content", [step("p", "plan", "plan it"), FIND], TWO, None, 0.5, None),
    ("failed is not done", [PLAN, BROKEN], {}, None, None, 0),
    ("done before it was planned", [FIND, PLAN], {}, None, None, 0),
    ("the last plan is in force", [PLAN, FIND, step("r", "re-plan", detail="* ask the researcher")], {}, None, None, 1),
    ("only a kind cannot be named", [PLAN, FIND], {"steps": ({"kind": "plan"},)}, None, 1, 1 / 3),
    (
        "a step by its name",
        [PLAN, FIND],
        {"steps": ({"kind": "delegate", "name": "find sources"}, {"kind": "tool", "name": "calculator"})},
        0.5,
        0.5,
        1 / 3,
    ),
]


@pytest.mark.parametrize(("what", "steps", "expect", "planned", "used", "done"), TABLE)
def test_the_table_worked_out_by_hand(
    what: str, steps: list[Step], expect: dict[str, Any], planned: float | None, used: float | None, done: float | None
) -> None:
    found = planning(turns(steps, **expect))
    assert found.planned.value == planned, what
    assert found.used.value == used, what
    assert found.done.value == done, what


def test_every_share_says_what_it_was_computed_from() -> None:
    found = planning(turns([PLAN, FIND], **TWO))
    assert found.plans == 1
    assert (found.used.met, found.used.of) == (("researcher",), ("researcher", "artist"))
    assert found.done.met == ("researcher: find sources",)
    assert found.done.of == ("researcher: find sources", "artist: draw charts", "check the numbers")


@pytest.mark.parametrize(
    ("detail", "entries"),
    [
        ("- one\n* two\n• three", ("one", "two", "three")),
        ("1. one\n2) two\n(3) three\n  Step 4: four", ("one", "two", "three", "four")),
        ('["one", {"agent": "two", "task": "three"}]', ("one", "two, three")),
        ('{"goal": "x", "steps": ["one"]}', ("one",)),
        ("first one, then two", ()),
        ('{"goal": "x"}', ()),
        ("[not json", ()),
        ("[" * 100_000, ()),
    ],
)
def test_a_plan_is_read_as_a_list_where_it_is_one(detail: str, entries: tuple[str, ...]) -> None:
    assert planning(turns([step("p", "plan", detail=detail)])).done.of == entries


def test_a_plan_may_stand_in_its_tool_call() -> None:
    call = ToolCall(id="c", name="write_todos", arguments={"todos": ["ask the researcher"]})
    found = planning(turns([step("p", "plan", call="c"), FIND], (call,), **TWO))
    assert found.planned.met == ("researcher",)
