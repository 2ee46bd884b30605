"""Parse what a question asks for: its kind, subject, relation and polarity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATIONS
from proctor.reading.text.overlap import STOP
from proctor.reading.text.passage import passage_of

Kind = Literal[
    "yes_no", "choice", "number", "quantity", "date", "time", "person", "place", "name", "list", "explanation", "open"
]
"""The kind of answer wanted; `open` if the wording does not show it."""
_AUXILIARIES = (
    r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must|isn't|aren't|"
    r"wasn't|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|hasn't|haven't|shouldn't|need)"
)
_YES_NO = lazy(rf"(?:^|[.!:;,]\s)(?:and\s|so\s|but\s)?{_AUXILIARIES}\b")
_ASKS = lazy(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")
_YEAR = lazy(r"\b(?:what|which) year\b")
_UNIT = lazy(r"\b(?:how many|in (?:what|which|how many)|what (?:number|amount) of)\s(\w+)")
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        lazy(r"\b(?:why|how (?:do|does|did|can|should|to|come|is|are|was|were)|explain|describe|what happens)\b"),
        "explanation",
    ),
    (
        lazy(
            r"\b(?:at )?what time\b|\bwhen (?:do|does|did|is|are|will) .{0,60}\b(?:open|close|start|begin|end"
            r"|leave|depart|arrive|shut)"
        ),
        "time",
    ),
    (
        lazy(r"\bhow (?:many|often|old)\b|\b(?:what|which) (?:number|percentage|share|proportion|fraction)\b"),
        "number",
    ),
    (
        lazy(
            r"\bhow (?:much|long|far|large|big|high|tall|deep|heavy|fast|wide|hot|cold|thick|short|late|early|soon"
            r"|loud)\b"
            r"|\bwhat (?:is the |are the |was the |were the )?(?:\w+ )?(?:price|cost|fee|distance|length|height"
            r"|weight|speed|"
            r"temperature|amount|area|population|salary|rate|duration|size|depth|width|mass|age|dose|limit|deadline)\b"
        ),
        "quantity",
    ),
    (lazy(r"\bwhen\b|\b(?:which|what) (?:date|day|year|month|century|decade|season)\b|\bsince when\b"), "date"),
    (lazy(r"\b(?:who|whom|whose)\b"), "person"),
    (
        lazy(r"\bwhere\b|\b(?:which|what) (?:city|country|town|state|place|continent|street|county|island)\b"),
        "place",
    ),
    (
        lazy(
            r"\b(?:which|what|name|list) (?:\w+ )?(?:are|were|two|three|four|five|six|seven)\b|^list\b"
            r"|^name (?:two|three|all|the)"
        ),
        "list",
    ),
    (lazy(r"\b(?:which|what)\b"), "name"),
)
_QUOTED = lazy(r"[\"“”«»][^\"“”«»]*[\"“”«»]")
_KEPT = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A parsed question."""

    folded: str
    """Normalised text."""
    kind: Kind
    """The kind of answer wanted."""
    content: frozenset[str]
    """Stems of the content words."""
    words: frozenset[str]
    """All stems."""
    subject: str
    """Its subject in its own words: the last phrase."""
    relation: str
    """What it asks about the subject, in its own words."""
    polarity: bool
    """Whether it contains no negation."""
    unit: str
    """The unit counted or measured, such as the `days` of `how many days`; empty if not named."""
    year: bool
    """Whether a year suffices as the date."""

    @property
    def yes_no(self) -> bool:
        """Whether it is a yes-no question."""
        return self.kind == "yes_no"

    @property
    def negative(self) -> bool:
        """Whether it contains a negation: then one in the reply denies nothing."""
        return not self.polarity

    @property
    def person(self) -> bool:
        """Whether it asks for a person."""
        return self.kind == "person"


@lru_cache(maxsize=_KEPT)
def understand(question: str) -> Asked:
    """Parse a question."""
    passage = passage_of(question)
    folded = passage.folded.strip()
    found = frozenset(passage.stems)
    relation, subject = _split_question(folded)
    return Asked(
        folded=folded,
        kind=_kind(folded),
        content=found - STOP,
        words=found,
        subject=subject,
        relation=relation,
        polarity=NEGATIONS.isdisjoint(passage_of(_QUOTED.sub(" ", question)).stems),
        unit=_unit(folded),
        year=_YEAR.search(folded) is not None,
    )


def _kind(folded: str) -> Kind:
    if _YES_NO.search(folded) and not _ASKS.match(folded) and not _asks_after(folded):
        return "choice" if _is_choice(folded) else "yes_no"
    return next((kind for pattern, kind in _KINDS if pattern.search(folded)), "open")


def _asks_after(folded: str) -> bool:
    """Whether the last sentence begins with a question word: `I have a dog. Can it travel? What does it cost?`"""
    last = re.split(r"(?<=[.!?])\s", folded)[-1]
    return _ASKS.match(last) is not None


def _is_choice(folded: str) -> bool:
    """Whether it is an either-or question: `Is it red or blue?`; `on Saturdays or Sundays` is read as yes-no."""
    return re.search(r",? or (?:is|are|does|do|was|were|the|a|an)\b", folded) is not None and " or not" not in folded


def _unit(folded: str) -> str:
    match = _UNIT.search(folded)
    return match[1] if match else ""


_SPLIT = lazy(r"\b(?:of|in|for|at|on|from|to|by|the|a|an|is|are|was|were|do|does|did|has|have)\b")


def _split_question(folded: str) -> tuple[str, str]:
    """Return relation and subject: the text before and after the last function word."""
    text = folded.rstrip(" ?.!")
    places = [match for match in _SPLIT.finditer(text) if match.end() < len(text)]
    if not places:
        return "", text
    last = places[-1]
    return text[: last.start()].strip(), text[last.end() :].strip()
