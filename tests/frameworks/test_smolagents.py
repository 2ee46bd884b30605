"""smolagents, as an object, by its spec, and by its spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.examined import (
    ASKED,
    NOBODY,
    model,
    must_not_be_blamed,
    must_tell,
    must_tell_sub_agent,
    named,
    replies,
    traced,
)
from tests.frameworks.scripted_model import RECEIVED, SENT

import proctor

smolagents = pytest.importorskip("smolagents")
pytest.importorskip("openai")
__all__ = ["model"]
_SOURCE = """
from smolagents import CodeAgent, OpenAIServerModel, ToolCallingAgent, tool

@tool
def find_policy(topic: str) -> str:
    '''Find the policy on a topic.

    Args:
        topic: What it is about.
    '''
    return f"The policy on {topic}: 30 days."

def make():
    model = OpenAIServerModel(model_id="scripted", api_base="URL", api_key="none")
    return ToolCallingAgent(tools=[find_policy], model=model, verbosity_level=0)

agent = make()

def make_coder(kind=CodeAgent, **more):
    return kind(tools=[find_policy], model=make().model, verbosity_level=0, **more)

def named_expert(agent):
    agent.name, agent.description = "expert", "Knows the handbook."
    return agent

def make_team(kind=ToolCallingAgent, expert=None):
    expert = expert or named_expert(make())
    return kind(tools=[], managed_agents=[expert], model=expert.model, verbosity_level=0)

def make_code_team():
    return make_team(CodeAgent, named_expert(make_coder()))

kept = named_expert(make())

def make_team_of_kept():
    return make_team(expert=kept)

class Elsewhere:
    "Runs code where nobody sees what it calls."
    def __init__(self):
        self.inner = make_coder().python_executor
    def send_tools(self, tools):
        self.inner.send_tools({**tools, "find_policy": find_policy})
    def send_variables(self, variables):
        self.inner.send_variables(variables)
    def __call__(self, code):
        return self.inner(code)

def make_remote_coder():
    return make_coder(executor=Elsewhere())
"""


def _module(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return named(folder, _SOURCE.replace("URL", model), monkeypatch)


def test_each_conversation_has_an_agent_of_its_own(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:make", tmp_path):
        must_tell(reply)
    assert "one object for all conversations" not in caplog.text


def test_one_object_for_all_conversations_is_warned_of_and_mixes_nothing(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:agent", tmp_path):
        must_tell(reply)
    assert "one object for all conversations" in caplog.text


def test_tools_that_code_calls_are_tool_calls(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:make_coder", tmp_path):
        assert [(call.name, call.arguments) for call in reply.tool_calls] == [("find_policy", {"topic": "leave"})]
        assert "30 days" in str(reply.tool_calls[0].result)
        assert reply.tools_known
        assert reply.usage == proctor.Usage(input_tokens=SENT, output_tokens=RECEIVED, calls=1)


def test_code_that_runs_elsewhere_leaves_its_tools_unknown(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:make_remote_coder", tmp_path):
        assert [call.name for call in reply.tool_calls] == ["python_interpreter"]
        assert "find_policy" in str(reply.tool_calls[0].arguments)
        assert not reply.tools_known


@pytest.mark.parametrize("team", ["make_team", "make_code_team", "make_team_of_kept"])
def test_a_managed_agent_is_a_sub_agent_and_its_calls_are_its_own(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, team: str
) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:{team}", tmp_path):
        must_tell_sub_agent(reply)
        assert reply.tools_known
    assert ("one object for all conversations" in caplog.text) == (team == "make_team_of_kept")


def test_each_turn_tells_its_own_calls_and_tokens(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = proctor.evaluate(
        ASKED,
        agent=f"smolagents:{_module(model, tmp_path, monkeypatch)}:make_coder",
        type="abm-static",
        max_turns=2,
        store=tmp_path / "store.db",
    )
    turns = [turn.reply for attempt in done.attempts() for turn in attempt.transcript.turns]
    assert len(turns) > len(list(done.attempts()))
    for reply in turns:
        assert reply is not None
        assert len(reply.tool_calls) == 1
        assert reply.usage is not None
        assert reply.usage.calls == 1


def test_its_spans_tell_the_same(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instrumentation = pytest.importorskip("openinference.instrumentation.smolagents")
    instrumentation.SmolagentsInstrumentor().instrument(tracer_provider=traced())
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))
    try:
        for reply in replies(lambda question: str(module.make().run(question)), tmp_path):
            must_tell(reply, others=("final_answer",))
    finally:
        instrumentation.SmolagentsInstrumentor().uninstrument()


@pytest.mark.parametrize("attribute", ["make", "make_coder"])
def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    must_not_be_blamed(f"smolagents:{_module(NOBODY, tmp_path, monkeypatch)}:{attribute}", tmp_path)
