"""CrewAI, as an object, by its spec, and by its spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.examined import NOBODY, model, must_not_be_blamed, must_tell, named, replies, traced

from proctor.errors import InputError

crewai = pytest.importorskip("crewai")
__all__ = ["model"]
_SOURCE = """
from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai.tools import tool

@tool("find_policy")
def find_policy(topic: str) -> str:
    '''Find the policy on a topic.'''
    return f"The policy on {topic}: 30 days."

def make(description="{question}"):
    llm = LLM(model="openai/gpt-4o-mini", base_url="URL", api_key="none")
    clerk = Agent(role="clerk", goal="answer", backstory="You know the handbook.", tools=[find_policy], llm=llm)
    task = Task(description=description, expected_output="an answer", agent=clerk)
    return Crew(agents=[clerk], tasks=[task])

crew = make()

def make_team():
    crew = make()
    first = Agent(role="desk", goal="greet", backstory="You are kind.", llm=crew.agents[0].llm)
    crew.agents[0].role = "expert"
    greeting = Task(description="Greet.", expected_output="a greeting", agent=first)
    return Crew(agents=[first, crew.agents[0]], tasks=[greeting, *crew.tasks])

class InText(BaseLLM):
    "A model that asks for tools in its text."
    def call(self, messages, *args, **more):
        if "30 days" in str(messages):
            return "Thought: I now know the final answer\\nFinal Answer: There are 30 days of leave."
        return 'Thought: Look it up.\\nAction: find_policy\\nAction Input: {"topic": "leave"}'
    async def acall(self, messages, *args, **more):
        return self.call(messages)
    def supports_function_calling(self):
        return False

def make_in_text(team=False):
    crew = make_team() if team else make()
    for agent in crew.agents:
        agent.llm, agent.tools = InText(model="scripted"), [find_policy]
    return crew

def make_team_in_text():
    return make_in_text(team=True)
"""


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")


def _module(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return named(folder, _SOURCE.replace("URL", model), monkeypatch)


def test_each_conversation_has_a_crew_of_its_own(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reply in replies(f"crewai:{_module(model, tmp_path, monkeypatch)}:make", tmp_path):
        must_tell(reply)


def test_one_crew_for_all_conversations_is_warned_of_and_its_tokens_are_unknown(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for reply in replies(f"crewai:{_module(model, tmp_path, monkeypatch)}:crew", tmp_path):
        must_tell(reply, usage=False)
    assert "one object for all conversations" in caplog.text


def test_of_several_agents_each_task_is_its_agent_s(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(f"crewai:{_module(model, tmp_path, monkeypatch)}:make_team", tmp_path):
        told = [(step.kind, step.name, step.agent) for step in reply.steps]
        assert told == [
            ("delegate", "desk", "desk"),
            ("delegate", "expert", "expert"),
            ("tool", "find_policy", "expert"),
        ]


@pytest.mark.parametrize(("made", "helpers"), [("make_in_text", 0), ("make_team_in_text", 2)])
def test_calls_that_a_model_asks_for_in_text_are_told(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, helpers: int
) -> None:
    for reply in replies(f"crewai:{_module(model, tmp_path, monkeypatch)}:{made}", tmp_path):
        told = [(call.name, call.arguments, "30 days" in str(call.result)) for call in reply.tool_calls]
        assert told == [("find_policy", {"topic": "leave"}, True)], "once: the second is told what the first found"
        assert reply.tools_known
        assert len([step for step in reply.steps if step.kind == "delegate"]) == helpers


def test_a_crew_without_a_place_for_the_question_is_refused(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))
    with pytest.raises(InputError, match="no place for the question"):
        replies(module.make("Tell us something."), tmp_path)


def test_its_spans_tell_the_tool_call(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instrumentation = pytest.importorskip("openinference.instrumentation.crewai")
    instrumentation.CrewAIInstrumentor().instrument(tracer_provider=traced())
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))

    def ask(question: str) -> str:
        return str(module.make().kickoff(inputs={"question": question}).raw)

    try:
        for reply in replies(ask, tmp_path):
            must_tell(reply, usage=False)
    finally:
        instrumentation.CrewAIInstrumentor().uninstrument()


@pytest.mark.parametrize("attribute", ["make"])
def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    must_not_be_blamed(f"crewai:{_module(NOBODY, tmp_path, monkeypatch)}:{attribute}", tmp_path)
