"""What docs/how-to/connect-a-framework-agent.md says is so."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import blocks

from proctor.agents import langchain, openai_agents, pydantic_ai
from proctor.config import Config
from proctor.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-a-framework-agent.md"
ROOMS: dict[str, Any] = {"langchain": langchain, "pydantic-ai": pydantic_ai, "openai-agents": openai_agents}
NEEDS = {"langchain": "langchain", "pydantic-ai": "pydantic_ai", "openai-agents": "agents"}
HEADINGS = {"langchain": "LangChain and LangGraph", "pydantic-ai": "Pydantic AI", "openai-agents": "OpenAI Agents SDK"}


def declared() -> list[tuple[str, Mapping[str, Any]]]:
    """The spec and options of every agent on the page."""
    configs = [Config.model_validate(tomllib.loads(each.text)) for each in blocks(PAGE) if each.language == "toml"]
    return [(agent.spec, agent.options) for config in configs for agent in config.agents.values()]


@pytest.mark.parametrize(("spec", "options"), declared())
def test_every_agent_of_the_page_can_be_loaded(
    spec: str, options: Mapping[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheme, _, rest = spec.partition(":")
    pytest.importorskip(NEEDS[scheme], reason=f"{scheme} is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.syspath_prepend(str(tmp_path))
    for block in blocks(PAGE):
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, "utf-8")
            monkeypatch.delitem(sys.modules, Path(block.file).stem, raising=False)
    importlib.invalidate_caches()
    agent = ROOMS[scheme].load(rest, options)
    assert agent.name == spec
    assert agent.takes_request


@pytest.mark.parametrize("scheme", ROOMS)
def test_the_page_names_every_option_and_no_other(scheme: str) -> None:
    section = PAGE.read_text("utf-8").split(f"\n## {HEADINGS[scheme]}\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(ROOMS[scheme]._KNOWN)


@pytest.mark.parametrize("scheme", ROOMS)
def test_the_page_tells_how_a_missing_framework_is_installed(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "langchain_core" if scheme == "langchain" else NEEDS[scheme]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"pip install 'proctor\\[{scheme}\\]'"):
        ROOMS[scheme].load("support:agent", {})
