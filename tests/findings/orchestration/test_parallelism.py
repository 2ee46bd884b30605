"""How work lies in time: a table worked out by hand, and what always holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from tests.findings.orchestration.made import TIMED_STEPS, spans, step, turns

from proctor.findings.orchestration.parallelism import parallelism, parallelism_of
from proctor.findings.orchestration.step_tree import read
from proctor.transcript import Step

#  what                                     begin and end of each step      busy  wall  overlap  speed-up  path  at once
TABLE = [
    ("one after another", [(0, 2), (2, 5)], 5, 5, 0, 1, 5, 1),
    ("all at once", [(0, 4), (0, 4), (0, 4)], 12, 4, 1, 3, 4, 3),
    ("half across", [(0, 4), (2, 6)], 8, 6, 1 / 3, 4 / 3, 4, 2),
    ("a pause is nobody's work", [(0, 2), (8, 10)], 4, 4, 0, 1, 4, 1),
    ("a plan, two at once, a summary", [(0, 1), (1, 5), (1, 3), (5, 6)], 8, 6, 1 / 3, 4 / 3, 6, 2),
    ("the chain of short ones is the longer", [(0, 3), (0, 2), (2, 4), (4, 6)], 9, 6, 0.5, 1.5, 6, 2),
    ("a moment is no work", [(0, 2), (1, 1)], 2, 2, 0, 1, 2, 1),
]


@pytest.mark.parametrize(("what", "times", "busy", "wall", "overlap", "speed_up", "path", "at_once"), TABLE)
def test_the_table_worked_out_by_hand(
    what: str, times: list[tuple[float, float]], busy: float, wall: float, overlap: float, speed_up: float,
    path: float, at_once: int,
) -> None:  # fmt: skip
    found = parallelism(turns(spans(*times)))
    assert found is not None, what
    assert (found.busy, found.wall) == (busy, wall)
    assert found.overlap == pytest.approx(overlap)
    assert found.speed_up == pytest.approx(speed_up)
    assert found.critical_path == path
    assert found.at_once == at_once


def test_the_time_of_sub_steps_is_theirs_and_the_rest_the_delegations() -> None:
    steps = [
        step("a", "delegate", "researcher", at=(0, 10)),
        step("a1", "tool", "search", at=(2, 3), parent="a"),
        step("b", "delegate", "writer", at=(0, 10)),
        step("b1", "tool", "search", at=(6, 7), parent="b"),
    ]
    found = parallelism_of(read(steps))
    assert found is not None
    assert (found.busy, found.wall, found.speed_up) == (20, 10, 2)  # by the tools alone nothing would overlap
    assert found.steps == 4
    assert found.critical_path == 10


def test_the_steps_on_the_critical_path_are_named() -> None:
    found = parallelism_of(read(spans((0, 1), (1, 5), (1, 3), (5, 6))))
    assert found is not None
    assert found.critical_steps == ("t1", "t2", "t4")


def test_without_times_there_is_nothing_to_say() -> None:
    assert parallelism(turns([step("a", "tool"), step("b", "tool", at=(3, 1)), step("c", "tool", at=(2, 2))])) is None


def test_turns_come_one_after_the_other_and_add_up() -> None:
    first, second = turns(spans((0, 4), (0, 4))), turns(spans((0, 2), (2, 4)))
    found = parallelism([*first, *second])
    assert found is not None
    assert (found.busy, found.wall, found.overlap, found.critical_path) == (12, 8, 0.5, 8)
    assert found.speed_up == 1.5


@given(TIMED_STEPS)
def test_the_speed_up_lies_between_one_and_the_number_of_leaves(steps: list[Step]) -> None:
    trail = read(steps)
    found = parallelism_of(trail)
    assert found is not None
    leaves = sum(node.leaf for node in trail.nodes)
    assert 1 <= found.speed_up <= leaves * (1 + 1e-9)
    assert 1 <= found.at_once <= leaves


@given(TIMED_STEPS)
def test_the_overlap_is_a_share_and_the_critical_path_no_longer_than_the_wall_time(steps: list[Step]) -> None:
    found = parallelism_of(read(steps))
    assert found is not None
    assert 0 <= found.overlap <= 1
    assert 0 < found.critical_path <= found.wall <= found.busy
    assert (found.overlap > 0) == (found.at_once > 1) == (found.speed_up > 1)


@given(TIMED_STEPS)
def test_the_wall_time_is_the_union_of_all_steps(steps: list[Step]) -> None:
    found = parallelism_of(read(steps))
    union, reached = 0.0, float("-inf")
    for start, end in sorted((each.start or 0.0, each.end or 0.0) for each in steps):
        union += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    assert found is not None
    assert found.wall == pytest.approx(union)


@given(TIMED_STEPS)
def test_steps_that_are_part_of_none_are_busy_for_all_their_time(steps: list[Step]) -> None:
    flat = [replace(each, parent=None) for each in steps]
    found = parallelism_of(read(flat))
    assert found is not None
    assert found.busy == pytest.approx(sum((each.end or 0.0) - (each.start or 0.0) for each in flat))
