"""Coordination: the table worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.findings.orchestration.made import step, turns

from proctor.findings.orchestration.outline import coordination
from proctor.transcript import Step, ToolCall

FIND = step("a", "delegate", "find sources", agent="researcher")
AGAIN = step("b", "delegate", "Find sources", agent="Researcher")
OTHER_TASK = step("c", "delegate", "check sources", agent="researcher")
WRITER_FINDS = step("d", "delegate", "find sources", agent="writer")
BROKEN = step("e", "delegate", "find sources", agent="researcher", status="error")
UNTOLD = step("f", "delegate", "researcher")
TOOL = step("t", "tool", "search")
BY_TASK = {"steps": ({"kind": "delegate", "name": "find sources", "agent": "researcher"},)}

#  what                            steps                    expected                       hand-offs  right  twice
TABLE: list[tuple[str, list[Step], dict[str, Any], int, float | None, int]] = [
    ("nothing expected", [FIND, WRITER_FINDS], {}, 2, None, 0),
    ("the sub-agents expected", [FIND, WRITER_FINDS], {"sub_agents": ("researcher",)}, 2, 0.5, 0),
    ("the sub-agent for the task", [FIND, WRITER_FINDS], BY_TASK, 2, 0.5, 0),
    ("the task goes before the list", [WRITER_FINDS], {**BY_TASK, "sub_agents": ("writer",)}, 1, 0, 0),
    ("another task of those expected", [OTHER_TASK], BY_TASK, 1, 1, 0),
    ("the same task twice", [FIND, TOOL, AGAIN], {}, 2, None, 1),
    ("another task", [FIND, OTHER_TASK], {}, 2, None, 0),
    ("tried again after a failure", [BROKEN, FIND], {}, 2, None, 0),
    ("and again after the success", [BROKEN, FIND, AGAIN], {}, 3, None, 1),
    ("no task told", [UNTOLD, UNTOLD], {}, 2, None, 0),
    ("no delegation", [TOOL], {"sub_agents": ("researcher",)}, 0, None, 0),
]


@pytest.mark.parametrize(("what", "steps", "expect", "hand_offs", "right", "twice"), TABLE)
def test_the_table_worked_out_by_hand(
    what: str, steps: list[Step], expect: dict[str, Any], hand_offs: int, right: float | None, twice: int
) -> None:
    found = coordination(turns(steps, **expect))
    assert found.hand_offs == hand_offs, what
    assert found.right.value == right, what
    assert found.repeats == twice, what
    assert found.distinct.value == ((hand_offs - twice) / hand_offs if hand_offs else None)


def test_what_the_tool_call_was_given_is_part_of_the_task() -> None:
    steps = [step(id, "delegate", "task", agent="researcher", call=id) for id in ("one", "two", "same")]  # noqa: A001
    calls = tuple(
        ToolCall(id=id, name="task", arguments={"about": about})
        for id, about in (("one", "apples"), ("two", "pears"), ("same", "pears"))  # noqa: A001
    )
    assert coordination(turns(steps, calls)).repeats == 1


def test_an_expected_step_that_cannot_be_read_judges_nothing() -> None:
    assert coordination(turns([FIND], steps=({"kind": "delegate", "agnet": "x"},))).right.value is None
