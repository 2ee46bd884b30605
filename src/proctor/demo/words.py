"""Text processing of the librarian: stems, synonyms, sentences.

It is separate from `proctor.reading.text`, so that the agent under test shares no code with its reviewer.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from proctor.reading.text.fold import fold

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NEGATION = re.compile(r"\b(?:not|no|never|nobody|none|neither|nothing)\b", re.IGNORECASE)
"""Negation words."""
_POSSESSIVE = re.compile(r"['’]s?\b")
_LIST_MARK = re.compile(r"^(?:\d+\.|[-*]) ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")

# includes "not" and "no": the librarian matches topics and ignores polarity
_STOP = frozenset(
    word
    for line in (
        "a about above all also am an and any anyone anything are as at be been before being but by can come could",
        "did do does doing each else every for from get give given gives go got had has have he her here his how i if",
        "in into is it its just let many may me much must my need no nor not of off on one only or other our out over",
        "own please say says shall she should so some such tell than that the their them then there these they thing",
        "this those through to too up upon us was we were what when where whether which while who whom whose why will",
        "with within would you your",
    )
    for word in line.split()
)

# synonyms, as far as this knowledge base needs them
_SYNONYMS = (
    "cost price expensive fee charge",
    "loud noise decibels volume",
    "warranty guarantee guaranteed",
    "holiday vacation",
    "salary pay paid wage wages earn",
    "employee staff worker colleague",
    "boss chief head lead led leads leader manager managed manages runs",
    "hotel accommodation lodging",
    "meal food subsistence",
    "trip journey travel",
    "ill sick illness",
    "buy purchase",
    "repair fix mend",
    "weight weighs heavy",
    "far range distance",
    "often interval frequently",
    "deep depth",
    "phone telephone",
    "guest visitor",
    "wifi network",
    "lab laboratory",
    "kilos kilograms",
    "allowed permitted welcome",
    "destroyed lost",
    "found founded founder started",
    "minimum least",
    "maximum limit most",
    "parking park",
    "lunch canteen",
)


def terms(text: str) -> list[str]:
    """Return the stems of all content words, in order."""
    return [stem(word) for word in telling_words(text)]


def telling_words(text: str) -> list[str]:
    """Return all content words in order, without accents and possessives."""
    return [word for word in _WORD.findall(_POSSESSIVE.sub("", fold(text, accents=False))) if word not in _STOP]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the stem of a word: `calibrated`, `calibrates` and `calibration` have the same one."""
    if word[0].isdigit():
        return word.replace(",", "")
    word = _singular(word)
    for ending in ("ing", "ed", "ion"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return _bare(word[: -len(ending)])
    return _bare(word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _bare(word: str) -> str:
    """Reduce `stopp` and `stope` to `stop`."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _related_words() -> dict[str, tuple[str, ...]]:
    groups = [sorted({stem(word) for word in line.split()}) for line in _SYNONYMS]
    return {one: tuple(other for other in group if other != one) for group in groups for one in group}


RELATED = _related_words()
"""Stem → stems of its synonyms."""
SYNONYM = 0.6
"""Weight of a synonym relative to the word itself."""


def presence(term: str, there: Collection[str]) -> float:
    """Return 1 if a stem is present, SYNONYM if only a synonym is, else 0."""
    if term in there:
        return 1.0
    return SYNONYM if any(other in there for other in RELATED.get(term, ())) else 0.0


def figures(text: str) -> set[str]:
    """Return the numbers in a text as digits."""
    found = _WORD.findall(fold(text))
    spelled = {str(NUMERALS.index(word)) for word in found if word in NUMERALS}
    return spelled | {stem(word) for word in found if word[0].isdigit()}


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences, without the marker of a list item."""
    return _SENTENCE_END.split(_LIST_MARK.sub("", paragraph))
