"""The OpenAI Agents SDK, as it really is, with models that play a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.agents.minded.door import loaded, spec_of

from proctor.agents.openai_agents import load
from proctor.errors import AgentFault, EnvironmentFault, InputError
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.agents import ASKED, AgentContract
from proctor.testing.minds import Heard, Mind, Move, Wish
from proctor.transcript import Citation, Reply, Request
from proctor.usage import Usage

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents.testing import ModelStep, ScriptedModel, assistant_message
from openai.types.responses import ResponseFunctionWebSearch, ResponseOutputMessage
from openai.types.responses.response_function_web_search import ActionSearch
from tests.agents.minded.openai_agents import agent_with, model_with

import agents
from agents import RunContextWrapper, Runner, function_tool, set_tracing_disabled


class TestContract(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))


class TestContractStreaming(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind), stream=True)


async def asked(target: object, request: Request = ASKED, **options: Any) -> Reply:
    return await loaded(load, target, **options).reply(request)


def then(*moves: Move) -> Mind:
    """A mind that makes these moves one after the other, whatever it hears."""

    async def think(heard: Heard) -> Move:
        return moves[len(heard.results)]

    return think


def call(name: str, **arguments: Any) -> Move:
    return Move(calls=(Wish(name=name, arguments=arguments),))


@pytest.fixture
def untraced() -> Iterator[None]:
    set_tracing_disabled(True)
    yield
    set_tracing_disabled(False)


# --- sub-agents ----------------------------------------------------------------------------------


def a_helper() -> agents.Agent[None]:
    return agent_with(then(call("add", a=1, b=2), Move(text="three")), name="helper")


def a_boss(tool: Any) -> agents.Agent[None]:
    """A boss who asks a helper by a tool. Both number their calls alike."""
    mind = then(call(tool.name, input="1 + 2"), Move(text="3"))
    return agents.Agent(name="boss", model=model_with(mind), tools=[tool])


@function_tool
async def run_helper(input: str) -> str:  # noqa: A002 - as the SDK itself calls it
    """Run the helper by hand."""
    return str((await Runner.run(a_helper(), input)).final_output)


@pytest.mark.parametrize("how", ["as a tool", "by hand"])
async def test_an_agent_that_a_tool_runs_is_a_sub_agent(how: str) -> None:
    tool = a_helper().as_tool("ask_helper", "Ask.") if how == "as a tool" else run_helper
    reply = await asked(a_boss(tool))
    asking, delegation, adding = reply.steps
    assert [(made.name, made.arguments, made.result) for made in reply.tool_calls] == [
        (tool.name, {"input": "1 + 2"}, "three"),
        ("add", {"a": 1, "b": 2}, {"sum": 3}),
    ]
    assert (asking.kind, asking.name, asking.parent, asking.agent) == ("tool", tool.name, None, None)
    assert (delegation.kind, delegation.agent, delegation.parent) == ("delegate", "helper", asking.id)
    assert (adding.kind, adding.agent, adding.parent) == ("tool", "helper", delegation.id)
    assert adding.call == reply.tool_calls[1].id
    times = [asking.start, delegation.start, adding.start, adding.end, delegation.end, asking.end]
    assert None not in times
    assert times == sorted(times, key=lambda time: time or 0.0)


@pytest.mark.parametrize("how", ["as a tool", "by hand"])
async def test_usage_is_summed_and_each_sub_agent_has_its_share(how: str) -> None:
    reply = await asked(a_boss(a_helper().as_tool("ask_helper", "Ask.") if how == "as a tool" else run_helper))
    assert reply.usage == Usage(input_tokens=40, output_tokens=8, calls=4)
    assert [step.usage for step in reply.steps] == [None, Usage(input_tokens=20, output_tokens=4, calls=2), None]


@pytest.mark.usefixtures("untraced")
async def test_without_traces_the_tool_is_seen_and_what_happens_in_it_is_not() -> None:
    reply = await asked(a_boss(run_helper))
    assert [made.name for made in reply.tool_calls] == ["run_helper"]
    assert reply.steps == ()


async def test_a_hand_off_is_a_delegation() -> None:
    taking_over = then(Move(), call("add", a=2, b=2), Move(text="four"))  # the hand-off is the first thing it hears of
    expert = agent_with(taking_over, name="expert")
    boss = agents.Agent(name="boss", model=model_with(then(call("transfer_to_expert"))), handoffs=[expert])
    reply = await asked(boss)
    delegation, adding = reply.steps
    assert reply.text == "four"
    assert [made.name for made in reply.tool_calls] == ["add"]
    assert (delegation.kind, delegation.agent, delegation.parent) == ("delegate", "expert", None)
    assert (adding.agent, adding.parent) == ("expert", delegation.id)
    assert delegation.usage is not None
    assert delegation.usage.calls == 2
    assert delegation.start is not None
    assert delegation.end is not None
    assert delegation.start <= delegation.end


async def test_a_hand_back_to_the_one_who_started_is_none() -> None:
    async def boss_mind(heard: Heard) -> Move:
        return Move(text="I see") if len(heard.results) > 1 else call("transfer_to_expert")

    boss = agents.Agent(name="boss", model=model_with(boss_mind))
    expert = agents.Agent(name="expert", model=model_with(then(Move(), call("transfer_to_boss"))), handoffs=[boss])
    boss.handoffs = [expert]
    reply = await asked(boss)
    assert reply.text == "I see"
    assert [(step.kind, step.agent) for step in reply.steps] == [("delegate", "expert")]


# --- tools ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("traced", [True, False])
async def test_a_tool_that_fails_is_recorded_as_an_error(traced: bool, request: pytest.FixtureRequest) -> None:
    if not traced:
        request.getfixturevalue("untraced")

    @function_tool
    def refuse() -> str:
        """Refuse."""
        raise RuntimeError("not today")

    agent = agents.Agent(name="a", model=model_with(then(call("refuse"), Move(text="I give up"))), tools=[refuse])
    (made,) = (await asked(agent)).tool_calls
    assert made.error is not None
    assert made.error.startswith("An error occurred")
    assert not made.result_known


async def test_traces_that_leave_contents_out_hide_nothing_of_the_agents_own_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA", "false")
    reply = await asked(agent_with(minds.adding))
    assert [made.result for made in reply.tool_calls] == [{"sum": 12}, {"sum": 13}, {"product": 156}]


async def test_a_tool_that_runs_where_the_model_does_is_recorded() -> None:
    action = ActionSearch(type="search", query="ships")
    searched = ResponseFunctionWebSearch(id="ws_1", type="web_search_call", status="completed", action=action)
    model = ScriptedModel([ModelStep(output=[searched, assistant_message("found")])])
    reply = await asked(agents.Agent(name="a", model=model))
    (made,) = reply.tool_calls
    assert (made.name, made.id, made.result_known) == ("web_search", "ws_1", False)
    assert made.arguments["action"]["query"] == "ships"


async def test_the_sources_that_a_message_points_at_are_its_citations() -> None:
    note = {"type": "url_citation", "url": "https://example.org/a", "title": "A", "start_index": 0, "end_index": 2}
    content = [{"type": "output_text", "text": "It is so.", "annotations": [note], "logprobs": []}]
    message = ResponseOutputMessage.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
    )
    reply = await asked(agents.Agent(name="a", model=ScriptedModel([[message]])))
    assert (reply.text, reply.citations) == ("It is so.", (Citation(source="https://example.org/a"),))


async def test_a_model_that_does_not_tell_its_tokens_has_no_usage() -> None:
    reply = await asked(agents.Agent(name="a", model=ScriptedModel([[assistant_message("so")]])))
    assert (reply.text, reply.usage) == ("so", None)


# --- how it runs ---------------------------------------------------------------------------------


async def test_a_stream_tells_the_time_to_its_first_token() -> None:
    assert (await asked(agent_with(minds.adding), stream=True)).first_token is not None
    assert (await asked(agent_with(minds.adding))).first_token is None


async def test_an_agent_that_never_comes_to_an_end_has_failed() -> None:
    async def add_for_ever(heard: Heard) -> Move:
        return call("add", a=len(heard.results), b=1)

    with pytest.raises(AgentFault, match=r"Max turns \(3\) exceeded") as caught:
        await asked(agent_with(add_for_ever), max_turns=3)
    assert vars(caught.value)["spent"] == Usage(input_tokens=30, output_tokens=6, calls=3)


async def test_an_agent_that_waits_for_an_approval_has_not_answered() -> None:
    @function_tool(needs_approval=True)
    def launch() -> str:
        """Launch."""
        raise AssertionError("nobody approved")

    agent = agents.Agent(name="a", model=model_with(then(call("launch"))), tools=[launch])
    with pytest.raises(AgentFault, match=r"approve \['launch'\]"):
        await asked(agent)


async def test_a_context_is_provided_anew_for_each_reply() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    @function_tool
    def number(wrapper: RunContextWrapper[int]) -> int:
        """The number."""
        return wrapper.context

    def agent() -> agents.Agent[Any]:
        return agents.Agent(name="a", model=model_with(then(call("number"), Move(text="done"))), tools=[number])

    connected = loaded(load, agent(), context=spec_of(make))
    assert [(await connected.reply(ASKED)).tool_calls[0].result for _ in range(2)] == [0, 1]


async def test_a_failure_half_way_is_told_with_what_was_spent() -> None:
    async def fail_later(heard: Heard) -> Move:
        if heard.results:
            raise minds.Status(503)
        return call("add", a=1, b=1)

    with pytest.raises(EnvironmentFault) as caught:
        await asked(agent_with(fail_later))
    assert vars(caught.value)["spent"] == Usage(input_tokens=10, output_tokens=2, calls=1)


# --- the door ------------------------------------------------------------------------------------


async def test_a_function_without_parameters_makes_the_agent() -> None:
    assert (await asked(lambda: agent_with(minds.echoing))).text == "You said: What is it?"


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        (3, {}, "of type int; expected an agents.Agent"),
        (agents.Agent(name="a"), {"max_turn": 3}, "no option 'max_turn'; did you mean 'max_turns'"),
        (agents.Agent(name="a"), {"max_turns": 0}, "max_turns=0 is not usable; expected a whole number of at least 1"),
        (agents.Agent(name="a"), {"max_turns": True}, "max_turns=True is not usable; expected a whole number"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_question(target: object, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        loaded(load, target, **options)
