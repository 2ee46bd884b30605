"""Pydantic AI, as it really is, with models that play a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from tests.agents.minded.door import loaded, spec_of

from proctor.agents.pydantic_ai import load
from proctor.errors import AgentFault, EnvironmentFault, InputError
from proctor.roles import Agent
from proctor.testing import minds
from proctor.testing.agents import ASKED, EARLIER, AgentContract
from proctor.testing.minds import Heard, Mind, Move, Wish
from proctor.transcript import Citation, Reply, Request
from proctor.usage import Usage

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

import pydantic_ai
from pydantic_ai import DeferredToolRequests, RunContext, ToolOutput
from pydantic_ai.messages import Citation as Cited
from pydantic_ai.messages import ModelResponse, NativeToolCallPart, NativeToolReturnPart, TextPart, WebCitationSource
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from tests.agents.minded.pydantic_ai import agent_with, model_with


class TestContract(AgentContract):
    cannot: ClassVar = {"silence": "Pydantic AI itself takes an empty answer for none, and asks the model again"}

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))


async def asked(target: object, request: Request = ASKED, **options: Any) -> Reply:
    return await loaded(load, target, **options).reply(request)


def then(*moves: Move) -> Mind:
    """A mind that makes these moves one after the other, whatever it hears."""

    async def think(heard: Heard) -> Move:
        return moves[len(heard.results)]

    return think


def call(name: str, **arguments: Any) -> Move:
    return Move(calls=(Wish(name=name, arguments=arguments),))


# --- sub-agents ----------------------------------------------------------------------------------


def a_team(*, shares_usage: bool) -> Any:
    """A boss who asks a helper by a tool; the helper adds. Both number their calls alike."""
    helper = agent_with(then(call("add", a=1, b=2), Move(text="three")), name="helper")
    boss = pydantic_ai.Agent(model_with(then(call("ask_helper", task="1 + 2"), Move(text="3"))), name="boss")

    @boss.tool
    async def ask_helper(ctx: RunContext[object], task: str) -> str:
        usage = ctx.usage if shares_usage else None
        return str((await helper.run(task, usage=usage)).output)

    return boss


async def test_an_agent_that_a_tool_runs_is_a_sub_agent() -> None:
    reply = await asked(a_team(shares_usage=True))
    asking, delegation, adding = reply.steps
    assert [(made.name, made.arguments) for made in reply.tool_calls] == [
        ("ask_helper", {"task": "1 + 2"}),
        ("add", {"a": 1, "b": 2}),
    ]
    assert [made.result for made in reply.tool_calls] == ["three", {"sum": 3}]
    assert (asking.kind, asking.name, asking.parent, asking.agent) == ("tool", "ask_helper", None, None)
    assert (delegation.kind, delegation.agent, delegation.parent) == ("delegate", "helper", asking.id)
    assert delegation.detail == "1 + 2"
    assert (adding.kind, adding.agent, adding.parent) == ("tool", "helper", delegation.id)
    assert adding.call == reply.tool_calls[1].id


async def test_steps_lie_in_one_another_in_time_too() -> None:
    asking, delegation, adding = (await asked(a_team(shares_usage=True))).steps
    times = [asking.start, delegation.start, adding.start, adding.end, delegation.end, asking.end]
    assert None not in times
    assert times == sorted(times, key=lambda time: time or 0.0)


@pytest.mark.parametrize("shares_usage", [True, False])
async def test_usage_is_summed_over_all_whether_they_share_it_or_not(shares_usage: bool) -> None:
    reply = await asked(a_team(shares_usage=shares_usage))
    assert reply.usage is not None
    (shared,) = [step.usage for step in reply.steps if step.usage]
    alone = await asked(
        agent_with(then(call("add", a=1, b=2), Move(text="three"))), Request(question="1 + 2", conversation="")
    )
    assert shared == alone.usage
    assert (reply.usage.calls, shared.calls) == (4, 2)
    assert reply.usage.input_tokens > shared.input_tokens > 0


async def test_a_sub_agent_that_fails_is_a_step_with_its_error() -> None:
    helper = agent_with(minds.fail_confused, name="helper")
    boss = agent_with(then(call("ask"), Move(text="alone, then")), {})

    @boss.tool_plain
    async def ask() -> str:
        try:
            return str((await helper.run("help!")).output)
        except RuntimeError:
            return "no help"

    reply = await asked(boss)
    assert [(step.kind, step.status) for step in reply.steps] == [("tool", "ok"), ("delegate", "error")]
    assert "lost my mind" in reply.steps[1].detail


@pytest.fixture
def instrumented_by_its_user() -> Iterator[None]:
    kept = pydantic_ai.Agent._instrument_default
    pydantic_ai.Agent.instrument_all(True)
    yield
    pydantic_ai.Agent.instrument_all(kept)


@pytest.mark.usefixtures("instrumented_by_its_user")
async def test_instrumentation_of_the_users_own_is_left_alone_and_tools_are_still_seen() -> None:
    agent = loaded(load, agent_with(minds.adding))
    assert pydantic_ai.Agent._instrument_default is True
    reply = await agent.reply(ASKED)
    assert [made.name for made in reply.tool_calls] == ["add", "add", "multiply"]
    assert all(made.seconds is not None for made in reply.tool_calls)
    assert reply.usage is not None
    assert reply.usage.calls == 3


# --- tools ---------------------------------------------------------------------------------------


async def test_tools_that_fail_are_refused_or_do_not_exist_are_recorded_as_errors() -> None:
    agent = pydantic_ai.Agent(
        model_with(then(call("retried", x=1), call("retried", x="two"), call("nowhere"), Move(text="I give up"))),
        retries=5,
    )

    @agent.tool_plain
    def retried(x: int) -> str:
        raise pydantic_ai.ModelRetry("not today")

    reply = await asked(agent)
    assert [(made.name, made.arguments, made.result_known) for made in reply.tool_calls] == [
        ("retried", {"x": 1}, False),
        ("retried", {"x": "two"}, False),
        ("nowhere", {}, False),
    ]
    errors = [made.error or "" for made in reply.tool_calls]
    assert errors[0] == "not today"
    assert "valid integer" in errors[1]
    assert "Unknown tool name: 'nowhere'" in errors[2]


@dataclass
class Found:
    source: str
    lines: tuple[int, int]


async def test_results_of_any_type_are_recorded_as_plain_data() -> None:
    agent = agent_with(then(call("find"), Move(text="there")), {})

    @agent.tool_plain
    def find() -> list[Found]:
        return [Found(source="a.md", lines=(1, 2))]

    assert (await asked(agent)).tool_calls[0].result == [{"source": "a.md", "lines": [1, 2]}]


async def test_a_tool_that_the_provider_runs_is_recorded() -> None:
    async def searched(*_: Any) -> ModelResponse:
        calling = NativeToolCallPart("web_search", {"query": "Ada"}, tool_call_id="w1", provider_name="function")
        found = NativeToolReturnPart("web_search", ["a.md"], tool_call_id="w1", provider_name="function")
        return ModelResponse(parts=[calling, found, TextPart("It is so.")])

    reply = await asked(pydantic_ai.Agent(FunctionModel(searched)))
    made = [(each.name, each.arguments, each.result) for each in reply.tool_calls]
    assert (reply.text, made) == ("It is so.", [("web_search", {"query": "Ada"}, ["a.md"])])


async def test_the_form_of_an_answer_is_no_tool_call() -> None:
    async def cite(heard: Heard) -> Move:
        return Move(text="so it is", citations=({"source": "a.md", "quote": "so"},))

    reply = await asked(agent_with(cite, cited=True))
    assert (reply.text, reply.tool_calls) == ("so it is", ())
    assert reply.citations == (Citation(source="a.md", quote="so"),)


async def test_a_function_that_gives_the_answer_its_form_is_no_tool_call() -> None:
    def shout(word: str) -> str:
        return word.upper()

    agent = pydantic_ai.Agent(model_with(then(call("final", word="so"))), output_type=ToolOutput(shout, name="final"))
    reply = await asked(agent)
    assert (reply.text, reply.tool_calls) == ("SO", ())


async def test_the_sources_that_a_text_points_at_are_its_citations() -> None:
    source = WebCitationSource("https://example.org/a", excerpts=["so it is"])

    async def cite(*_: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart("It is so.", citations=[Cited(sources=[source])])])

    reply = await asked(pydantic_ai.Agent(FunctionModel(cite)))
    assert reply.citations == (Citation(source="https://example.org/a", quote="so it is"),)


# --- how it runs ---------------------------------------------------------------------------------


async def test_the_frameworks_own_test_model_works_as_it_is() -> None:
    agent = pydantic_ai.Agent(TestModel())

    @agent.tool_plain
    def look(word: str) -> str:
        return f"looked at {word}"

    reply = await asked(agent)
    assert reply.text == '{"look":"looked at a"}'
    assert reply.tool_calls[0].result == "looked at a"


async def test_its_own_system_prompt_is_not_lost_in_later_turns() -> None:
    prompts: list[str] = []

    async def listen(messages: list[Any], _: Any) -> ModelResponse:
        prompts.extend(
            part.content for message in messages for part in message.parts if part.part_kind == "system-prompt"
        )
        return ModelResponse(parts=[TextPart("yes")])

    agent = pydantic_ai.Agent(FunctionModel(listen), system_prompt="You are a pirate.")
    await asked(agent, Request(question="And?", conversation="c", history=EARLIER, turn=3))
    assert prompts == ["You are a pirate."]


async def test_a_stream_tells_the_time_to_its_first_token() -> None:
    streamed = await asked(agent_with(minds.adding), stream=True)
    assert streamed.text.strip() == "What is it? comes to 156"
    assert [made.name for made in streamed.tool_calls] == ["add", "add", "multiply"]
    assert streamed.first_token is not None
    assert (await asked(agent_with(minds.adding))).first_token is None


async def test_dependencies_are_provided_anew_for_each_reply() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    agent = agent_with(then(call("number"), Move(text="done")), {})

    @agent.tool
    def number(ctx: RunContext[Any]) -> int:
        return int(ctx.deps)

    connected = loaded(load, agent, deps=spec_of(make))
    assert [(await connected.reply(ASKED)).tool_calls[0].result for _ in range(2)] == [0, 1]
    assert (await asked(agent, deps=spec_of(7))).tool_calls[0].result == 7


async def test_an_agent_that_waits_for_an_approval_has_not_answered() -> None:
    agent = pydantic_ai.Agent(model_with(then(call("launch"))), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def launch() -> str:
        raise AssertionError("nobody approved")

    with pytest.raises(AgentFault, match=r"approve or run \['launch'\]"):
        await asked(agent)


async def test_what_was_spent_before_a_failure_is_told_with_it() -> None:
    async def fail_later(heard: Heard) -> Move:
        if heard.results:
            raise minds.Status(503)
        return call("add", a=1, b=1)

    with pytest.raises(EnvironmentFault) as caught:
        await asked(agent_with(fail_later))
    spent = vars(caught.value)["spent"]
    assert isinstance(spent, Usage)
    assert spent.input_tokens > 0


# --- the door ------------------------------------------------------------------------------------


async def test_a_function_without_parameters_makes_the_agent() -> None:
    assert (await asked(lambda: agent_with(minds.echoing))).text == "You said: What is it?"


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        (3, {}, "of type int; expected a pydantic_ai.Agent"),
        (pydantic_ai.Agent(), {"dep": "a:b"}, "no option 'dep'; did you mean 'deps'"),
        (pydantic_ai.Agent(), {"deps": "no_such_module:thing"}, "cannot find the deps: there is no module"),
        (pydantic_ai.Agent(), {"stream": 1}, "stream=1 is not usable; expected true or false"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_question(target: object, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        loaded(load, target, **options)
