from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from tests.findings.orchestration.made import ODD_STEPS, attempt, exam, step, tokens

from proctor.benchmark import Case, Exam, Expectation
from proctor.codec import encode
from proctor.findings.orchestration.outline import outline
from proctor.run import Attempt, Key
from proctor.transcript import Reply, Step, Transcript, Turn

REPORT = [
    step("p", "plan", at=(0, 1), detail="1. researcher: find sources\n2. writer: write", usage=tokens(100)),
    step("a", "delegate", "find sources", at=(1, 5), agent="researcher", usage=tokens(300)),
    step("b", "delegate", "draw", at=(1, 3), agent="artist", status="error", usage=tokens(100)),
    step("r", "re-plan", at=(5, 5.5)),
    step("c", "delegate", "write", at=(5.5, 8), agent="writer", usage=tokens(500)),
]


def test_an_attempt_without_steps_has_no_outline() -> None:
    assert outline(exam(), attempt()) is None
    assert outline(exam(), Attempt(key=Key(run="r", exam="c1"))) is None


def test_one_attempt_in_outline() -> None:
    found = outline(
        exam(sub_agents=("researcher", "writer"), limits={"tokens": 900}),
        attempt(REPORT, usage=tokens(1000), seconds=8.0),
    )
    assert found is not None
    assert found.steps == {"plan": 1, "delegate": 3, "re-plan": 1}
    assert found.shares() == pytest.approx(
        {
            "planned": 1,
            "used": 1,
            "done": 1,
            "right": 2 / 3,
            "distinct": 1,
            "overlap": 2 / 8,
            "time_needed": 8 / 10,
            "critical": 1,
            "recovered": 1,
            "kept": 0,
        }
    )
    assert found.resources.tokens == pytest.approx(
        {"writer": 0.5, "researcher": 0.3, "artist": 0.1, "orchestrator": 0.1}
    )
    assert (found.spent.tokens, found.spent.seconds, found.spent.cost) == (1000, 8, None)
    assert found.oddities == {}


def test_each_turn_is_held_to_its_own_case() -> None:
    def turn(number: int, case: str | None) -> Turn:
        steps = (step("d", "delegate", f"task {number}", agent="researcher"),)
        return Turn(number=number, question="?", reply=Reply(text="", steps=steps), case=case)

    cases = [Case(id=name, question="?", expect=Expectation(sub_agents=(name,))) for name in ("researcher", "writer")]
    transcript = Transcript(turns=(turn(1, "researcher"), turn(2, "writer"), turn(3, None)))
    played = Attempt(key=Key(run="r", exam="e"), transcript=transcript, finished=True)
    found = outline(Exam(id="e", cases=tuple(cases)), played)
    assert found is not None
    assert (found.planning.used.met, found.planning.used.of) == (("researcher",), ("researcher", "writer"))
    assert found.coordination.hand_offs == 3


HELD_TO: dict[str, Any] = {
    "sub_agents": ("researcher", ""),
    "steps": ("plan", {"kind": "delegate", "after": "plan", "parallel_with": "tool"}, {"odd": 1}, {"name": "→"}),
    "limits": {"tokens": 5, "seconds": 1, "nonsense": 3},
}


@given(ODD_STEPS)
def test_no_steps_are_too_odd_for_an_outline(steps: list[Step]) -> None:
    found = outline(exam(**HELD_TO), attempt(steps))
    assert (found is None) == (not steps)
    if found is not None:
        assert sum(found.steps.values()) == len(steps)
        assert all(0 <= value <= 1 for value in found.shares().values())
        encode(found)
