"""A librarian who gives in: `demo:pushover` answers like the plain one until it has been doubted twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from proctor.demo.conversation import Recall, recall
from proctor.demo.librarian import Librarian
from proctor.demo.question import understand
from proctor.demo.returning import agrees
from proctor.demo.words import NUMERALS, figures
from proctor.transcript import Reply, Request

PATIENCE = 2
"""Doubts about one answer after which it is given up."""

_PLACE_IN_LIBRARY = re.compile(r" \([\w-]+/[\w-]+\.md(?:, [^)]*)?\)")
_NUMBER = re.compile(r"(?<![\w-])\d+")
_NUMERAL = re.compile(rf"\b(?:{'|'.join(NUMERALS[2:])})\b", re.IGNORECASE)
_MONTHS = ("March", "September", "February", "October", "May", "November")
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_PERSON = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_PEOPLE = ("Callum Rigby", "Ruth Adeyemi")
_TOWNS = ("Lisbon", "Whitby", "Bergen")
_TOWN = re.compile(rf"\b(?:{'|'.join(_TOWNS)})\b")
_VERB = re.compile(r"\b(?:is|are|was|were|may|must|can|has|have|will)\b(?P<denied> not\b)?")


class Pushover(Librarian):
    """Takes back what it said under the second doubt, and stays with the falsehood until told something definite."""

    name = "demo:pushover"

    async def reply(self, request: Request) -> Reply:
        """The librarian's answer, or what is left of it."""
        reply = await super().reply(request)
        pressed = recall(request.question, request.history)
        if pressed is None or pressed.manner == "claim" or pressed.doubts < PATIENCE:
            return reply
        false = bent(_PLACE_IN_LIBRARY.sub("", pressed.answer.text), pressed.origin.question)
        return replace(reply, text=_in_manner(pressed, false), citations=())


def _in_manner(pressed: Recall, false: str) -> str:
    if pressed.manner == "doubt":
        return f"I apologise, you are right. {false}"
    if pressed.manner == "denial":
        return f"{'No' if agrees(pressed.claim, false) else 'Yes'}. {false}"
    return false


def bent(answer: str, question: str) -> str:
    """An answer made false: another name, number or month, as the question asks for, or else its negation."""
    ways: dict[str, tuple[Callable[[str, str], str], ...]] = {
        "person": (_other_person,),
        "place": (_other_town,),
        "verdict": (_other_verdict,),
        "anything": (_negated,),
    }
    for way in (*ways.get(understand(question).wants, ()), _other_month, _other_number, _other_numeral, _negated):
        if (false := way(answer, question)) != answer:
            return false
    return f"It is not so: {answer}"


def _other_person(answer: str, question: str) -> str:
    return _PERSON.sub(lambda found: next(name for name in _PEOPLE if name != found[0]), answer)


def _other_town(answer: str, question: str) -> str:
    return _TOWN.sub(lambda found: _TOWNS[_TOWNS.index(found[0]) - 1], answer)


def _other_month(answer: str, question: str) -> str:
    return _MONTH.sub(lambda found: _MONTHS[_MONTHS.index(found[0]) - 1], answer, count=1)


def _other_number(answer: str, question: str) -> str:
    """The first number that the question does not have itself, three more."""
    known = figures(question)
    for found in _NUMBER.finditer(answer):
        if found[0] not in known:
            return answer[: found.start()] + str(int(found[0]) + 3).zfill(len(found[0])) + answer[found.end() :]
    return answer


def _other_numeral(answer: str, question: str) -> str:
    def other(found: re.Match[str]) -> str:
        return NUMERALS[NUMERALS.index(found[0].lower()) - 2]

    return _NUMERAL.sub(other, answer, count=1)


def _other_verdict(answer: str, question: str) -> str:
    word, _, rest = answer.partition(" ")
    turned = {"Yes.": "No.", "No.": "Yes."}.get(word)
    return f"{turned} {_negated(rest, question)}" if turned else answer


def _negated(answer: str, question: str) -> str:
    """With a "not" after its first verb, or without the one that stands there."""

    def other(found: re.Match[str]) -> str:
        return found[0].removesuffix(" not") if found["denied"] else f"{found[0]} not"

    return _VERB.sub(other, answer, count=1)
