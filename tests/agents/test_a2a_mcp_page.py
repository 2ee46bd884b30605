"""What docs/how-to/connect-a2a-and-mcp.md says of A2A, MCP and programs that stay is so."""

from __future__ import annotations

import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from tests.docs.pages import blocks

from proctor.agents import a2a, command, mcp
from proctor.agents.a2a.agent import _KNOWN as A2A_OPTIONS
from proctor.agents.command import _LINES, _ONCE
from proctor.agents.mcp.agent import _LOCAL, _REMOTE
from proctor.config import AgentConfig, Config
from proctor.transcript import Request

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-a2a-and-mcp.md"
TEXT = PAGE.read_text("utf-8")
LOADERS = {"a2a": a2a.load, "mcp": mcp.load, "command": command.load}


def declared() -> dict[str, AgentConfig]:
    page = [Config.model_validate(tomllib.loads(block.text)) for block in blocks(PAGE) if block.language == "toml"]
    return {name: agent for config in page for name, agent in config.agents.items()}


@pytest.mark.parametrize("name", declared())
def test_every_agent_of_the_page_can_be_loaded(name: str) -> None:
    agent = declared()[name]
    scheme, _, rest = agent.spec.partition(":")
    rest = rest.replace("python ", f"{shlex.quote(sys.executable)} ", 1)
    assert LOADERS[scheme](rest, agent.options).name.startswith(f"{scheme}:")


async def test_the_program_of_the_page_answers(tmp_path: Path) -> None:
    (code,) = (block.text for block in blocks(PAGE) if block.file == "agent.py")
    (tmp_path / "agent.py").write_text(code, "utf-8")
    agent = command.load(shlex.join([sys.executable, str(tmp_path / "agent.py")]), declared()["mine"].options)
    assert (await agent.reply(Request(question="Why?", conversation="a"))).text == "You asked: Why?"
    await agent.close()


def test_every_option_is_in_the_table_of_its_section() -> None:
    _, first, second, third = TEXT.split("\n## ")
    for section, options in ((first, A2A_OPTIONS), (second, (*_REMOTE, *_LOCAL)), (third, (*_ONCE, *_LINES))):
        assert [name for name in options if f"`{name}`" not in section] == []


def test_every_field_of_a_request_is_named() -> None:
    assert [name for name in Request.__slots__ if f"`{name}`" not in TEXT] == []
