"""Which questions ask the same, by what they ask: kind, subject, relation in other words, passive, polarity."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from proctor.reading.direction import apart
from proctor.reading.inquiry import Inquiry, is_light, read_inquiry
from proctor.reading.lexicon import akin, concept
from proctor.reading.names import are_one
from proctor.reading.text.fold import fold
from proctor.reading.text.words import stem, stem_set

_KEPT = 4096
_READ = 2_000
_SPEED = stem("speed")
_MAY = frozenset(map(concept, stem_set("allow")))
_MODAL = _MAY | frozenset(map(concept, stem_set("require maximum")))
_OPEN = frozenset(("open", "who", "where"))
_MEASURED = frozenset(("open", "amount"))
_SPANS = stem_set("long length")
_TAKES_TIME = stem_set("duration valid")
_SPEEDS = stem_set("run drive move fly swim go")
_ATTITUDES = stem_set("like want help hurt")
_PLACES = stem_set("city town place location")


@lru_cache(maxsize=_KEPT)
def same_question(first: str, second: str) -> bool:
    """Whether one answer answers both questions."""
    return one_question(read_inquiry(first), read_inquiry(second))


@lru_cache(maxsize=_KEPT)
def same_matter(first: str, second: str) -> bool:
    """Whether they ask the same, or one of them for yes or no with a negation."""
    return one_proposition(read_inquiry(first), read_inquiry(second))


def one_question(one: Inquiry, other: Inquiry) -> bool:
    """Whether two questions, read, ask the same."""
    return (one.negative, one.inverted) == (other.negative, other.inverted) and one_proposition(one, other)


def one_proposition(one: Inquiry, other: Inquiry) -> bool:
    """Whether they ask the same, or one of them for yes or no with a negation: then the sides are told by it."""
    if not kinds_meet(one, other) or (one.negative != other.negative and one.kind != "yes-no"):
        return False
    if one.asked == other.asked and one.telling == other.telling:
        return True
    if (one.numbers, one.times, one.sought, one.of_object) != (
        other.numbers,
        other.times,
        other.sought,
        other.of_object,
    ):
        return False
    if apart(one.direction, other.direction) or _lead_apart(one, other):
        return False
    if _ask_for_other_sorts(one, other) or not _in_one_order(one, other):
        return False
    shared = [word for word in one.telling if _is_met(word, other.telling)]
    mine, theirs = ((*inquiry.telling, *inquiry.scene) for inquiry in (one, other))
    return bool(shared) and not missing(one, theirs) and not missing(other, mine)


def kinds_meet(one: Inquiry, other: Inquiry) -> bool:
    """Whether two questions can have one answer by the sort of thing they ask for."""
    if {one.kind, other.kind} == {"choice", "amount"}:
        return len(one.numbers) > 1 and one.numbers == other.numbers
    if one.kind != other.kind and not any({one.kind, other.kind} <= kinds for kinds in (_OPEN, _MEASURED)):
        return False
    if one.kind == other.kind == "where" or "where" in (one.kind, other.kind):
        return (one.category in _PLACES or not one.category) == (other.category in _PLACES or not other.category)
    return True


def missing(one: Inquiry, there: Iterable[str]) -> list[str]:
    """The telling stems of a question that have no counterpart among others, and that no wording can do without."""
    others = tuple(there)
    return [
        word
        for word in one.telling
        if not (_can_go(word, one) or _is_met(word, others) or _goes_without(word, one, others))
    ]


def _can_go(word: str, one: Inquiry) -> bool:
    """Whether a stem says so little that another wording may do without it; not what somebody likes or wants."""
    return is_light(word) and not (word in _ATTITUDES and one.kind == "yes-no")


def _is_met(word: str, others: Iterable[str]) -> bool:
    return any(
        akin(word, other)
        or are_one(word, other)
        or (word in _SPANS and other in _TAKES_TIME)
        or (other in _SPANS and word in _TAKES_TIME)
        for other in others
    )


def _goes_without(word: str, one: Inquiry, others: tuple[str, ...]) -> bool:
    """A category that was named beside its answer's kind; a verb beside a speed; `may` beside what is done."""
    if word == concept(one.category) or (word in _SPEEDS and _SPEED in others):
        return True
    return word in (_MAY if one.kind in ("yes-no", "choice") else _MODAL)


def _lead_apart(one: Inquiry, other: Inquiry) -> bool:
    """Whether small words lead up to the same word differently: from Rome, to Rome."""
    theirs = {word: leading for leading, word in other.led}
    return any(word in theirs and theirs[word] != leading for leading, word in one.led)


def _ask_for_other_sorts(one: Inquiry, other: Inquiry) -> bool:
    """Whether each names a sort of thing of its own: which staff, which visitors."""
    sorts = [concept(inquiry.category) for inquiry in (one, other) if inquiry.category]
    if len(sorts) < 2 or any(is_light(sort) or sort in _PLACES for sort in sorts):
        return False
    return not (_is_met(sorts[0], other.telling) or _is_met(sorts[1], one.telling))


def _in_one_order(one: Inquiry, other: Inquiry) -> bool:
    """Whether who does it and whom it is done to stand alike: for yes or no the order counts, turned by a passive."""
    if one.kind not in ("yes-no", "choice"):
        return True
    mine = [word for word in one.telling if word in other.telling]
    theirs = [word for word in other.telling if word in one.telling]
    if mine == theirs or one.passive != other.passive:
        return True
    return not _are_swapped(mine, theirs)


def _are_swapped(mine: list[str], theirs: list[str]) -> bool:
    """Whether two words have changed places, and all others stand where they stood."""
    apart = [place for place, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other]
    if len(mine) != len(theirs) or len(apart) != 2 or apart[1] - apart[0] < 2:
        return False
    return (mine[apart[0]], mine[apart[1]]) == (theirs[apart[1]], theirs[apart[0]])


def points_back(asked: str, first: Iterable[str], before: Iterable[str], *, scripted: bool = False) -> bool:
    """Whether a question goes on about what was said, and asks nothing of its own: `My boss says 9. Are you sure?`

    It contests the answer, asks for its source, or offers another; it may name that one, and take up what was said:
    first, in the texts that opened the conversation, and just before. What is `scripted` is asked for its own sake,
    also where it is no question by its grammar: `Order 1002`.
    """
    inquiry = read_inquiry(asked)
    if inquiry.goes_on and not scripted:
        return True
    takes_up = inquiry.contests or inquiry.source or (inquiry.offers and inquiry.rivals) or inquiry.takes_up
    if not takes_up:
        return False
    own = {word for word in inquiry.own if not is_light(word)} if inquiry.takes_up else inquiry.own
    return own - inquiry.rivals <= frozenset().union(*map(stems_of, (*first, *before)))


@lru_cache(maxsize=_KEPT)
def stems_of(text: str) -> frozenset[str]:
    """The stems of what was said."""
    return stem_set(fold(text[:_READ], accents=False))
