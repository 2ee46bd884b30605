"""Google's Agent Development Kit, as an object, by its spec, and by its spans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.examined import (
    NOBODY,
    model,
    must_not_be_blamed,
    must_tell,
    must_tell_sub_agent,
    named,
    replies,
    traced,
)

pytest.importorskip("google.adk")
pytest.importorskip("litellm")
__all__ = ["model"]
_SOURCE = """
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.tools.agent_tool import AgentTool

from tests.frameworks.examined import find_policy

def make():
    llm = LiteLlm(model="openai/scripted", api_base="URL", api_key="none")
    return LlmAgent(name="clerk", model=llm, tools=[find_policy])

agent = make()

def make_team():
    expert = make().model_copy(update={"name": "expert", "description": "Knows the handbook."})
    return LlmAgent(name="desk", model=expert.model, sub_agents=[expert])

def make_with_agent_as_tool():
    expert = make().model_copy(update={"name": "expert", "description": "Knows the handbook."})
    return LlmAgent(name="desk", model=expert.model, tools=[AgentTool(agent=expert)])
"""


def _module(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return named(folder, _SOURCE.replace("URL", model), monkeypatch)


@pytest.mark.parametrize("attribute", ["agent", "make"])
def test_an_agent_or_what_makes_one_is_an_agent(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    for reply in replies(f"google-adk:{_module(model, tmp_path, monkeypatch)}:{attribute}", tmp_path):
        must_tell(reply)
        assert reply.first_token is None, "nothing was streamed"


def test_an_agent_that_is_handed_the_work_is_a_sub_agent(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(f"google-adk:{_module(model, tmp_path, monkeypatch)}:make_team", tmp_path):
        must_tell_sub_agent(reply)


def test_what_an_agent_does_that_is_a_tool_is_unknown(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(f"google-adk:{_module(model, tmp_path, monkeypatch)}:make_with_agent_as_tool", tmp_path):
        assert [call.name for call in reply.tool_calls] == ["expert"]
        assert not reply.tools_known
        assert reply.usage is None


def test_its_spans_tell_which_tool_was_called_and_the_tokens(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced()
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))
    runners, types = pytest.importorskip("google.adk.runners"), pytest.importorskip("google.genai.types")

    async def ask(question: str) -> str:
        runner = runners.InMemoryRunner(agent=module.make(), app_name="desk")
        session = await runner.session_service.create_session(app_name="desk", user_id="u")
        said = types.Content(role="user", parts=[types.Part(text=question)])
        texts = [
            part.text
            async for event in runner.run_async(user_id="u", session_id=session.id, new_message=said)
            if event.is_final_response()
            for part in event.content.parts
        ]
        return "".join(texts)

    for reply in replies(ask, tmp_path):
        must_tell(reply, arguments=False)


@pytest.mark.parametrize("attribute", ["make", "make_team"])
def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    must_not_be_blamed(f"google-adk:{_module(NOBODY, tmp_path, monkeypatch)}:{attribute}", tmp_path)
