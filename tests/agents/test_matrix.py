"""One and the same librarian, reached in every way there is, leaves the same transcript."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.agents.minded.door import loaded
from tests.agents.minded.librarian import TOOLS, librarian
from tests.agents.minded.plain import as_function, as_program, as_recording, over_chat, over_http

from proctor.codec import encode
from proctor.demo import benchmark_path
from proctor.demo.librarian import Librarian
from proctor.roles import Agent
from proctor.transcript import Reply, Request, Turn

Way = Callable[[Path], AbstractAsyncContextManager[Agent]]


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
async def by_function(_: Path) -> AsyncIterator[Agent]:
    yield as_function(librarian, TOOLS)


@asynccontextmanager
async def by_command(_: Path) -> AsyncIterator[Agent]:
    yield as_program(librarian)


@asynccontextmanager
async def by_http(_: Path) -> AsyncIterator[Agent]:
    async with over_http(librarian, TOOLS) as agent:
        yield agent


@asynccontextmanager
async def by_openai(_: Path) -> AsyncIterator[Agent]:
    async with over_chat(librarian, [f"python:tests.agents.minded.librarian:Shelf.{name}" for name in TOOLS]) as agent:
        yield agent


@asynccontextmanager
async def by_recording(folder: Path) -> AsyncIterator[Agent]:
    yield await as_recording(librarian, REQUESTS, folder / "librarian.jsonl", TOOLS)


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


WAYS: list[Way] = [
    by_function,
    by_command,
    by_http,
    by_openai,
    by_recording,
    by_langchain,
    by_pydantic_ai,
    by_openai_agents,
]
WITHOUT_CITATIONS: set[Way] = {by_openai}
"""A chat completion has no place for a source and its words."""


def transcript(reply: Reply, *, citations: bool) -> dict[str, Any]:
    """What has to be the same: the answer, the calls, the citations; not the times, nor what providers call a call."""
    calls = [(call.name, call.arguments, encode(call.result), call.error is not None) for call in reply.tool_calls]
    cited = [(citation.source, citation.quote) for citation in reply.citations]
    return {"text": reply.text, "calls": calls, "places": [call.step for call in reply.tool_calls]} | (
        {"citations": cited} if citations else {}
    )


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.removeprefix("by_"))
async def test_the_same_transcript_whichever_way_it_is_reached(way: Way, tmp_path: Path) -> None:
    cited = way not in WITHOUT_CITATIONS
    itself = Librarian()
    async with way(tmp_path) as agent:
        for request in REQUESTS:
            seen = transcript(await agent.reply(request), citations=cited)
            assert seen == transcript(await itself.reply(request), citations=cited), request.question


async def test_the_questions_show_what_the_librarian_can_do() -> None:
    replies = [await Librarian().reply(request) for request in REQUESTS]
    calls = [call for reply in replies for call in reply.tool_calls]
    assert {call.name for call in calls} == TOOLS.keys()
    assert any(call.error for call in calls)
    assert any(request.context for request in REQUESTS)
    assert sum(bool(reply.citations) for reply in replies) >= 5


@pytest.mark.parametrize("way", [way for way in WAYS if way is not by_recording], ids=lambda way: way.__name__)
async def test_a_conversation_goes_the_same_way(way: Way, tmp_path: Path) -> None:
    first = REQUESTS[0]
    itself = Librarian()
    said = await itself.reply(first)
    turn = Turn(number=1, question=first.question, reply=Reply(text=said.text))  # what was said is all that is told
    again = Request(question="Are you sure?", conversation="again", history=(turn,), turn=2)
    cited = way not in WITHOUT_CITATIONS
    async with way(tmp_path) as agent:
        seen = transcript(await agent.reply(again), citations=cited)
    assert seen == transcript(await itself.reply(again), citations=cited)
