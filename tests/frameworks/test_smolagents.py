"""smolagents, as an object, by its spec, and by its spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.examined import model, must_tell, named, replies, traced

smolagents = pytest.importorskip("smolagents")
pytest.importorskip("openai")
__all__ = ["model"]
_SOURCE = """
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

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

def make_team():
    expert = make()
    expert.name, expert.description = "expert", "Knows the handbook."
    return ToolCallingAgent(tools=[], managed_agents=[expert], model=expert.model, verbosity_level=0)
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


def test_a_managed_agent_is_a_sub_agent(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reply in replies(f"smolagents:{_module(model, tmp_path, monkeypatch)}:make_team", tmp_path):
        assert "30 days" in reply.text
        assert [(step.kind, step.name) for step in reply.steps] == [("delegate", "expert")]


def test_its_spans_tell_the_same(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instrumentation = pytest.importorskip("openinference.instrumentation.smolagents")
    instrumentation.SmolagentsInstrumentor().instrument(tracer_provider=traced())
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))
    try:
        for reply in replies(lambda question: str(module.make().run(question)), tmp_path):
            must_tell(reply, others=("final_answer",))
    finally:
        instrumentation.SmolagentsInstrumentor().uninstrument()
