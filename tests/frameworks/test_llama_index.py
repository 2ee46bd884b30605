"""LlamaIndex, as an object, by its spec, and by its spans."""

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

pytest.importorskip("llama_index.core")
pytest.importorskip("llama_index.llms.openai_like")
__all__ = ["model"]
_SOURCE = """
import contextlib
import io

from llama_index.core.agent.workflow import AgentWorkflow, CodeActAgent, FunctionAgent
from llama_index.llms.openai_like import OpenAILike

from tests.frameworks.examined import find_policy

def make():
    llm = OpenAILike(
        model="scripted", api_base="URL", api_key="none", is_chat_model=True, is_function_calling_model=True
    )
    return FunctionAgent(name="clerk", description="Knows the handbook.", tools=[find_policy], llm=llm)

agent = make()
workflow = AgentWorkflow(agents=[make()], root_agent="clerk")

def make_team():
    expert = make()
    expert.name = "expert"
    desk = FunctionAgent(name="desk", description="Hands over.", llm=expert.llm, can_handoff_to=["expert"])
    return AgentWorkflow(agents=[desk, expert], root_agent="desk")

def run(code):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {"find_policy": find_policy})
    return said.getvalue()

def make_coder():
    return CodeActAgent(name="clerk", tools=[find_policy], llm=make().llm, code_execute_fn=run)
"""


def _module(model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return named(folder, _SOURCE.replace("URL", model), monkeypatch)


@pytest.mark.parametrize("attribute", ["agent", "workflow", "make"])
def test_an_agent_a_workflow_or_what_makes_one_is_an_agent(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    for reply in replies(f"llama-index:{_module(model, tmp_path, monkeypatch)}:{attribute}", tmp_path):
        must_tell(reply)
        assert reply.first_token is not None


def test_an_agent_that_is_handed_the_work_is_a_sub_agent(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(f"llama-index:{_module(model, tmp_path, monkeypatch)}:make_team", tmp_path):
        must_tell_sub_agent(reply)


def test_tools_that_code_calls_are_unknown(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reply in replies(f"llama-index:{_module(model, tmp_path, monkeypatch)}:make_coder", tmp_path):
        assert [call.name for call in reply.tool_calls] == ["execute"]
        assert not reply.tools_known


def test_its_spans_tell_the_tool_call(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instrumentation = pytest.importorskip("openinference.instrumentation.llama_index")
    instrumentation.LlamaIndexInstrumentor().instrument(tracer_provider=traced())
    module = pytest.importorskip(_module(model, tmp_path, monkeypatch))

    async def ask(question: str) -> str:
        return str(await module.make().run(question))

    try:
        for reply in replies(ask, tmp_path):
            must_tell(reply, usage=False)
    finally:
        instrumentation.LlamaIndexInstrumentor().uninstrument()


@pytest.mark.parametrize("attribute", ["make", "make_team"])
def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str
) -> None:
    must_not_be_blamed(f"llama-index:{_module(NOBODY, tmp_path, monkeypatch)}:{attribute}", tmp_path)
