"""The Claude Agent SDK, with its own program: it writes no spans, so a function reads its messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import NOBODY, model, must_not_be_blamed, must_tell, recipe, replies

pytest.importorskip("claude_agent_sdk")
__all__ = ["model"]
_TOOL = """
from claude_agent_sdk import create_sdk_mcp_server, tool

@tool("find_policy", "Find the policy on a topic.", {"topic": str})
async def find_policy(given):
    return {"content": [{"type": "text", "text": f"The policy on {given['topic']}: 30 days."}]}

desk = create_sdk_mcp_server("desk", tools=[find_policy])
"""


def test_the_recipe_on_the_page_tells_the_tool_call_and_the_tokens(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = _agent(model, tmp_path, monkeypatch)
    for reply in replies(agent, tmp_path):
        must_tell(reply)


def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "0")
    must_not_be_blamed(_agent(NOBODY, tmp_path, monkeypatch), tmp_path)


def _agent(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in {
        "ANTHROPIC_BASE_URL": model.removesuffix("/v1"),
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "HOME": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    agent = recipe("claude_agent_sdk", model, tmp_path, monkeypatch)
    (tmp_path / "desk_tools.py").write_text(_TOOL)
    return agent
