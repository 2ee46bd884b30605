"""One and the same librarian, reached in every way there is, leaves the same transcript."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.agents.minded import mcp as minded_mcp
from tests.agents.minded.door import loaded
from tests.agents.minded.librarian import TOOLS, librarian
from tests.agents.minded.online import JSON_WAYS, over_http, over_openai
from tests.agents.minded.plain import PYTHON, as_lines, as_program, as_python
from tests.agents.minded.recordings import FORMS, as_recording

from proctor import plugins
from proctor.codec import encode
from proctor.demo import benchmark_path
from proctor.demo.agent import Librarian
from proctor.roles import Agent
from proctor.transcript import Reply, Request, ToolCall, Turn

Reaching = Callable[[Path], AbstractAsyncContextManager[Agent]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How the librarian is reached."""

    name: str
    reach: Reaching
    lost: frozenset[str] = frozenset()
    """What the way has no words for: `quotes` of citations, `errors` of tools, a `conversation`."""


def _requests() -> list[Request]:
    """Questions that take all seven tools between them; one where a tool refuses, one that nothing answers."""
    with benchmark_path().open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    chosen = [rows[place] for place in (0, 6, 8, 9, 10, 12, 13, 28)]
    asked = [(row[0], row[3] if row[3:] else None) for row in chosen]
    asked += [("What is in the folder kitchens?", None), ("What does the moon weigh?", None)]
    return [
        Request(question=question, conversation=f"c{number}", case=f"q{number}", context=context or None)
        for number, (question, context) in enumerate(asked)
    ]


REQUESTS = _requests()


@asynccontextmanager
async def closing(agent: Agent) -> AsyncIterator[Agent]:
    try:
        yield agent
    finally:
        await agent.close()


def by_python(form: str) -> Reaching:
    return lambda _: closing(as_python(form, librarian, TOOLS))


def by_http(way: str) -> Reaching:
    return lambda _: over_http(librarian, TOOLS, way=way)


def by_openai(api: str) -> Reaching:
    tools = [f"python:tests.agents.minded.librarian:Shelf.{name}" for name in TOOLS]
    return lambda _: over_openai(librarian, tools, api=api)


def by_recording(form: str) -> Reaching:
    @asynccontextmanager
    async def reach(folder: Path) -> AsyncIterator[Agent]:
        yield await as_recording(librarian, REQUESTS, folder / "librarian.jsonl", TOOLS, form=form)

    return reach


def by_a2a(*, streaming: bool) -> Reaching:
    @asynccontextmanager
    async def reach(_: Path) -> AsyncIterator[Agent]:
        pytest.importorskip("a2a", reason="the A2A SDK (a2a-sdk) is not installed")
        from tests.agents.minded import a2a

        from proctor.agents.a2a import load

        async with (
            a2a.served(a2a.minded(librarian, TOOLS), streaming=streaming) as (url, _executor),
            closing(load(url, {})) as agent,
        ):
            yield agent

    return reach


def by_mcp(*, program: bool) -> Reaching:
    @asynccontextmanager
    async def reach(_: Path) -> AsyncIterator[Agent]:
        pytest.importorskip("mcp.server.mcpserver", reason="the MCP SDK (mcp 2) is not installed")
        from proctor.agents.mcp import load

        async with AsyncExitStack() as stack:
            line = minded_mcp.line("librarian")
            place = line if program else await stack.enter_async_context(minded_mcp.served("librarian"))
            yield await stack.enter_async_context(closing(load(place, minded_mcp.WHOLE)))

    return reach


@asynccontextmanager
async def by_langchain(_: Path) -> AsyncIterator[Agent]:
    pytest.importorskip("langchain", reason="langchain is not installed")
    from tests.agents.minded import langchain

    from proctor.agents.langchain import load

    yield loaded(load, langchain.agent_with(librarian, TOOLS, cited=True))


@asynccontextmanager
async def by_pydantic_ai(_: Path) -> AsyncIterator[Agent]:
    pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from tests.agents.minded import pydantic_ai

    from proctor.agents.pydantic_ai import load

    yield loaded(load, pydantic_ai.agent_with(librarian, TOOLS, cited=True))


@asynccontextmanager
async def by_openai_agents(_: Path) -> AsyncIterator[Agent]:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    from tests.agents.minded import openai_agents

    from proctor.agents.openai_agents import load

    yield loaded(load, openai_agents.agent_with(librarian, TOOLS, cited=True))


LOST: Mapping[str, frozenset[str]] = {
    "openai": frozenset({"quotes"}),
    "recorded": frozenset({"conversation"}),
    "recorded messages": frozenset({"conversation", "quotes", "errors"}),
    "a2a": frozenset({"conversation"}),
}
"""OpenAI's annotations name a source without its words, and its messages do not say that a tool has failed.

A recording goes its own way, and an A2A agent remembers by itself what was said.
"""
REACHED: Mapping[str, Reaching] = {
    **{f"python {form}": by_python(form) for form in PYTHON},
    "command": lambda _: closing(as_program(librarian)),
    "command lines": lambda _: closing(as_lines(librarian)),
    **{f"http {way}": by_http(way) for way in JSON_WAYS},
    **{f"openai {api}": by_openai(api) for api in ("chat", "responses")},
    "langchain": by_langchain,
    "pydantic-ai": by_pydantic_ai,
    "openai-agents": by_openai_agents,
    "a2a": by_a2a(streaming=False),
    "a2a streaming": by_a2a(streaming=True),
    "mcp": by_mcp(program=False),
    "mcp program": by_mcp(program=True),
    **{f"recorded {form}": by_recording(form) for form in FORMS},
}
WAYS = [
    Way(name=name, reach=reach, lost=LOST.get(name, LOST.get(name.partition(" ")[0], frozenset())))
    for name, reach in REACHED.items()
]


def transcript(reply: Reply, lost: frozenset[str]) -> dict[str, Any]:
    """What has to be the same: the answer, the calls, the citations; not the times, nor what providers call a call."""
    calls = [(call.name, call.arguments, *_outcome(call, lost)) for call in reply.tool_calls]
    cited = [(each.source, None if "quotes" in lost else each.quote) for each in reply.citations]
    return {"text": reply.text, "calls": calls, "places": _places(reply), "citations": cited}


def _outcome(call: ToolCall, lost: frozenset[str]) -> tuple[object, bool]:
    """As data: a protocol may put keys in an order of its own."""
    if "errors" in lost:
        return _plain(call.result if call.error is None else call.error), False
    return _plain(call.result), call.error is not None


def _plain(value: object) -> object:
    return json.loads(encode(value))


def _places(reply: Reply) -> list[int | None]:
    """Calls without a place came one after the other."""
    if all(call.step is None for call in reply.tool_calls):
        return list(range(1, len(reply.tool_calls) + 1))
    return [call.step for call in reply.tool_calls]


def test_every_kind_of_agent_is_in_the_matrix() -> None:
    kinds = {name.partition(" ")[0] for name in REACHED}
    others = {"demo"} | {"https", "anthropic", "google", "ollama", "openai-compatible"}  # itself; and other names
    others |= {"crewai", "google-adk", "llama-index", "smolagents"}  # make test-frameworks
    assert kinds == plugins.known("agents").keys() - others


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
async def test_the_same_transcript_whichever_way_it_is_reached(way: Way, tmp_path: Path) -> None:
    itself = Librarian()
    async with way.reach(tmp_path) as agent:
        for request in REQUESTS:
            seen = transcript(await agent.reply(request), way.lost)
            assert seen == transcript(await itself.reply(request), way.lost), request.question


async def test_the_questions_show_what_the_librarian_can_do() -> None:
    replies = [await Librarian().reply(request) for request in REQUESTS]
    calls = [call for reply in replies for call in reply.tool_calls]
    assert {call.name for call in calls} == TOOLS.keys()
    assert any(call.error for call in calls)
    assert any(request.context for request in REQUESTS)
    assert sum(bool(reply.citations) for reply in replies) >= 5


@pytest.mark.parametrize("way", [way for way in WAYS if "conversation" not in way.lost], ids=lambda way: way.name)
async def test_a_conversation_goes_the_same_way(way: Way, tmp_path: Path) -> None:
    first = REQUESTS[0]
    itself = Librarian()
    said = await itself.reply(first)
    turn = Turn(number=1, question=first.question, reply=Reply(text=said.text))  # what was said is all that is told
    again = Request(question="Are you sure?", conversation="again", history=(turn,), turn=2)
    async with way.reach(tmp_path) as agent:
        seen = transcript(await agent.reply(again), way.lost)
    assert seen == transcript(await itself.reply(again), way.lost)
