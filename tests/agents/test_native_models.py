"""Models of Anthropic, Google and Ollama as agents: by their own packages, and by OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.agents.minded.door import loaded
from tests.models.native import KEY, TOKENS, Dialect, Native, Said, native
from tests.models.openai_api import TOKENS as CHAT_TOKENS
from tests.models.openai_api import Refused, api
from tests.models.openai_api import Said as ChatSaid

from proctor.agents.langchain import load as load_langchain
from proctor.agents.openai import load_anthropic, load_google, load_ollama
from proctor.errors import EnvironmentFault, Misconfigured
from proctor.roles import Agent
from proctor.testing.agents import ASKED
from proctor.transcript import Reply

pytest.importorskip("langchain", reason="langchain is not installed")

from langchain.agents import create_agent

pytestmark = pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json' was never awaited")
"""Google's package forgets to wait for the body of an error."""

SEARCH = Said(calls=(("search", {"query": "Ada"}),))
ANSWER = Said(text="Ada Lovelace.")


def search(query: str) -> str:
    """Find passages."""
    return f"found: {query} Lovelace"


async def asked(dialect: Dialect, monkeypatch: pytest.MonkeyPatch, *script: Said) -> tuple[Reply, Native]:
    with native(dialect, *script) as server:
        monkeypatch.setenv(dialect.address, server.url)
        if dialect.key is not None:
            monkeypatch.setenv(dialect.key, KEY)
        agent = create_agent(model=dialect.model(), tools=[search])
        return await loaded(load_langchain, agent).reply(ASKED), server


async def test_a_tool_loop_is_read_with_its_call_result_and_usage(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply, server = await asked(dialect, monkeypatch, SEARCH, ANSWER)
    assert reply.text == "Ada Lovelace."
    made = [(call.name, call.arguments, call.result, call.error) for call in reply.tool_calls]
    assert made == [("search", {"query": "Ada"}, "found: Ada Lovelace", None)]
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.calls) == (
        2 * TOKENS[0],
        2 * TOKENS[1],
        2,
    )
    assert "found: Ada Lovelace" in dialect.results(server.bodies[1])[0], "the model was told what the tool said"


async def test_too_many_is_the_environments_failure_and_no_reply(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EnvironmentFault, match="429") as caught:
        await asked(dialect, monkeypatch, Said(text="slow down", status=429))
    assert caught.value.retry_after == 3.0


async def test_a_refused_key_stops_the_run(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Misconfigured, match="401"):
        await asked(dialect, monkeypatch, Said(text="no", status=401))


@pytest.mark.parametrize("load", [load_anthropic, load_google, load_ollama], ids=["anthropic", "google", "ollama"])
async def test_by_openais_protocol_tools_run_in_a_loop_and_everything_is_counted(load: Callable[..., Agent]) -> None:
    script = ChatSaid(calls=(("search", {"query": "Ada"}),)), ChatSaid(text="Ada Lovelace.")
    async with api(*script) as server:
        tools = ["python:tests.agents.test_native_models:search"]
        prices = {"m": {"input": 10.0, "output": 100.0}}
        agent = load("m", {"base_url": server.url, "tools": tools, "prices": prices})
        reply = await agent.reply(ASKED)
        await agent.close()
    assert reply.text == "Ada Lovelace."
    assert [(call.name, call.arguments, call.result) for call in reply.tool_calls] == [
        ("search", {"query": "Ada"}, "found: Ada Lovelace")
    ]
    assert reply.usage is not None
    sent, received = CHAT_TOKENS
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (2 * sent, 2 * received)
    assert reply.usage.cost == pytest.approx(2 * (sent * 10 + received * 100) / 1e6)


@pytest.mark.parametrize("load", [load_anthropic, load_google, load_ollama], ids=["anthropic", "google", "ollama"])
async def test_by_openais_protocol_too_many_is_the_environments(load: Callable[..., Agent]) -> None:
    async with api(Refused(status=429, error={"message": "slow down"}, headers={"Retry-After": "3"})) as server:
        agent = load("m", {"base_url": server.url})
        with pytest.raises(EnvironmentFault) as caught:
            await agent.reply(ASKED)
        await agent.close()
    assert caught.value.retry_after == 3.0
