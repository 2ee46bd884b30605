"""Three sub-agents over the library: a researcher, a reader and a checker, and the desk at which each works."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from proctor import fault_injection as conditions
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary
from proctor.demo.logbook import Logbook
from proctor.demo.passage import Finding
from proctor.demo.research import Research
from proctor.transcript import ToolCall
from proctor.usage import Usage

P = ParamSpec("P")
T = TypeVar("T")
_REPLACES = re.compile(r"\breplaces (?P<source>[\w-]+/[\w-]+\.md)")


class Bench(Desk):
    """A desk whose tool calls are steps of a delegation, and cost the words that are read there.

    No model reads here, so that words stand for tokens.
    """

    def __init__(self, *, agent: str, step: str, log: Logbook, calls: list[ToolCall], delay: float) -> None:
        super().__init__(calls=calls, delay=delay)
        self._agent, self._step, self._log = agent, step, log
        self.read = 0

    async def use(self, tool: Callable[P, T], *none: P.args, **arguments: P.kwargs) -> T:
        """Use a tool as a step, and pay for reading what it gave."""
        with self._log.step("tool", tool.__name__, parent=self._step, agent=self._agent) as step:
            step.call = f"call-{len(self.calls) + 1}"
            result = await super().use(tool, *none, **arguments)
        words = len(str(result).split())
        self.read += words
        conditions.spend(words)
        return result

    def usage(self, said: str) -> Usage:
        """What was read here, and what was handed over."""
        return Usage(input_tokens=self.read, output_tokens=len(said.split()))


@conditions.sub_agent
async def researcher(work: Callable[[], Awaitable[T]]) -> T:
    """Who searches by meaning."""
    return await work()


@conditions.sub_agent
async def reader(work: Callable[[], Awaitable[T]]) -> T:
    """Who goes where a question points: to a folder, a document, a phrase, an earlier answer."""
    return await work()


@conditions.sub_agent
async def checker(work: Callable[[], Awaitable[T]]) -> T:
    """Who knows which documents are out of date, and looks quotes up."""
    return await work()


async def find_outdated(library: DocumentLibrary, desk: Desk) -> dict[str, str]:
    """Which documents are out of date: source → the one in force, as far as the documents say."""
    hits = await desk.use(library.search_keyword, phrase="replaces")
    return {found["source"]: hit["source"] for hit in hits for found in _REPLACES.finditer(hit["text"])}


async def verify_finding(research: Research, finding: Finding, replaced: dict[str, str]) -> Finding:
    """A finding whose quote stands where it says, and not in a document that another has replaced."""
    current = replaced.get(finding.citations[0].source)
    if current is not None:
        notice = f"{finding.text} It has been replaced by {current}."
        return await research.best_in(current) or replace(finding, text=notice)
    if finding.passage is None or await research.find_again(finding.citations) is not None:
        return finding
    return replace(finding, text=f"{finding.text} I could not find these words again.")
