"""Strands, by its own spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import find_policy, model, must_tell, replies, traced

strands = pytest.importorskip("strands")
openai = pytest.importorskip("strands.models.openai")
__all__ = ["model"]


def test_its_spans_tell_the_tool_call_and_the_tokens(model: str, tmp_path: Path) -> None:
    traced()

    def ask(question: str) -> str:
        llm = openai.OpenAIModel(client_args={"api_key": "none", "base_url": model}, model_id="scripted")
        return str(strands.Agent(model=llm, tools=[strands.tool(find_policy)], callback_handler=None)(question))

    for reply in replies(ask, tmp_path):
        must_tell(reply)
