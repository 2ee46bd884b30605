"""Classify a question by its surface form: what it asks for, and how to look it up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from proctor.demo.words import terms

Shape = Literal["contents", "info", "find", "document", "sequence", "phrase", "open"]
Wanted = Literal["person", "date", "number", "place", "verdict", "anything"]

_LONGEST = 300
"""Maximum characters that are parsed, which are enough and keep it fast."""
_KIND = "(?:document|file|policy|manual|handbook|runbook|page)"

# The first match wins; case-insensitive.
_SHAPES: tuple[tuple[Shape, str], ...] = (
    ("contents", r"\b(?:the|in|under) (?P<subject>[\w-]+) folder\b|\b(?:which|what) folders\b"),
    ("info", rf"^(?:when|who)\b.*?\bthe (?P<subject>.+?)(?: {_KIND})? (?:last )?(?:updated|revised|changed)\b"),
    ("info", rf"\b(?:how many|which|what) (?:sections|words) .*\bthe (?P<subject>.+?)(?: {_KIND})?(?: have)?\?"),
    ("info", rf"^who (?:owns|keeps) the (?P<subject>.+? {_KIND})\b"),
    ("document", rf"\bthe (?P<subject>[\w -]*?{_KIND}) (?:says?|states?) (?:about|on) (?P<topic>.+)"),
    ("find", rf"\b(?:which|what) {_KIND} (?:covers|is about|describes|deals with|explains) (?P<subject>.+)"),
    ("find", rf"\bwhere (?:is|can i find|do i find) the (?P<subject>.+? {_KIND})\b"),
    ("sequence", r"\b(?:step|comes|happens|done|do)\b.*\b(?P<side>after|before)\b (?P<subject>.+)"),
    ("phrase", r"[\"“](?P<subject>[^\"”]+)[\"”]"),
    ("phrase", r"\b(?-i:(?P<subject>[A-Z]{2,}-\d[\d-]*))"),
)

_OPENINGS: tuple[tuple[Wanted, str], ...] = (
    ("verdict", r"^(?:and |but |so )?(?:is|isn't|are|aren't|was|were|do|does|did|can|may|must|has|have|will)\b"),
    ("person", r"\bwhom?\b"),
    ("date", r"\bwhen\b|\b(?:what|which) (?:date|day|year|month|time)\b"),
    ("number", r"\bhow (?:many|much|long|often|far|loud|heavy|deep|old|big|tall|fast|high)\b"),
    ("number", r"\b(?:costs?|price|weighs?|percentage)\b"),
    ("place", r"\bwhere\b|\bwhich (?:city|town|country|harbour|office)\b"),
)

_COUNT = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|twice|once"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_OFFERS: dict[Wanted, str] = {
    "person": r"\b[A-Z][a-zà-ÿ]+ [A-Z][a-zà-ÿ]+\b|\b(?:director|head of|lead|manager|trustees|officer)\b",
    "date": rf"\b(?:{_MONTH}|(?:{_DAY})s?)\b|\b(?:19|20)\d\d\b|\b\d\d:\d\d\b|\b\d+(?:st|nd|rd|th)\b",
    "number": rf"\d|\b(?i:{_COUNT})\b",
    "place": r"\b(?:in|at|on|under|above|from) (?:the |our |a )?(?:\w+ )?(?:in )?[A-Z]",
}

_BACK = re.compile(r"\b(?:it|its|they|them|their|that|those|this|there|he|she|his|her)\b", re.IGNORECASE)
_ANOTHER = re.compile(r"^(?:and |but |so )?(?:what|how) about\b|^and (?:in|at|for|of|the)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedQuestion:
    """A question as the librarian understands it."""

    text: str
    shape: Shape
    """Type of lookup to use."""
    wants: Wanted
    """Expected kind of answer."""
    subject: str = ""
    """The folder, document, step or phrase it names."""
    topic: str = ""
    """What it asks about the named document."""
    backwards: bool = False
    """Whether it asks for the step before, not after."""


def understand(text: str) -> ParsedQuestion:
    """Parse a question."""
    opening = text[:_LONGEST]
    wants = _kind_of_answer(opening)
    for shape, pattern in _SHAPES:
        if match := re.search(pattern, opening, re.IGNORECASE):
            named = {name: value.strip(" ?.!") for name, value in match.groupdict(default="").items()}
            backwards = named.pop("side", "").lower() == "before"
            return ParsedQuestion(text=text, shape=shape, wants=wants, backwards=backwards, **named)
    return ParsedQuestion(text=text, shape="open", wants=wants)


def _kind_of_answer(text: str) -> Wanted:
    for wanted, pattern in _OPENINGS:
        if re.search(pattern, text, re.IGNORECASE):
            return wanted
    return "anything"


def offers(sentence: str, wanted: Wanted) -> bool:
    """Whether a sentence contains the expected kind of answer."""
    return wanted not in _OFFERS or re.search(_OFFERS[wanted], sentence) is not None


def leans_back(text: str) -> bool:
    """Whether a question can be understood only from the conversation."""
    return len(terms(text)) <= 3 and (names_another(text) or _BACK.search(text) is not None)


def names_another(text: str) -> bool:
    """Whether it asks the same about something else, as in "what about Bergen?"."""
    return _ANOTHER.search(text) is not None
