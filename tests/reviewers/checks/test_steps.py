from __future__ import annotations

from tests.reviewers.checks.asking import asked, outcome

from proctor.codec.replies import to_reply
from proctor.reviewers.checks.steps import steps, sub_agents
from proctor.transcript import Reply, Step

REPLY = Reply(
    text="Done.",
    steps=(
        Step(id="1", kind="plan", name="plan", start=0.0, end=1.0),
        Step(id="2", kind="delegate", name="find sources", agent="researcher", start=1.0, end=2.0),
        Step(id="3", kind="tool", name="write", agent="writer", start=2.0, end=3.0),
    ),
)


def test_nothing_is_said_where_nothing_is_asked() -> None:
    assert asked(sub_agents, REPLY) is None
    assert asked(steps, REPLY) is None


def test_sub_agents_that_worked_are_found() -> None:
    found = outcome(sub_agents, REPLY, sub_agents=("researcher", "writer"))
    assert (found.passed, found.value, found.evidence) == (True, 1.0, "delegated to researcher, writer")


def test_a_sub_agent_that_did_nothing_fails_and_those_that_worked_are_named() -> None:
    found = outcome(sub_agents, REPLY, sub_agents=("researcher", "checker"))
    assert (found.passed, found.value) == (False, 0.5)
    assert found.evidence == "not delegated to checker; the sub-agents were researcher, writer"


def test_steps_are_judged_one_by_one_and_the_failed_come_first() -> None:
    found = outcome(steps, REPLY, steps=({"kind": "plan"}, {"kind": "delegate", "after": "plan"}, {"kind": "re-plan"}))
    assert found.passed is False
    assert found.evidence.startswith("re-plan: taken 0 of 1 times; kinds seen: plan, delegate, tool; ")
    assert outcome(steps, REPLY, steps=({"kind": "plan"}, {"kind": "delegate", "after": "plan"})).passed is True
    assert outcome(steps, REPLY, steps=({"kind": "plan", "after": "delegate"},)).passed is False


def test_an_expected_step_that_cannot_be_read_is_not_checkable() -> None:
    found = outcome(steps, REPLY, steps=({"kind": "plan"}, {"colour": "red"}))
    assert (found.passed, found.value) == (None, 0.5)
    assert "colour" in found.evidence


def test_a_reply_without_steps_has_taken_none() -> None:
    assert outcome(steps, "Done.", steps=({"kind": "plan"},)).evidence.startswith("the reply reports no steps; plan: ")
    assert outcome(sub_agents, "Done.", sub_agents=("writer",)).evidence == (
        "not delegated to writer; the reply reports no steps"
    )


def test_a_reply_that_tells_nothing_of_what_was_done_tells_no_steps_either() -> None:
    for found in (
        outcome(steps, Reply(text="Done.", tools_known=False), steps=({"kind": "plan"},)),
        outcome(sub_agents, Reply(text="Done.", tools_known=False), sub_agents=("writer",)),
    ):
        assert found.passed is None
        assert "return a dict with 'steps'" in found.evidence


def test_steps_that_are_told_as_an_empty_list_are_none() -> None:
    reply = to_reply({"text": "Done.", "steps": []})
    found = outcome(sub_agents, reply, sub_agents=("writer",))
    assert (found.passed, found.evidence) == (False, "not delegated to writer; the reply reports no steps")
    assert outcome(steps, reply, steps=({"kind": "plan"},)).passed is False
    untold = to_reply({"text": "Done."})
    assert outcome(sub_agents, untold, sub_agents=("writer",)).passed is None
    assert (reply.tools_known, untold.steps_known) == (False, False)
