"""Agno, by OpenInference's spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import find_policy, model, must_tell, replies, traced

agent = pytest.importorskip("agno.agent")
models = pytest.importorskip("agno.models.openai")
instrumentation = pytest.importorskip("openinference.instrumentation.agno")
__all__ = ["model"]


def test_its_spans_tell_the_tool_call_and_the_tokens(model: str, tmp_path: Path) -> None:
    instrumentation.AgnoInstrumentor().instrument(tracer_provider=traced())

    async def ask(question: str) -> str:
        llm = models.OpenAIChat(id="scripted", api_key="none", base_url=model)
        return str((await agent.Agent(model=llm, tools=[find_policy], telemetry=False).arun(question)).content)

    for reply in replies(ask, tmp_path):
        must_tell(reply)
