"""What the adapters for frameworks share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from proctor.agents import langchain, openai_agents, pydantic_ai
from proctor.agents.framework import answer_of, ask, plain
from proctor.agents.fresh import PerConversationAgent
from proctor.agents.notes import Notes
from proctor.errors import AgentFault, InputError
from proctor.roles import Agent
from proctor.transcript import Reply, Request, ToolCall
from proctor.usage import Usage

ASKED = Request(question="q", conversation="c")


@pytest.mark.parametrize(
    ("load", "package", "line"),
    [
        (langchain.load, "langchain_core", r"pip install 'proctor\[langchain\]'$"),
        (pydantic_ai.load, "pydantic_ai", r"pip install 'proctor\[pydantic-ai\]'$"),
        (openai_agents.load, "agents", r"pip install 'proctor\[openai-agents\]'$"),
    ],
)
def test_a_framework_that_is_not_there_comes_with_the_line_that_installs_it(
    load: Callable[[str, Mapping[str, Any]], Agent], package: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=line):
        load("some_module:agent", {})


async def test_a_fault_that_says_whose_it_is_stays_itself() -> None:
    fault = AgentFault("no answer")

    async def run(notes: Notes) -> Reply:
        notes.spend(Usage(input_tokens=1, calls=1))
        raise fault

    with pytest.raises(AgentFault) as caught:
        await ask(ASKED, run)
    assert caught.value is fault
    assert vars(fault)["spent"] == Usage(input_tokens=1, calls=1)


async def test_after_a_failure_a_conversation_goes_on_with_an_agent_of_its_own() -> None:
    begun: list[_Forgetful] = []

    def begin() -> _Forgetful:
        begun.append(_Forgetful(fails=not begun))
        return begun[-1]

    agent = PerConversationAgent(begin, name="desk")
    with pytest.raises(AgentFault):
        await agent.reply(ASKED)
    assert [(await agent.reply(ASKED)).text for _ in range(2)] == ["so", "so"]
    assert [each.asked for each in begun] == [1, 2]


class _Forgetful:
    """A conversation whose first question may fail."""

    def __init__(self, *, fails: bool) -> None:
        self.asked = 0
        self._fails = fails

    async def reply(self, request: Request, notes: Notes) -> Reply:
        self.asked += 1
        if self._fails:
            raise AgentFault("half a turn")
        return notes.reply("so")


def test_calls_that_were_asked_for_at_once_share_a_place_whatever_ran_of_them() -> None:
    notes = Notes()
    early, seen = (notes.begin("tool", "find", arguments={"topic": topic}) for topic in ("pay", "leave"))
    asked = [ToolCall(name="find", arguments={"topic": topic}, id=topic, error="gone") for topic in ("rent", "leave")]
    notes.asked_at_once(asked, [early, seen], start=early.start)
    told = [(call.id, call.arguments["topic"], call.error) for call in notes.reply("so").tool_calls]
    assert told == [("rent", "pay", None), ("leave", "leave", None)], "the first had its arguments changed on the way"
    assert {call.step for call in notes.reply("so").tool_calls} == {1}


def test_where_something_runs_unseen_no_tool_is_known_not_to_be_called() -> None:
    notes = Notes()
    notes.begin("tool", "find")
    notes.hide()
    assert not notes.reply("so").tools_known
    assert notes.reply({"text": "so", "tool_calls": []}).tools_known, "the agent has said so itself"


@dataclass
class Pair:
    left: int
    right: str


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("so", "so"),
        ({"text": "so", "citations": []}, {"text": "so", "citations": []}),
        ({"total": 3}, '{"total":3}'),
        (Pair(left=1, right="b"), '{"left":1,"right":"b"}'),
        ([1, 2], "[1,2]"),
        (7, "7"),
        (False, "false"),
    ],
)
def test_an_output_of_any_type_is_an_answer(output: object, answer: object) -> None:
    assert answer_of(output) == answer


def test_no_output_is_no_answer() -> None:
    with pytest.raises(AgentFault, match="returned None"):
        answer_of(None)


def test_what_cannot_be_made_plain_is_left_as_it_is() -> None:
    odd = {"raw": b"\xff"}
    assert plain(odd) is odd
    assert plain({"pair": Pair(left=1, right="b")}) == {"pair": {"left": 1, "right": "b"}}


# --- notes ---------------------------------------------------------------------------------------


def test_calls_stand_in_the_order_they_were_asked_for_even_if_the_last_began_first() -> None:
    notes = Notes()
    notes.asked(["one", "two"])
    for call in ("two", "one"):
        notes.end(notes.begin("tool", call, call=call))
    notes.end(notes.begin("tool", "three", call="three"))
    calls = notes.reply("so").tool_calls
    assert [(call.name, call.step) for call in calls] == [("one", 1), ("two", 1), ("three", 2)]


def test_an_id_that_is_used_again_stands_for_another_call() -> None:
    notes = Notes()
    for _ in range(2):
        notes.asked(["call-0"])
        notes.end(notes.begin("tool", "add", call="call-0"))
    assert [call.step for call in notes.reply("so").tool_calls] == [1, 2]


def test_steps_point_at_calls_that_no_provider_named_or_named_alike() -> None:
    notes = Notes()
    helper = notes.begin("delegate", "helper")
    for call in (None, "a", "a"):
        notes.end(notes.begin("tool", "add", parent=helper, call=call))
    notes.end(helper)
    reply = notes.reply("so")
    ids = [call.id for call in reply.tool_calls]
    assert len(set(ids)) == 3
    assert [step.call for step in reply.steps] == [None, *ids]


def test_an_agent_that_works_alone_has_no_steps() -> None:
    notes = Notes()
    notes.end(notes.begin("tool", "add"))
    assert notes.reply("so").steps == ()


def test_usage_belongs_to_the_nearest_sub_agent() -> None:
    notes = Notes()
    outer = notes.begin("delegate", "outer")
    tool = notes.begin("tool", "ask", parent=outer)
    inner = notes.begin("delegate", "inner", parent=tool)
    for tokens, work in ((1, None), (10, tool), (100, inner)):
        notes.spend(Usage(input_tokens=tokens), work)
    reply = notes.reply("so")
    assert reply.usage == Usage(input_tokens=111)
    assert [step.usage for step in reply.steps] == [Usage(input_tokens=10), None, Usage(input_tokens=100)]


def test_what_the_answer_says_of_itself_is_not_overwritten() -> None:
    notes = Notes()
    notes.end(notes.begin("tool", "noted"))
    notes.spend(Usage(input_tokens=1))
    reply = notes.reply({"text": "so", "tool_calls": [{"name": "told"}], "usage": {"input_tokens": 5}})
    assert [call.name for call in reply.tool_calls] == ["told"]
    assert reply.usage == Usage(input_tokens=5)
