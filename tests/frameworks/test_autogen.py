"""AutoGen, by its own spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import NOBODY, model, must_not_be_blamed, must_tell, recipe, replies

pytest.importorskip("autogen_agentchat.agents")
pytest.importorskip("autogen_ext.models.openai")
__all__ = ["model"]


def test_the_recipe_on_the_page_tells_which_tool_was_called(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for reply in replies(recipe("autogen_agentchat", model, tmp_path, monkeypatch), tmp_path):
        must_tell(reply, arguments=False, usage=False)


def test_a_model_that_cannot_be_reached_is_not_the_agents_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    must_not_be_blamed(recipe("autogen_agentchat", NOBODY, tmp_path, monkeypatch), tmp_path)
