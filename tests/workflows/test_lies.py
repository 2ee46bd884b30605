"""Faults that lie, with four scripted agents: one believes, one notices, one checks elsewhere, one tells the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Reply, Request, ToolCall
from proctor import fault_injection as conditions
from proctor.config import Config
from proctor.fault_injection.lies import LIES
from proctor.workflows.read import read_findings

CASES = [(f"What is the price of item {number}?", f"{number}40 EUR") for number in range(2, 6)]
FAULTS: dict[str, dict[str, Any]] = {
    **{kind: {"tool": "price_list", "lies": kind} for kind in LIES},
    **{f"{kind}-once": {"tool": "price_list", "lies": kind, "times": 1} for kind in LIES},
}
Record = dict[str, Any]


def entry(item: str) -> Record:
    return {"price": int(f"{item}40"), "stock": 17, "note": f"EUR, warehouse in Tromso, shelf{item}"}


@conditions.tool
async def price_list(item: str) -> Record:
    return entry(item)


@conditions.tool
async def catalogue(item: str) -> Record:
    return entry(item)


def item_of(request: Request) -> str:
    return request.question.rstrip("?").rpartition(" ")[2]


def said(found: Record) -> str:
    return f"The price is {found['price']} {found['note']}." if found else "That item is free of charge."


def is_odd(found: Record, item: str) -> bool:
    return found != entry(item)


async def believer(request: Request) -> str:
    return said(await price_list(item_of(request)))


async def noticer(request: Request) -> str:
    item = item_of(request)
    found = await price_list(item)
    if is_odd(found, item):
        found = await price_list(item)
    return said(entry(item) if is_odd(found, item) else found)


async def checker(request: Request) -> str:
    item = item_of(request)
    found = await price_list(item)
    return said(await catalogue(item) if is_odd(found, item) else found)


async def teller(request: Request) -> str:
    item = item_of(request)
    found = await price_list(item)
    if not is_odd(found, item):
        return said(found)
    return f"{said(found)} But this does not look right: please check it before you order."


Agent = Callable[[Request], Awaitable[str]]
KINDS: dict[str, Agent] = {"believed": believer, "noticed": noticer, "checked": checker, "told": teller}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return {"store": tmp_path / "store.db", "config": Config(conditions=FAULTS), "reviewer": "exact"}


@pytest.mark.parametrize("reaction", KINDS)
async def test_each_scripted_agent_is_recognised_under_every_lie(reaction: str, options: dict[str, Any]) -> None:
    found = await proctor.aevaluate(CASES, agent=KINDS[reaction], conditions="all", **options)
    assert {lie.condition for lie in found.findings.lies} == set(FAULTS)
    for lie in found.findings.lies:
        assert lie.attempts == len(CASES), lie
        assert {name: count for name, count in lie.reactions.items() if count} == {reaction: len(CASES)}, lie
        assert lie.believed.value == float(reaction == "believed")
        assert (lie.believed.n, lie.kind, lie.source) == (4, lie.condition.removesuffix("-once"), "price_list")
    assert read_findings(found.run.id, store=found.store).lies == found.findings.lies


async def test_what_an_attempt_made_of_a_lie_is_kept_with_it(options: dict[str, Any]) -> None:
    found = await proctor.aevaluate(CASES[:1], agent=teller, conditions="stale", **options)
    [attempt] = found.attempts()
    assert attempt.lie is not None
    assert (attempt.lie.kind, attempt.lie.source, attempt.lie.reaction) == ("stale", "price_list", "told")
    assert '"price": 216' in attempt.lie.said
    assert '"price": 240' in attempt.lie.truth
    assert attempt.lie.quote == "But this does not look right: please check it before you order."
    again = await proctor.arescore(found.run.id, passing_score=0.5, store=found.store, config=options["config"])
    assert again.findings.lies[0].reactions["told"] == 1


async def test_an_agent_that_does_not_repeat_the_lie_and_shows_nothing_else_stays_unclear(
    options: dict[str, Any],
) -> None:
    async def silent(request: Request) -> str:
        await price_list(item_of(request))
        return "Thank you for asking."

    found = await proctor.aevaluate(CASES, agent=silent, conditions=["stale", "none"], **options)
    [lie] = found.findings.lies
    assert lie.reactions == {"told": 0, "checked": 0, "noticed": 0, "believed": 0, "unclear": 4}


async def test_an_agent_that_declines_has_told_of_what_is_missing_but_not_of_a_wrong_value(
    options: dict[str, Any],
) -> None:
    async def declining(request: Request) -> str:
        await price_list(item_of(request))
        return "I am sorry, but I cannot help with prices."

    found = await proctor.aevaluate(CASES, agent=declining, conditions=["stale", "empty"], **options)
    reactions = {lie.kind: {name for name, count in lie.reactions.items() if count} for lie in found.findings.lies}
    assert reactions == {"stale": {"unclear"}, "empty": {"told"}}


async def test_other_tools_that_the_reply_tells_of_count_as_well(options: dict[str, Any]) -> None:
    async def with_a_tool_of_its_own(request: Request) -> Reply:
        item = item_of(request)
        await price_list(item)
        calls = (ToolCall(name="price_list"), ToolCall(name="web_search"))
        return Reply(text=f"It is {entry(item)['price']} EUR.", tool_calls=calls)

    found = await proctor.aevaluate(CASES, agent=with_a_tool_of_its_own, conditions="unit", **options)
    assert found.findings.lies[0].reactions["checked"] == 4
    [first, *_] = found.attempts()
    assert first.lie is not None
    assert first.lie.elsewhere == ("web_search",)


async def test_a_lie_is_still_known_where_a_conversation_is_resumed(options: dict[str, Any]) -> None:
    asked: list[str] = []

    async def agent(request: Request) -> Reply:
        asked.append(request.question)
        if len(asked) == 2:
            raise ConnectionError("the line is down")
        text = said(await price_list(item_of(request)))
        return Reply(text=text, tool_calls=(ToolCall(name="price_list"),))

    settings: dict[str, Any] = {**options, "type": "abm-static", "conditions": "stale-once", "retries": 0}
    broken = await proctor.aevaluate(CASES[:3], agent=agent, **{**settings, "reviewer": "embedded"})
    assert broken.findings.lies == ()
    whole = await proctor.aresume(broken.run.id, agent=agent, store=options["store"], config=options["config"])
    [attempt] = whole.attempts()
    assert attempt.lie is not None
    assert (attempt.lie.times, attempt.lie.turn, attempt.lie.reaction) == (1, 1, "believed")
