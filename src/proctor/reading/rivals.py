"""Decide which of several values in a reply is its answer, by the words of the question near each value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from proctor.reading.expected import Answered, Fact, read_facts
from proctor.reading.lexicon import concept
from proctor.reading.match import taken_up
from proctor.reading.question import Asked
from proctor.reading.text.dates import Date
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity
from proctor.reading.text.words import stem_set

_MEASURE = lazy(r"\bhow (\w+)(?: (\w+))?")
_EACH = stem_set("each per single one every apiece individual individually")
_TOGETHER = stem_set("together altogether total combined overall sum whole")
_ASKS_EACH = lazy(r"\b(?:each|per|single|one|every|apiece|individual)\b")
_ASKS_ALL = lazy(r"\b(?:together|altogether|total|combined|overall|in all)\b")
_OF_ONE = lazy(r"\b(?:an?|each|every|per|one) (?:\w+ )?(\w+)")
_EQUALS = lazy(r"(?<![.!?] )\(|=|≈|\b(?:i\.?e|that is|that's|or|which is|equals?|equivalent|meaning|namely)\b")
_CONCLUDES = lazy(
    r"\b(?:so|therefore|thus|hence|which (?:makes|means|leaves)|that (?:makes|means|leaves)|makes|making|leaving|giving"
    r"|together|altogether|in (?:all|total)|a total of|i mean|in other words)\b"
)
_CORRECTS = lazy(r"[.;,] (?:but )?(?:really|actually|in (?:fact|reality|truth)|the truth is)\b")
_FORMER = lazy(
    r"\b(?:used to|formerly|previously|originally|initially|at first|until|till|no longer|before (?:that|then)|once was"
    r"|was once|in the past|back then|last (?:year|month|week)|(?:was|were) planned|(?:had|were|was) (?:expected"
    r"|supposed|meant) to|the (?:old|former|previous) (?!one\b)\w+ (?:had|was|were|cost))\b"
)
_STARTED = lazy(r"\b(?:start|beg[iau]n)\w*")
_FINISHED = lazy(r"\b(?:finished|completed|done|ready|consecrated|inaugurated)\b")
_COMPARED = lazy(
    r"(?:\b(?:up|down|rose|fell|risen|fallen|increased?|decreased?|dropped|grew|changed|moved|raised|cut"
    r"|lowered) from|\bcompared (?:with|to)|\bversus|\bvs\.?|\bagainst|, after|\((?:it )?(?:was|were|had been)"
    r"|\bturn(?:s|ing)) (?:about |around )?$"
)
"""Match the context before a value of another time."""
_DEFAULT = lazy(r"\b(?:by default|defaults? (?:is|to)|default (?:value|port|setting))\b|\bdefault:")
_CAN_BE = lazy(r"\b(?:set|chang|overrid|configur|switch|can|could|may|unless|if)\w*\b|[a-z_]=")
_RANGE = frozenset(("-", "to", "and", "/", "through", "until"))
_READ, _LOOK_BACK, _NOTE, _FURTHEST = 80, 30, 100, 400
_OF_NUMBER, _OF_EACH, _OF_WORD, _OF_SYNONYM = 3.0, 2.0, 1.0, 0.6
_PER_CLAUSE, _PER_AND = 4, 2


class _Candidate(NamedTuple):
    """A value that may be the answer."""

    fact: Fact
    first: int
    """Position of its first word."""
    met: bool
    """Whether it matches the expected value."""


def rival(
    reply: Answered, asked: Asked, met: Sequence[tuple[Fact, int]], others: Sequence[tuple[Fact, int]]
) -> Fact | None:
    """Return the value that a reply gives as its answer instead of the expected one, or None.

    `met` are values that match the expected one and `others` values that differ, each with the position of its first
    word.
    """
    if asked.kind == "list":
        return None
    own = met[0][0]
    rivals = [(fact, first) for fact, first in others if _may_answer(reply, asked, own, fact, first)]
    if not rivals:
        return None
    if len(reply.passage) > _READ:
        return _before(reply, asked, met[0], rivals)
    found = [_Candidate(*pair, True) for pair in met] + [_Candidate(*pair, False) for pair in rivals]
    scores = _scores(reply, asked, found)
    best = max((scores[place], -place) for place in range(len(met)))
    answer = found[-best[1]]
    against = [(scores[place], other) for place, other in enumerate(found) if not other.met]
    return _outdoing(reply, asked, answer, best[0], against)


def _outdoing(
    reply: Answered, asked: Asked, answer: _Candidate, own: float, against: list[tuple[float, _Candidate]]
) -> Fact | None:
    for score, other in sorted(against, key=lambda pair: -pair[0]):
        between = _between(reply, answer, other)
        after = other.first > answer.first
        if _opens(reply, answer) and not (after and _CORRECTS.search(between)):
            continue
        if _opens(reply, other) and not (
            _CONCLUDES.search(between) or _CORRECTS.search(between) or _EQUALS.search(between)
        ):
            return other.fact
        former = _is_former(reply, asked, answer) and not _is_former(reply, asked, other)
        if former or _is_now(reply, asked, other, answer) or _is_finished(reply, asked, other, answer):
            return other.fact
        if _DEFAULT.search(_part(reply, other)) and _CAN_BE.search(_part(reply, answer)):
            return other.fact
        if _is_no_rival(reply, asked, answer, other, between):
            continue
        if _is_now(reply, asked, answer, other):
            continue
        if after and (_CORRECTS.search(between) or (score >= own and _CONCLUDES.search(between))):
            return other.fact
        if not after and _CONCLUDES.search(between):
            continue
        if score > own or (score == own and _goes_before(reply, answer, other, score)):
            return other.fact
    return None


def _is_no_rival(reply: Answered, asked: Asked, answer: _Candidate, other: _Candidate, between: str) -> bool:
    """Whether a value is no rival: an equivalent, the end of a range, a former value, or part of the same clause."""
    if _EQUALS.search(between) or between.strip() in _RANGE or _is_former(reply, asked, other):
        return True
    if _STARTED.search(_part(reply, other)) and not _STARTED.search(asked.folded):
        return True  # begun in 1735 and finished in 1742
    return not _is_apart(reply, answer, other) and " and " not in between


def _opens(reply: Answered, found: _Candidate) -> bool:
    """Whether a reply opens with the value and nothing else: `26, while its mass number is 56`."""
    clauses = reply.passage.clauses
    last = len(clauses) - 1 - clauses[::-1].index(clauses[0])
    return not found.first and last < len(clauses) - 1 and found.fact.end >= reply.passage.ends[last]


def _before(reply: Answered, asked: Asked, met: tuple[Fact, int], rivals: Sequence[tuple[Fact, int]]) -> Fact | None:
    """Find a rival in a long reply: a measure whose clause shares more with the question, or as much and earlier."""
    clauses, shared = reply.passage.clauses, taken_up(reply, asked)
    here = clauses[met[1]]
    known = len(shared.get(here, ()))
    for other, first in rivals:
        there = clauses[first]
        other_count = len(shared.get(there, ()))
        if _is_measure(other) and there != here and (other_count > known or (other_count == known and there < here)):
            return other
    return None


def _is_measure(fact: Fact) -> bool:
    return not isinstance(fact, Quantity) or bool(fact.dimension)


def _is_apart(reply: Answered, answer: _Candidate, other: _Candidate) -> bool:
    return reply.passage.clauses[answer.first] != reply.passage.clauses[other.first]


def _goes_before(reply: Answered, answer: _Candidate, other: _Candidate, score: float) -> bool:
    """Whether a rival wins by coming first: neither shares words with the question, or it has a sentence of its own."""
    sentences = reply.passage.sentences
    alone = not score or sentences[answer.first] != sentences[other.first]
    return alone and other.first < answer.first and _is_measure(other.fact) and _is_apart(reply, answer, other)


def _may_answer(reply: Answered, asked: Asked, own: Fact, other: Fact, first: int) -> bool:
    """Whether a value is of the same kind as the expected one, and not given in the question."""
    if first >= len(reply.passage) or reply.passage.stems[first] in asked.words:
        return False
    if not isinstance(own, Quantity) or not isinstance(other, Quantity):
        return type(own) is type(other)
    if other.ordinal or is_given(asked, other):
        return False
    if own.dimension and other.dimension:
        return not {r.dimension for r in own.readings}.isdisjoint(r.dimension for r in other.readings)
    here = reply.passage.clauses[first] == reply.passage.clauses[_word_index(reply, own)]
    if own.noun and not other.noun and here and other.value < _NOTE:
        return False  # There are 4 seasons [6]
    counted = other.noun in ("", own.noun) or (asked.unit and stem_set(other.noun) == stem_set(asked.unit))
    return bool(counted) and not (own.dimension and other.ranged)


def is_given(asked: Asked, other: Quantity, *, as_written: bool = False) -> bool:
    """Whether the question contains an amount."""
    return any(
        other.readings[0] == given.readings[0] and (not as_written or other.value == given.value)
        for given in _given(asked.folded).quantities
    )


_given = lru_cache(maxsize=1024)(read_facts)
"""Cached `read_facts` for the normalised question."""


def _between(reply: Answered, one: _Candidate, other: _Candidate) -> str:
    first, second = sorted((one, other), key=lambda found: found.first)
    return reply.passage.folded[first.fact.end : second.fact.start]


def _is_former(reply: Answered, asked: Asked, other: _Candidate) -> bool:
    """Whether a clause marks its value as former, unless the question asks for that."""
    passage = reply.passage
    here = [place for place, clause in enumerate(passage.clauses) if clause == passage.clauses[other.first]]
    clause = passage.folded[passage.starts[here[0]] : passage.ends[here[-1]]]
    if _COMPARED.search(passage.folded[max(0, other.fact.start - _LOOK_BACK) : other.fact.start]):
        return True
    return _FORMER.search(clause) is not None and _FORMER.search(asked.folded) is None


_NOW = lazy(r"\b(?:today|now|nowadays|currently|these days|at present)\b")


def _is_now(reply: Answered, asked: Asked, one: _Candidate, other: _Candidate) -> bool:
    """Whether one value is current and the other dated: `It had 2,400 in 1950 and has 1,800 today`."""
    if _given(asked.folded).dates or not _NOW.search(_part(reply, one)):
        return False
    part = _part(reply, other)
    return _NOW.search(part) is None and bool(read_facts(part).dates)


def _is_finished(reply: Answered, asked: Asked, one: _Candidate, other: _Candidate) -> bool:
    """Whether one date is the completion of what began at the other: `Begun in 1735 and finished in 1742`."""
    if _STARTED.search(asked.folded) or not _STARTED.search(_part(reply, other)):
        return False
    return _FINISHED.search(_part(reply, one)) is not None


def _part(reply: Answered, found: _Candidate) -> str:
    return part_around(reply, found.fact)


def part_around(reply: Answered, fact: Fact) -> str:
    """Return the text around a value, up to the nearest comma, full stop or `and`."""
    folded = reply.passage.folded
    near = max(0, fact.start - _FURTHEST)
    before = max((match.end() for match in _BREAK.finditer(folded, near, fact.start + 1)), default=near)
    after = _BREAK.search(folded, fact.end)
    return folded[before : after.start() if after else len(folded)]


_BREAK = lazy(r"^|[,;!?]\s|\.\s|\band\b|\bbut\b")


# Which words of the question stand near which value


def _scores(reply: Answered, asked: Asked, found: Sequence[_Candidate]) -> list[float]:
    """For each value, sum the weights of the question's words that are nearest to it."""
    held: list[dict[str, float]] = [{} for _ in found]
    for place, key, worth in _keys(reply, asked):
        nearest = _nearest(reply, found, place)
        general = nearest is not None and 0 < worth <= _OF_WORD and _is_topic(reply, found, place, nearest)
        if nearest is not None and not (general and not found[nearest].met):
            held[nearest][key] = worth
    return [sum(keys.values()) for keys in held]


def _is_topic(reply: Answered, found: Sequence[_Candidate], place: int, nearest: int) -> bool:
    """Whether a word before the first of several values in a clause applies to them all: `Men serve 3 and women 2`."""
    first, clauses = found[nearest].first, reply.passage.clauses
    others = [other.first for other in found if other.met != found[nearest].met]
    return place < first and any(first < other and clauses[other] == clauses[first] for other in others)


def _nearest(reply: Answered, found: Sequence[_Candidate], place: int) -> int | None:
    passage = reply.passage
    costs = [
        (_distance(reply, place, other.first), number)
        for number, other in enumerate(found)
        if passage.sentences[other.first] == passage.sentences[place]
    ]
    return min(costs)[1] if costs else None


def _distance(reply: Answered, one: int, other: int) -> int:
    passage = reply.passage
    low, high = min(one, other), max(one, other)
    joined = passage.stems[low:high].count("and")
    return high - low + _PER_CLAUSE * (passage.clauses[high] - passage.clauses[low]) + _PER_AND * joined


def _keys(reply: Answered, asked: Asked) -> list[tuple[int, str, float]]:
    """Return (position in the reply, key of the question, weight) for each occurrence of a word of the question."""
    wanted = {concept(word) for word in asked.content} - {concept(word) for word in _measures(asked.folded)}
    each, every = _ASKS_EACH.search(asked.folded), _ASKS_ALL.search(asked.folded)
    one = {concept(word) for match in _OF_ONE.findall(asked.folded) for word in stem_set(match)}
    found: list[tuple[int, str, float]] = []
    for place, word in enumerate(reply.passage.stems):
        if concept(word) in wanted:
            found.append((place, concept(word), _OF_WORD if word in asked.words else _OF_SYNONYM))
        if (each and word in _EACH) or (every and word in _TOGETHER) or _is_each(reply, place, one):
            found.append((place, "each or all", _OF_EACH))
        elif (each or one) and not every and word in _TOGETHER:
            found.append((place, "against", -_OF_EACH))
    return found + _numbers_asked(reply, asked)


def _is_each(reply: Answered, place: int, one: set[str]) -> bool:
    """Whether `each team` stands in the reply where the question says `a team`."""
    stems = reply.passage.stems
    return stems[place] in ("each", "every", "per") and place + 1 < len(stems) and concept(stems[place + 1]) in one


@lru_cache(maxsize=1024)
def _measures(folded: str) -> frozenset[str]:
    """Return the stems of what is measured or counted, which apply to every value: `how wide`, `how many players`."""
    match = _MEASURE.search(folded)
    return stem_set(" ".join(filter(None, match.groups()))) if match else frozenset()


def _numbers_asked(reply: Answered, asked: Asked) -> list[tuple[int, str, float]]:
    """Return keys for numbers and years of the question (`in 2021`, `two rooms`); other ones count negatively."""
    given = _given(asked.folded)
    found: list[tuple[int, str, float]] = []
    for fact in reply.facts:
        alike = [wanted for wanted in given if _one_kind(wanted, fact)]
        if alike:
            same = any(amount_of(wanted) == amount_of(fact) for wanted in alike)
            place = _word_index(reply, fact)
            found.append((place, f"number {amount_of(fact)}", _OF_NUMBER if same else -_OF_NUMBER))
    return found


def _one_kind(wanted: Fact, found: Fact) -> bool:
    if isinstance(wanted, Date) and isinstance(found, Date):
        return True
    if not isinstance(wanted, Quantity) or not isinstance(found, Quantity):
        return False
    if wanted.noun:
        return bool(stem_set(wanted.noun) & stem_set(found.noun))
    return bool(wanted.dimension) and wanted.dimension == found.dimension


def amount_of(fact: Fact) -> object:
    """Return the comparable amount of a fact; equal facts have equal amounts."""
    if isinstance(fact, Date):
        return fact.year, fact.month, fact.day
    return fact.readings[0].amount if isinstance(fact, Quantity) else fact.minutes


def _word_index(reply: Answered, fact: Fact) -> int:
    starts = reply.passage.starts
    return next((place for place, start in enumerate(starts) if start >= fact.start), len(starts) - 1)
