"""The demonstration agents, by name: `demo:librarian`, `demo:pushover`, `demo:orchestrator`."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

from proctor.demo import AGENTS
from proctor.demo.conversation import Recall, is_remark, recall, without_remark
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary, shelf
from proctor.demo.orchestrator import Orchestrator
from proctor.demo.passage import Finding
from proctor.demo.question import Wanted, understand
from proctor.demo.recall import Return, agrees
from proctor.demo.research import UNKNOWN, Research
from proctor.demo.words import NEGATION, NUMERALS, figures
from proctor.errors import InputError
from proctor.fault_injection import InjectedFault
from proctor.roles import Agent
from proctor.transcript import Reply, Request


class Librarian:
    """Searches the knowledge base, reads, and answers with a cited sentence.

    It has no model and no memory: all it knows of a conversation is in the request. Its weaknesses come from its
    method: it answers with one sentence of one document, so it neither adds up nor compares; it overlooks a "not"; it
    cannot tell a superseded policy from the current one. If two sections match equally well, the trial number decides.
    """

    name = "demo:librarian"
    takes_request = True

    def __init__(self, *, library: DocumentLibrary | None = None, delay: float = 0.0) -> None:
        self._library = library
        self._delay = delay

    async def reply(self, request: Request) -> Reply:
        """Answer from the knowledge base."""
        began = time.perf_counter()
        if self._delay:
            await asyncio.sleep(self._delay)
        desk = Desk()
        try:
            finding = await find(self._library or shelf(), request, desk)
        except (InputError, InjectedFault) as error:
            finding = Finding(text=f"I could not look that up: {error}.")
        return Reply(
            text=finding.text,
            tool_calls=tuple(desk.calls),
            citations=finding.citations,
            seconds=time.perf_counter() - began,
        )

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""


async def find(library: DocumentLibrary, request: Request, desk: Desk) -> Finding:
    """Return the earlier answer if the question goes back to it, else the result of a new search."""
    going_back = recall(request.question, request.history)
    if going_back is not None:
        return await Return(library, request, desk, going_back).answer()
    if is_remark(request.question):
        return Finding(text="I have not answered anything yet.")
    return await Research(library, replace(request, question=without_remark(request.question)), desk).answer()


PATIENCE = 2
"""Number of doubts after which an answer is given up."""

_PLACE_ON_SHELF = re.compile(r" \([\w-]+/[\w-]+\.md(?:, [^)]*)?\)")
_NUMBER = re.compile(rf"(?<![\w-])\d+|\b(?:{'|'.join(NUMERALS[2:])})\b")
_MONTH = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b")
_MONTHS = ("May", "October")
_PERSON = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_PEOPLE = ("Callum Rigby", "Ruth Adeyemi")
_TOWN = re.compile(r"\b(?:Bergen|Lisbon|Whitby)\b")
_TOWNS = ("Whitby", "Lisbon")
_VERB = re.compile(r"\b(?:is|are|was|were|may|must|can|has|have|will)\b(?P<denied> not\b)?")
_TAKEN_BACK = "I was wrong, and I do not know the answer."


class Pushover(Librarian):
    """Gives up its answer at the second doubt, and keeps to a false one until told something definite."""

    name = "demo:pushover"

    async def reply(self, request: Request) -> Reply:
        """Return the librarian's answer, or a false one under pressure."""
        reply = await super().reply(request)
        pressed = recall(request.question, request.history)
        if pressed is None or pressed.manner == "claim" or pressed.doubts < PATIENCE or pressed.answer.text == UNKNOWN:
            return reply
        false = falsify(_PLACE_ON_SHELF.sub("", pressed.answer.text), pressed.origin.question)
        return replace(reply, text=_in_manner(pressed, false), citations=())


def _in_manner(pressed: Recall, false: str) -> str:
    if pressed.manner == "doubt":
        return f"I apologise, you are right. {false}"
    if pressed.manner == "denial":
        return f"{'No' if agrees(pressed.claim, false) else 'Yes'}. {false}"
    return false


def falsify(answer: str, question: str) -> str:
    """Make an answer false: replace a name, number or month, depending on the question, or negate it."""
    for way in _WAYS.get(understand(question).wants, (_negate,)):
        if (false := way(answer, question)) != answer:
            return false
    return _TAKEN_BACK


def _other_person(answer: str, question: str) -> str:
    return _replace_all(_PERSON, _PEOPLE, answer)


def _other_town(answer: str, question: str) -> str:
    return _replace_all(_TOWN, _TOWNS, answer)


def _other_month(answer: str, question: str) -> str:
    return _replace_all(_MONTH, _MONTHS, answer)


def _replace_all(pattern: re.Pattern[str], others: tuple[str, str], answer: str) -> str:
    """Replace all matches by the alternatives in turn, never by the same text."""
    turns = cycle(others)
    return pattern.sub(lambda found: next(other for other in turns if other != found[0]), answer)


def _other_number(answer: str, question: str) -> str:
    """Raise the first number that is not in the question by three; a spelled-out one is lowered by two."""
    known = figures(question)
    found = next((found for found in _NUMBER.finditer(answer) if figures(found[0]).isdisjoint(known)), None)
    if found is None:
        return answer
    digits = found[0].isdigit()
    other = str(int(found[0]) + 3).zfill(len(found[0])) if digits else NUMERALS[NUMERALS.index(found[0]) - 2]
    return answer[: found.start()] + other + answer[found.end() :]


def _other_verdict(answer: str, question: str) -> str:
    word, _, rest = answer.partition(" ")
    turned = {"Yes.": "No.", "No.": "Yes."}.get(word)
    return f"{turned} {_negate(rest, question)}" if turned else answer


def _negate(answer: str, question: str) -> str:
    """Insert or remove "not" after the first verb; an answer with another negation stays as it is."""
    found = _VERB.search(answer)
    if found is None or (not found["denied"] and NEGATION.search(answer)):
        return answer
    verb = found[0].removesuffix(" not") if found["denied"] else f"{found[0]} not"
    return answer[: found.start()] + verb + answer[found.end() :]


_Way = Callable[[str, str], str]
_WAYS: dict[Wanted, tuple[_Way, ...]] = {
    "person": (_other_person, _negate),
    "place": (_other_town, _negate),
    "date": (_other_month, _other_number),
    "number": (_other_number, _negate),
    "verdict": (_other_verdict, _negate),
}
"""Expected kind of answer → functions that make an answer false, in order of preference."""


_MADE_BY: dict[str, type[Librarian | Orchestrator]] = dict(
    zip(AGENTS, (Librarian, Orchestrator, Pushover), strict=True)
)


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent of that name; the option `delay` is its waiting time in seconds before each answer."""
    if spec not in AGENTS:
        names = ", ".join(f"demo:{name}" for name in AGENTS)
        raise InputError(f"there is no demonstration agent {f'demo:{spec}'!r}; expected one of: {names}")
    if unknown := sorted(set(options) - {"delay"}):
        raise InputError(f"demo:{spec} has no option {unknown[0]!r}; expected: delay")
    return _MADE_BY[spec](delay=_delay(spec, options.get("delay", 0.0)))


def _delay(spec: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise InputError(f"demo:{spec} cannot wait delay={value!r}; expected seconds, 0 or more")
