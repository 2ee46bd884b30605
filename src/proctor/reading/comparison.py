"""Answer comparison questions: which of two has more of something."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from proctor.reading.opposites import NEGATORS, are_opposite
from proctor.reading.outright import SENTENCE
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Reading, quantities
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set, stems_of

_LESS = stem_set("less fewer least")
_DOWN = stem_set(
    "smaller less fewer lower shorter lighter slower cheaper colder cooler earlier younger narrower thinner"
    " weaker closer"
    " nearer poorer shallower"
)
"""Comparatives that mean less; those that mean more are too many to list."""
_BY_YEAR = {
    stem("older"): False,
    stem("earlier"): False,
    stem("younger"): True,
    stem("newer"): True,
    stem("later"): True,
}
"""Comparative of age -> whether a later year means more of it."""
_COMPARED = lazy(
    r"(?P<how>\w+er|more(?: \w+)?|less(?: \w+)?|worse)(?: (?P<one>(?:in|to|on|at|from|for|of|with|by)"
    r" [\w ,'-]{2,40}?))? than (?P<other>.+?)(?:[,.;!?]|$)"
)
_SUPERLATIVE = lazy(r"\bthe (?:\w+ )?(?P<how>\w+est|most \w+)\b")
_SYMBOL = lazy(r"(?P<one>[\d.,]*\d)[^\d<>=,;]{0,12}(?P<sign><|>|=)[^\d<>=,;]{0,12}(?P<other>\d[\d.,]*)")
_SAME = lazy(r"\b(?:same|equal(?:ly)?|identical|no difference|alike|tie[ds]?)\b")
_TIMES = lazy(r"\b(?:twice|half|\w+ times|double|triple)\b")
_OF_TWO = lazy(r"\bthe (?P<how>\w{2,}er|more \w+|less \w+)(?: \w+)? of (?:the|these|those) two\b")
_WINS = stem_set(
    "beat beats exceed exceeds outweigh top tops surpass surpasses win wins outdo trump outstrip outrun outruns"
    " overtake overtakes"
)
_PART = lazy(r",\s+|[;\n]\s*|(?<=[.!?])\s+")


class Sides(NamedTuple):
    """The two sides that a question compares."""

    how: str
    """The comparative, such as `denser`."""
    ones: set[str]
    others: set[str]


def compare_sides(folded: str, question: str) -> bool | None:
    """Return the yes or no to a comparison question: `Iron is less dense than lead` for `Is lead denser than iron?`."""
    sides = _sides(question)
    if sides is None:
        unlike = _by_time(folded, question)
        if unlike is None:
            unlike = _equal(folded, question)
        return unlike if unlike is not None else _unbeaten(folded, question)
    if sides.how in ("more", "less", "fewer"):
        return _by_bound(folded, question, sides)
    found = _by_symbol(folded, sides)
    if found is None:
        found = _by_words(folded, sides)
    if found is None:
        found = _by_amounts(folded, sides)
    if found is None:
        found = _by_bound(folded, question, sides)
    level = _SAME.search(folded) and not _TIMES.search(folded) and not _SAME.search(question)
    return False if found is None and level else found


_EARLIER = lazy(r"^(?:was|were|did) (?P<one>.+?) (?P<way>before|after) (?P<other>.+?)\W*$")
_FIRST, _SECOND = (
    stem_set("older earlier first sooner ahead predate"),
    stem_set("younger later newer afterwards followed second"),
)


def _by_time(folded: str, question: str) -> bool | None:
    """Compare by order in time: `Athens is much older` for whether Rome was founded before Athens."""
    asked = _EARLIER.match(question)
    if asked is None:
        return None
    ones, others = set(stems_of(asked["one"])) - STOP, set(stems_of(asked["other"])) - STOP
    for sentence in SENTENCE.split(folded):
        stems = stems_of(sentence)
        first = _first_of(sentence, ones - others, others - ones)
        early, late = not _FIRST.isdisjoint(stems), not _SECOND.isdisjoint(stems)
        if first is not None and early != late and NEGATORS.isdisjoint(stems):
            return (early == first) == (asked["way"] == "before")
    return None


def _sides(question: str) -> Sides | None:
    asked = _COMPARED.search(question)
    if asked is None:
        return None
    one = asked["one"] or question[: asked.start()]
    ones, others = set(stems_of(one)) - STOP, set(stems_of(asked["other"])) - STOP
    return Sides(asked["how"], ones - others, others - ones)


def _by_words(folded: str, sides: Sides) -> bool | None:
    for sentence in reversed(SENTENCE.split(folded)):
        way = _way(sentence, sides.how)
        first = _first_of(sentence, sides.ones, sides.others)
        if way is not None and first is not None:
            denied = any(word in NEGATORS for word in stems_of(sentence))
            return (way == first) != denied
    return None


def _is_more(how: str) -> bool:
    return stem(how.split()[-1]) not in _DOWN and not how.startswith("less")


def _by_symbol(folded: str, sides: Sides) -> bool | None:
    """Compare by a relational sign: `0.5 > 0.45`, in the order of the question or by the numbers it names."""
    last = None
    for match in _SYMBOL.finditer(folded):
        last = match
    if last is None:
        return None
    if last["sign"] == "=":
        return None if last["one"] != last["other"] else False
    swapped = stem(last["one"]) in sides.others or stem(last["other"]) in sides.ones
    return ((last["sign"] == ">") == _is_more(sides.how)) != swapped


def _by_amounts(folded: str, sides: Sides) -> bool | None:
    """Compare one amount per side: `Anna was born in 1991, Ben in 1988`."""
    one, other = (
        _amount(folded, own_terms, rival_terms) for own_terms, rival_terms in ((sides.ones, sides.others), sides[:0:-1])
    )
    if one is None or other is None or one.dimension != other.dimension or one.amount == other.amount:
        return None
    how = stem(sides.how)
    years = not one.dimension and how in _BY_YEAR and min(one.amount, other.amount) > _FIRST_YEAR
    more = _BY_YEAR[how] if years else _is_more(sides.how)
    return (one.amount > other.amount) == more


def _by_bound(folded: str, question: str, sides: Sides) -> bool | None:
    """Compare the only amount of a reply with the asked bound: `It's exactly 50` for `Is it more than 50?`"""
    asked = _COMPARED.search(question)
    bounds = quantities(asked["other"]) if asked else []
    found = quantities(folded)
    if len(bounds) != 1 or len(found) != 1 or not bounds[0].readings or not found[0].readings or found[0].bound:
        return None
    bound, amount = bounds[0].readings[0], found[0].readings[0]
    of_age = stem(sides.how) in _BY_YEAR and amount.amount < _FIRST_YEAR
    if not (bound.dimension or of_age) or amount.dimension not in ("", bound.dimension):
        return None
    value, limit = (amount.amount, bound.amount) if amount.dimension else (found[0].value, bounds[0].value)
    return value > limit if _is_more(sides.how) else value < limit


_FIRST_YEAR = 1000


def _amount(folded: str, mine: Set[str], other_stems: Set[str]) -> Reading | None:
    """Return the only amount in a part of the text that names one side and not the other."""
    for part in _PART.split(folded):
        stems = set(stems_of(part))
        found = quantities(part) if stems & mine and not stems & other_stems else []
        if len(found) == 1 and found[0].readings:
            return found[0].readings[0]
    return None


_BIG = stem_set("bigger larger greater")


def _is_above(word: str, base: str) -> bool:
    """Whether a word is the comparative of a superlative, or a verb of winning such as `beats`."""
    return word in (base + "er", stem(base + "er")) or word in _WINS or (word in _BIG and base + "er" in _BIG)


_AS_MUCH = lazy(r"\bas (?!(?:well|soon|long|far|part|a|an|the|of)\b)(?P<how>\w+)(?: \w+)? as\b")
_TITLE = lazy(
    r"\b(?:that|this|the) (?:honou?r|title|record|crown|distinction|prize) (?:goes|went|belongs|falls) to (?!it\b"
    r"|him\b|her\b)|\b(?:takes|holds|has|claims) that (?:honou?r|title|record|crown)\b"
    r"|^(?:it|they|he|she|this|that)\b[^,;]{0,60}\bcomes? (?:in )?second\b"
)
_LEVEL = lazy(
    r"\b(?:same|equal(?:ly)?|identical(?:ly)?|no difference|just as|alike|on a par|match(?:es)?|every bit as)\b"
)
_ABOVE = lazy(
    r"\b(?:better|worse|(?:more|less) \w+|more|less|stronger|weaker|faster|slower|higher|lower|bigger|larger|smaller"
    r"|longer|shorter|cheaper|dearer)\b(?! or less)"
)


def _equal(folded: str, question: str) -> bool | None:
    """Answer an equality question: `The brand works better` for whether the copy is as effective."""
    if not _AS_MUCH.search(question):
        return None
    first = SENTENCE.split(folded)[0]
    if not NEGATORS.isdisjoint(stems_of(first)):
        return None
    level, above = _LEVEL.search(first) is not None, _ABOVE.search(first) is not None
    return None if level == above else level


def _unbeaten(folded: str, question: str) -> bool | None:
    """Answer a superlative question: `No lake is deeper` for `Is it the deepest lake?`."""
    asked = _SUPERLATIVE.search(question)
    if asked is None:
        return None
    base = asked["how"].removeprefix("most ").removesuffix("est")
    for sentence in SENTENCE.split(folded):
        stems = stems_of(sentence)
        place = next((at for at, word in enumerate(stems) if _is_above(word, base)), 0)
        if place and stems[0] in NEGATORS:
            return True
        own = set(stems_of(question[: asked.start()])) - STOP
        if place and "than" not in stems and own and own.isdisjoint(stems) and NEGATORS.isdisjoint(stems):
            return False
    return False if _TITLE.search(folded) else None


def _way(sentence: str, comparative: str) -> bool | None:
    """Whether a sentence compares in the direction of the question; None if it makes no comparison."""
    way = _way_up(sentence, comparative)
    return None if way is None else way != comparative.startswith(("less", "fewer"))


def _way_up(sentence: str, comparative: str) -> bool | None:
    way = _way_in(sentence, comparative)
    two = _OF_TWO.search(sentence) if way is None else None
    return way if two is None else _is_more(two["how"]) == _is_more(comparative.removeprefix("less "))


def _way_in(sentence: str, comparative: str) -> bool | None:
    wanted = stem(comparative.split()[-1])
    base = wanted.removesuffix("er")
    stems = stems_of(sentence)
    for place, word in enumerate(stems):
        less = place > 0 and stems[place - 1] in _LESS
        if word == wanted or (
            len(base) > 2 and word in (base, base + "e", wanted + "st", base + "est") and (less or word.endswith("est"))
        ):
            return not less
        if are_opposite(word, wanted) or are_opposite(word, base):
            return less
        if word in _WINS:
            return True
    return None


def _first_of(sentence: str, ones: set[str], others: set[str]) -> bool | None:
    """Whether the side named first in a sentence is the one that the question asks about; None if neither is named."""
    for word in stems_of(sentence):
        if word in ones:
            return True
        if word in others:
            return False
    return None
