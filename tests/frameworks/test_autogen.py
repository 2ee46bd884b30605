"""AutoGen, by its own spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import find_policy, model, must_tell, replies, traced

agents = pytest.importorskip("autogen_agentchat.agents")
models = pytest.importorskip("autogen_ext.models.openai")
__all__ = ["model"]
_ABLE = {"vision": False, "function_calling": True, "json_output": False, "structured_output": False}


def test_its_spans_tell_which_tool_was_called(model: str, tmp_path: Path) -> None:
    traced()

    async def ask(question: str) -> str:
        llm = models.OpenAIChatCompletionClient(
            model="scripted", api_key="none", base_url=model, model_info={**_ABLE, "family": "unknown"}
        )
        clerk = agents.AssistantAgent("clerk", model_client=llm, tools=[find_policy], reflect_on_tool_use=True)
        return str((await clerk.run(task=question)).messages[-1].to_text())

    for reply in replies(ask, tmp_path):
        must_tell(reply, arguments=False, usage=False)
