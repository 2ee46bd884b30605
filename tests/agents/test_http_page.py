"""What docs/how-to/connect-an-http-agent.md says of HTTP agents is so."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_http import ASKED, agent_at, answering
from tests.agents.test_http_stream import streaming
from tests.docs.pages import Block, blocks

from proctor.agents.http.options import _KNOWN, _POLL_KNOWN, DEFAULT_BODY
from proctor.agents.http.template import VALUES
from proctor.config import Config

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-an-http-agent.md"
TEXT = PAGE.read_text("utf-8")


def configured(block: Block) -> tuple[str, dict[str, Any]]:
    """The name and options of the agent that a block declares."""
    config = Config.model_validate(tomllib.loads(block.text))
    ((name, agent),) = config.agents.items()
    return name, agent.options


def pairs() -> list[tuple[str, dict[str, Any], Any]]:
    """Every agent of the page with the reply that stands under it."""
    page = blocks(PAGE)
    return [
        (*configured(block), json.loads(following.text))
        for block, following in itertools.pairwise(page)
        if (block.language, following.language) == ("toml", "json")
    ]


@pytest.mark.parametrize(
    ("name", "options", "body"), pairs(), ids=lambda value: value if isinstance(value, str) else ""
)
async def test_an_agent_reads_the_reply_that_stands_under_it(name: str, options: dict[str, Any], body: Any) -> None:
    async with agent_at(answering(body), **options) as (agent, _):
        reply = await agent.reply(ASKED)
    assert reply.text == "Paris"
    if name == "support":
        assert reply.tool_calls[0].arguments == {"q": "capital of France"}
        assert reply.citations[0].quote == "Paris is the capital"
        assert reply.usage is not None
        assert reply.usage.cost == 0.0004


async def test_the_stream_of_the_page_is_read() -> None:
    (options,) = (options for _, options in map(configured, _toml()) if "stream" in options)
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in ("Pa", "ris")]
    async with agent_at(streaming(*events), **options) as (agent, _):
        assert (await agent.reply(ASKED)).text == "Paris"


def test_every_toml_block_is_tested() -> None:
    assert len(_toml()) == len(pairs()) + 1


def _toml() -> list[Block]:
    return [block for block in blocks(PAGE) if block.language == "toml"]


def test_every_option_and_every_placeholder_is_on_the_page() -> None:
    assert [name for name in (*_KNOWN, *_POLL_KNOWN) if f"`{name}`" not in TEXT] == []
    assert [name for name in VALUES if f"`{{{{{name}}}}}`" not in TEXT] == []


def test_the_default_body_is_the_one_on_the_page() -> None:
    first = next(block for block in blocks(PAGE) if block.language == "json")
    assert json.loads(first.text).keys() == DEFAULT_BODY.keys()
