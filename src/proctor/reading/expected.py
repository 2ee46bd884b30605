"""Parse the spellings of an expected answer, and the reply, before judging."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from proctor.reading.names import TITLES, codes, plain_names
from proctor.reading.question import Asked, understand
from proctor.reading.text.choices import alternatives, is_sentence, items
from proctor.reading.text.clocks import Clock, clocks
from proctor.reading.text.dates import Date, dates
from proctor.reading.text.fold import fold, squeeze
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATIONS, polarity
from proctor.reading.text.numbers import Quantity, quantities
from proctor.reading.text.overlap import STOP, weight
from proctor.reading.text.passage import Passage, passage_of
from proctor.reading.text.units import UNITS
from proctor.reading.text.words import stem_set
from proctor.reading.values import as_zero, asks_often, asks_share, plain_values

_YES_OR_NO = lazy(r"\s*(?:yes|no)\b[\s,.;:-]*", re.IGNORECASE)
_WEIGHT_OF_GIVEN = 0.35
"""Factor for the weight of a word that the question contains."""
_WEIGHT_OF_STOP = 0.2
"""Weight of a stop word in an answer without content words."""
_WEIGHT_OF_TITLE = 0.15
"""Factor for the weight of a title: `General` may be omitted before `George Washington`."""
_LITTLE = 0.9
"""Minimum weight of the words beside a number for them to be a statement of their own."""
_SHORT = 6
_ITEM = 4
"""Maximum number of words of a list item."""
_LETTERS = 60
"""Maximum number of characters of an expected answer that are compared by trigrams."""
_OF_BOUNDS = stem_set("least most minimum maximum more less fewer than between every")
"""Words of a bound that belong to the number beside them."""
_PERIOD = lazy(r"\b(?:per|an?|each|every) (hour|day|night|week|month|year)\b")
_PERIODS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annual": "year"}
_HOW_MANY = lazy(r"\bhow many ([a-z]+)\b")
_BARE, _YEAR = lazy(r"\s*\d[\d.,]{0,20}\s*"), lazy(r"\s*\d{4}\s*")
_PERIODIC = lazy(rf"\b({'|'.join(_PERIODS)})\b")
_KEPT = 1024
"""Size of the caches of questions and answers, which recur in trials and conversations."""


Fact = Date | Clock | Quantity


@dataclass(frozen=True, slots=True)
class Facts:
    """The numbers, dates and times of day in a text."""

    quantities: tuple[Quantity, ...] = ()
    dates: tuple[Date, ...] = ()
    clocks: tuple[Clock, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.quantities or self.dates or self.clocks)

    def __iter__(self) -> Iterator[Fact]:
        yield from self.dates
        yield from self.clocks
        yield from self.quantities


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """One spelling of the expected answer, parsed."""

    text: str
    """The text in the spelling used for comparison."""
    squeezed: str
    """Normalised text for comparing whole answers."""
    passage: Passage
    weights: dict[str, float]
    """Stem of a content word -> its weight, given the question."""
    total: float
    """Sum of the weights."""
    head: frozenset[str]
    """Content words before its only comma, where the rest only describes them: `Salzburg, Austria`."""
    facts: Facts
    only_facts: bool
    """Whether it consists of numbers, dates and times only."""
    polarity: bool | None
    """Whether it begins with yes (True) or no (False), or None."""
    negative: bool
    """Whether it contains a negation."""
    items: tuple[Expected, ...]
    """Items of the answer, if it is a list."""
    rest: Expected | None
    """The part after a leading yes or no."""
    pairs: frozenset[tuple[str, str]]
    """Pairs of adjacent stems."""
    letters: frozenset[str]
    """Its character trigrams."""
    statement: bool
    """Whether it is a statement, rather than a name or value."""

    def word(self, wanted: str) -> str:
        """Return a stem as written in the answer."""
        place = self.passage.stems.index(wanted)
        return self.passage.quote(place, place)


class Answered:
    """A reply, with facts parsed on demand."""

    def __init__(self, text: str) -> None:
        self.passage = passage_of(text)
        self.stems = frozenset(self.passage.stems)

    @cached_property
    def facts(self) -> Facts:
        """Numbers, dates and times of day in the reply."""
        return read_facts(self.passage.folded)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Pairs of adjacent stems."""
        return frozenset(pairwise(self.passage.stems))

    @cached_property
    def squeezed(self) -> str:
        """Normalised text for comparing whole answers."""
        return squeeze(self.passage.folded)


def read_facts(folded: str) -> Facts:
    """Return the facts in a normalised text; digits of a date or time of day are not numbers as well."""
    timed = Facts(dates=tuple(dates(folded)), clocks=tuple(clocks(folded)))
    found = quantities(folded)
    if timed:
        taken = _fact_mask(timed, len(folded))
        found = [quantity for quantity in found if not any(taken[quantity.start : quantity.end])]
    return replace(timed, quantities=tuple(found)) if found else timed


@lru_cache(maxsize=_KEPT)
def read_answer(question: str, answer: str) -> tuple[Expected, ...]:
    """Parse every spelling of an expected answer."""
    asked = understand(question)
    return tuple(_read(asked, plain_text(asked, text, answer)) for text in _spellings(asked, answer))


def _spellings(asked: Asked, answer: str) -> tuple[str, ...]:
    """Return the spellings of an answer, adding the unit of the question: `45 minutes` for `How many minutes?`"""
    unit = _HOW_MANY.search(asked.folded)
    if not unit or unit[1] not in UNITS or not _BARE.fullmatch(answer):
        return alternatives(answer)
    with_unit = f"{answer.strip()} {unit[1]}"
    return (answer, with_unit) if _YEAR.fullmatch(answer) else (with_unit,)


def plain_text(asked: Asked, text: str, expected: str) -> str:
    """Return the text with its values in canonical spelling, or unchanged if that makes no difference."""
    wanted = fold(expected)
    often, share = asks_often(asked.folded, wanted), asks_share(asked.folded, wanted)
    text = plain_names(text)
    folded = fold(text, accents=False)
    plain = plain_values(as_zero(folded, asked, wanted), asked, often=often, share=share)
    plain = _without_period(plain, asked, wanted)
    return text if plain == folded else plain


def _without_period(folded: str, asked: Asked, wanted: str) -> str:
    """Drop a period that the question implies and the expected answer omits: `28 days per year` as `28 days`."""
    period = _PERIOD.search(asked.folded) or _PERIODIC.search(asked.folded)
    if period is None or " per " not in folded or _PERIOD.search(wanted):
        return folded
    return folded.replace(f" per {_PERIODS.get(period[1], period[1])}", "")


def _read(asked: Asked, text: str, *, in_list: bool = False) -> Expected:
    passage = passage_of(text)
    named = asked.kind in ("name", "place", "person") and bool(codes(text))
    facts = Facts() if named else read_facts(passage.folded)
    other_stems = _stems_outside_facts(facts, passage)
    only_facts = bool(facts) and sum(weight(word) for word in other_stems if word not in asked.content) < _LITTLE
    weights = _weights(asked, passage.stems if only_facts else other_stems)
    no_list = in_list or bool(facts.clocks) or any(number.ranged for number in facts.quantities)
    no_list = no_list or (bool(facts.dates) and not _joins_dates_and_words(text))
    rest = _YES_OR_NO.match(text) if len(passage) > 1 else None
    return Expected(
        text=text,
        squeezed=squeeze(passage.folded),
        passage=passage,
        weights=weights,
        total=sum(weights.values()),
        head=_head(text, weights),
        facts=facts,
        only_facts=only_facts,
        polarity=polarity(passage),
        negative=not NEGATIONS.isdisjoint(passage.stems),
        items=() if no_list else tuple(_read(asked, part, in_list=True) for part in _short_items(text)),
        rest=_read(asked, text[rest.end() :]) if rest else None,
        pairs=frozenset(pairwise(passage.stems)),
        letters=_letters(passage.folded),
        statement=len(passage) > _SHORT or is_sentence(text),
    )


_TWO_THINGS = lazy(
    r"(?!(?:yes|no|on|in|at|by|from|to|under|near)\b)(?!.*\b(?:and|or)\b)"
    r"[a-z-]+(?: [a-z-]+){0,2}, [a-z-]+(?: [a-z-]+){0,2}"
)
"""Match a list of two: `invoicing, time tracking`; one comma between names makes none (`Landover, Maryland`)."""


def _joins_dates_and_words(text: str) -> bool:
    """Whether a text joins a date with something else by `and`: `On Sundays and on 1 May`."""
    if "," in text or len(parts := items(text)) < 2:
        return False
    return len({bool(read_facts(passage_of(part).folded)) for part in parts}) == 2


def _short_items(text: str) -> tuple[str, ...]:
    """Return the items of a list of names or values; a list of clauses is a statement and has none."""
    found = tuple(text.strip(" .").split(", ")) if _TWO_THINGS.fullmatch(text.strip(" .")) else items(text)
    return found if all(len(item.split()) <= _ITEM for item in found) else ()


def _letters(folded: str) -> frozenset[str]:
    text = " ".join(folded.split())
    return frozenset(text[place : place + 3] for place in range(min(_LETTERS, len(text)) - 2))


def _head(text: str, weights: dict[str, float]) -> frozenset[str]:
    """Return the content words before the only comma of a short answer; empty if they weigh too little."""
    first, comma, rest = text.partition(", ")
    if not comma or "," in rest or len(text.split()) > _SHORT:
        return frozenset()
    before = frozenset(word for word in passage_of(first).stems if word in weights)
    return before if sum(weights[word] for word in before) >= 1.0 else frozenset()


def _weights(asked: Asked, stems: list[str]) -> dict[str, float]:
    """Weight the content words; those in the question count less, unless the question contains all of them."""
    telling = [word for word in stems if word not in STOP] or stems
    left = 1.0 if asked.content.issuperset(telling) else _WEIGHT_OF_GIVEN
    titled = not TITLES.issuperset(telling)
    return {
        word: (weight(word) or _WEIGHT_OF_STOP)
        * (left if word in asked.content else 1.0)
        * (_WEIGHT_OF_TITLE if titled and word in TITLES else 1.0)
        for word in telling
    }


def _stems_outside_facts(facts: Facts, passage: Passage) -> list[str]:
    """Return the stems that are not part of a fact."""
    if not facts:
        return passage.stems
    taken = _fact_mask(facts, len(passage.folded))
    pairs = zip(passage.stems, passage.starts, strict=True)
    return [word for word, start in pairs if not taken[start] and word not in _OF_BOUNDS]


def _fact_mask(facts: Facts, length: int) -> bytearray:
    """Return a mask of the character positions covered by facts."""
    taken = bytearray(length)
    for fact in facts:
        taken[fact.start : fact.end] = b"\1" * (fact.end - fact.start)
    return taken
