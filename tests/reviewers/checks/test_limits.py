from __future__ import annotations

import pytest
from tests.reviewers.checks.asking import asked, outcome

from proctor.benchmark import Expectation
from proctor.reviewers.checks import Sources
from proctor.reviewers.checks.limits import limits
from proctor.transcript import Reply, ToolCall, Turn
from proctor.usage import Usage

USED = Reply(
    text="",
    tool_calls=(ToolCall(name="a"), ToolCall(name="b")),
    usage=Usage(input_tokens=900, output_tokens=100, cost=0.01),
    seconds=2.5,
)


@pytest.mark.parametrize(
    ("name", "used", "said"),
    [("tool_calls", 2, "2"), ("seconds", 2.5, "2.5"), ("tokens", 1000, "1,000"), ("cost", 0.01, "0.01")],
)
def test_a_bound_itself_is_kept_and_less_is_exceeded(name: str, used: float, said: str) -> None:
    kept = outcome(limits, USED, limits={name: used})
    assert (kept.passed, kept.evidence) == (True, f"{name} {said}, at most {said}")
    exceeded = outcome(limits, USED, limits={name: used * 0.9})
    assert exceeded.passed is False
    assert f"{name} {said}, more than {used * 0.9:.4g}" in exceeded.evidence


@pytest.mark.parametrize("name", ["seconds", "tokens", "cost"])
def test_what_the_agent_did_not_report_is_not_checkable(name: str) -> None:
    for reply in (Reply(text=""), Reply(text="", usage=Usage(calls=1))):
        found = outcome(limits, reply, limits={name: 1.0})
        assert found.passed is None
        assert f"{name} unknown" in found.evidence


def test_no_tool_call_is_a_number_of_tool_calls() -> None:
    assert outcome(limits, "any", limits={"tool_calls": 0}).passed is True


def test_one_exceeded_bound_decides_whatever_is_unknown() -> None:
    found = outcome(limits, USED, limits={"colour": 1, "tokens": 10, "cost": 1})
    assert found.passed is False
    assert found.evidence.startswith(
        "tokens 1,000, more than 10; there is no limit 'colour'; expected one of tool_calls"
    )


def test_seconds_are_measured_where_the_agent_does_not_tell() -> None:
    reply = Reply(text="")
    turn = Turn(number=1, question="", reply=reply, started=100.0, ended=103.0)
    found = limits(Expectation(limits={"seconds": 2.0}), turn, reply, Sources())
    assert found is not None
    assert found.evidence == "seconds 3, more than 2"


def test_a_bound_without_end_is_always_kept() -> None:
    found = outcome(limits, USED, limits={"cost": float("inf")})
    assert (found.passed, found.evidence) == (True, "cost 0.01, at most inf")


def test_nothing_is_said_where_nothing_is_asked() -> None:
    assert asked(limits, USED) is None


def test_calls_that_a_reply_does_not_tell_are_counted_only_where_they_are_too_many() -> None:
    some = Reply(text="", tool_calls=(ToolCall(name="a"), ToolCall(name="b")), tools_known=False)
    assert outcome(limits, some, limits={"tool_calls": 1}).passed is False
    found = outcome(limits, some, limits={"tool_calls": 2})
    assert found.passed is None
    assert found.evidence.startswith("tool_calls unknown: the reply does not tell which tools were called")
