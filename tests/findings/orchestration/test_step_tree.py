from __future__ import annotations

from hypothesis import given
from tests.findings.orchestration.made import ODD_STEPS, step

from proctor.findings.orchestration.step_tree import OTHER, kind_of, mentions, plain, read
from proctor.transcript import Step


def test_a_step_knows_its_depth_and_who_did_it() -> None:
    trail = read(
        [
            step("d", "delegate", "find sources", agent="researcher"),
            step("t", "tool", "search", parent="d"),
            step("p", "plan"),
        ]
    )
    assert [(node.depth, node.agent, node.leaf) for node in trail.nodes] == [
        (0, "researcher", False),
        (1, "researcher", True),
        (0, None, True),
    ]


def test_a_delegation_without_an_agent_is_to_what_it_is_called() -> None:
    [node] = read([step("d", "delegate", "researcher")]).nodes
    assert node.agent == "researcher"


def test_everything_odd_is_kept_and_counted() -> None:
    trail = read(
        [
            step("a", "dance", at=(0, 1), parent="nobody"),
            step("b", "tool", at=(5, 2)),
            step("b", "tool"),
            step("c", "tool", at=(0, float("nan"))),
            step("x", "tool", at=(0, 1), parent="y"),
            step("y", "tool", at=(0, 1), parent="x"),
            step("z", "tool", at=(0, 1), parent="z"),
        ]
    )
    assert len(trail.nodes) == 7
    assert trail.oddities == {
        "end before start": 1,
        "no time": 2,
        "parents in a circle": 3,
        "repeated id": 1,
        "unknown kind": 1,
        "unknown parent": 1,
    }
    assert trail.nodes[0].kind == OTHER
    assert trail.nodes[1].end is None
    assert all(node.parent is None for node in trail.nodes)


def test_only_the_circle_is_cut_and_what_hangs_on_it_stays() -> None:
    trail = read(
        [step("x", "tool", parent="y"), step("y", "tool", parent="x"), step("in", "tool", parent="x")],
    )
    assert [node.depth for node in trail.nodes] == [0, 0, 1]


def test_a_chain_of_any_length_hangs_at_a_hundred_levels() -> None:
    trail = read([step(str(number), "tool", parent=str(number + 1)) for number in range(20_000)])
    assert max(node.depth for node in trail.nodes) == 100
    assert trail.nodes[0].depth == 100


def test_kinds_are_known_in_any_spelling() -> None:
    assert [kind_of(kind) for kind in ("Plan", " TOOL", "replan", "re_plan", "Re-Plan", "dance", "")] == [
        "plan", "tool", "re-plan", "re-plan", "re-plan", OTHER, OTHER,
    ]  # fmt: skip


def test_names_are_the_same_however_their_words_are_joined() -> None:
    assert plain("Research_Agent") == plain("research-agent ") == "research agent"
    assert mentions("1. Ask the Research-Agent.", "research_agent")
    assert not mentions("1. Ask the researchers.", "researcher")


def test_by_the_clock_a_step_follows_when_the_other_has_ended() -> None:
    trail = read([step("late", "tool", at=(2, 3)), step("early", "tool", at=(0, 2)), step("across", "tool", at=(1, 4))])
    late, early, across = trail.nodes
    assert trail.follows(late, early)
    assert not trail.follows(early, late)
    assert not trail.follows(across, early)
    assert not trail.follows(late, across)


def test_without_a_clock_the_list_tells_the_order() -> None:
    trail = read([step("first", "tool", at=(5, 6)), step("second", "tool")])
    first, second = trail.nodes
    assert trail.follows(second, first)
    assert not trail.follows(first, second)


def test_a_step_follows_the_one_it_is_part_of_and_never_the_other_way() -> None:
    for steps in (
        [step("inner", "tool", parent="outer"), step("outer", "delegate", "x")],
        [step("inner", "tool", at=(1, 2), parent="outer"), step("outer", "delegate", "x", at=(0, 3))],
    ):
        trail = read(steps)
        inner, outer = trail.nodes
        assert trail.follows(inner, outer)
        assert not trail.follows(outer, inner)


@given(ODD_STEPS)
def test_no_two_steps_follow_each_other(steps: list[Step]) -> None:
    trail = read(steps)
    for one in trail.nodes:
        assert not trail.follows(one, one)
        assert not any(trail.follows(one, other) and trail.follows(other, one) for other in trail.nodes)


@given(ODD_STEPS)
def test_the_depth_is_the_number_of_steps_above(steps: list[Step]) -> None:
    trail = read(steps)
    for node in trail.nodes:
        assert node.depth == len(list(trail.above(node)))
