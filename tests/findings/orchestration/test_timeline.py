from __future__ import annotations

from hypothesis import given
from tests.findings.orchestration.made import ODD_STEPS, step

from proctor.findings.orchestration.timeline import timeline
from proctor.transcript import Step


def test_steps_stand_under_those_they_are_part_of_by_their_starts() -> None:
    drawn = timeline(
        [
            step("w", "delegate", "write", at=(106, 109), agent="writer"),
            step("t2", "tool", "read", at=(104, 105), parent="d"),
            step("t1", "tool", "search", at=(102, 103), parent="d", status="error"),
            step("d", "delegate", "find", at=(101, 106), agent="researcher"),
            step("p", "plan", at=(100, 101)),
        ]
    )
    assert [(lane.id, lane.depth, lane.start, lane.length) for lane in drawn.lanes] == [
        ("p", 0, 0, 1),
        ("d", 0, 1, 5),
        ("t1", 1, 2, 1),
        ("t2", 1, 4, 1),
        ("w", 0, 6, 3),
    ]
    assert drawn.seconds == 9
    assert [lane.agent for lane in drawn.lanes] == [None, "researcher", "researcher", "researcher", "writer"]
    assert [lane.failed for lane in drawn.lanes] == [False, False, True, False, False]
    assert all(lane.critical for lane in drawn.lanes)


def test_a_step_off_the_critical_path_is_not_marked() -> None:
    drawn = timeline([step("a", "tool", at=(0, 4)), step("b", "tool", at=(1, 2))])
    assert {lane.id: lane.critical for lane in drawn.lanes} == {"a": True, "b": False}


def test_steps_without_times_come_last_and_are_kept() -> None:
    drawn = timeline([step("x", "tool"), step("a", "tool", at=(3, 1)), step("b", "tool", at=(0, 1))])
    assert [(lane.id, lane.start, lane.length) for lane in drawn.lanes] == [
        ("b", 0, 1),
        ("a", 3, None),
        ("x", None, None),
    ]
    assert drawn.seconds == 3


def test_no_steps_make_no_lanes() -> None:
    assert timeline([]).lanes == ()


@given(ODD_STEPS)
def test_every_step_has_one_lane_that_lies_on_the_line(steps: list[Step]) -> None:
    drawn = timeline(steps)
    assert sorted(lane.id for lane in drawn.lanes) == sorted(each.id for each in steps)
    for lane in drawn.lanes:
        assert lane.start is None or 0 <= lane.start <= drawn.seconds
        assert lane.length is None or 0 <= lane.length <= drawn.seconds
