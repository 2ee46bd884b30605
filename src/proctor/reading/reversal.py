"""Detect reversals of an expected statement: a missing or added negation, a bound on the other side, another order."""

from __future__ import annotations

from proctor.reading.expected import Answered, Expected
from proctor.reading.opposites import ADVERSE, NEGATORS
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import quantities
from proctor.reading.text.overlap import weight
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem, stem_set, words

_REFUSES = stem_set("refuse fail avoid prevent forbid ban prohibit deny unable impossible instead too")
"""Verbs and adverbs that negate what follows them."""
_HARMLESS = stem_set("only just merely until doubt more less later earlier fewer matter longer")
_ENDS_REACH = stem_set("same enough and or")
_REACH = 5
_FREE = stem("free")
_SOMETHING = 0.4
_WITHIN = lazy(r"\b(?:within|up to|at most|no more than|less than|under|in the last|in the first)(?: the)?(?: last)? $")
_OR_MORE = lazy(r"\b(?:at least|no less than|more than|a minimum of|over|not before) $")
_BEFORE = lazy(r"(?<=\w )\b(?:before|prior to)\b")
_AFTER = lazy(r"(?<=\w )\b(?:after|once|as soon as|following)\b")
_TURNED = tuple(
    tuple(map(stem, pair.split())) for pair in ("on off", "open close", "first last", "start stop", "push pull")
)
_LOOK_BACK = 24
_FEW_WORDS = 40


def reversed_sense(reply: Answered, answer: Expected) -> str:
    """Describe what a reply reverses in the expected statement; empty if nothing."""
    if len(reply.passage) > _FEW_WORDS:
        return ""
    return (
        missing_denial(reply, answer)
        or _find_denial(reply, answer)
        or _other_bound(reply, answer)
        or _other_order(reply, answer)
        or _other_time(reply, answer)
    )


def missing_denial(reply: Answered, answer: Expected) -> str:
    """Find a missing negation: `Rub it` for `do not rub it`."""
    for word in governed_words(answer.passage) - governed_words(reply.passage):
        if word in reply.stems and not _stands_denied(reply.passage, word) and not _denied_beside(reply.passage, word):
            return f"says {_quote(reply, word)!r} without the negation"
    return ""


def _find_denial(reply: Answered, answer: Expected) -> str:
    """Find an added negation: `It can't be restored` for `you can restore it`."""
    governed = _governed_places(reply.passage, NEGATORS)
    own = governed_words(answer.passage)
    stems = reply.passage.stems
    for word in dict.fromkeys(stems[place] for place in governed):
        everywhere = all(place in governed for place, other in enumerate(stems) if other == word)
        if word not in answer.passage.stems or word in own or word[0].isdecimal() or not everywhere:
            continue
        if not _stands_denied(answer.passage, word) and _negations(stems) == 1:
            return f"denies {_quote(reply, word)!r}"
    return ""


def governed_words(passage: Passage) -> frozenset[str]:
    """Return the stems that a negation governs."""
    return frozenset(passage.stems[place] for place in _governed_places(passage, NEGATORS | _REFUSES))


def _governed_places(passage: Passage, negators: frozenset[str]) -> set[int]:
    """Return the position of the first content word after each negation in its clause."""
    found: set[int] = set()
    stems, clauses = passage.stems, passage.clauses
    for place, word in enumerate(stems):
        if word not in negators or (place + 1 < len(stems) and stems[place + 1] in _HARMLESS):
            continue
        for after in range(place + 1, min(len(stems), place + _REACH)):
            if clauses[after] != clauses[place] or stems[after] in negators or stems[after] in _ENDS_REACH:
                break
            if weight(stems[after]) >= _SOMETHING:
                found.add(after)
                break
    return found


def _stands_denied(passage: Passage, word: str) -> bool:
    """Whether a clause containing the word also contains a negative word."""
    around = {clause for clause, other in zip(passage.clauses, passage.stems, strict=True) if other == word}
    return any(
        clause in around and other != word and (other in NEGATORS or other in ADVERSE or other in _REFUSES)
        for clause, other in zip(passage.clauses, passage.stems, strict=True)
    )


def _denied_beside(passage: Passage, word: str) -> bool:
    """Whether a negation follows the word, or it is declared absent: `Damage by the user: no`, `free of penalties`."""
    stems = passage.stems
    places = [place for place, other in enumerate(stems) if other == word]
    return any(
        not NEGATORS.isdisjoint(stems[place + 1 : place + _REACH]) or _FREE in stems[max(0, place - 3) : place + 2]
        for place in places
    )


def _negations(stems: list[str]) -> int:
    """Count the negations; `not even` adds none."""
    pairs = zip(stems, [*stems[1:], ""], strict=True)
    return sum(word in NEGATORS and after != "even" for word, after in pairs)


def _quote(reply: Answered, word: str) -> str:
    place = reply.passage.stems.index(word)
    return reply.passage.quote(place, place)


def _other_bound(reply: Answered, answer: Expected) -> str:
    """Find a reversed bound: `Within the last six months` for `at least six months`."""
    for wanted in answer.facts.quantities:
        for found in quantities(reply.passage.folded):
            if wanted.readings[0] != found.readings[0]:
                continue
            sides = [
                (bool(_OR_MORE.search(text)), bool(_WITHIN.search(text)))
                for text in (
                    answer.passage.folded[max(0, wanted.start - _LOOK_BACK) : wanted.start],
                    reply.passage.folded[max(0, found.start - _LOOK_BACK) : found.start],
                )
            ]
            if sides in ([(True, False), (False, True)], [(False, True), (True, False)]) and not _is_negative(reply):
                return "sets the bound on the other side"
    return ""


def _is_negative(reply: Answered) -> bool:
    return not NEGATORS.isdisjoint(reply.stems)


def _other_order(reply: Answered, answer: Expected) -> str:
    """Find a reversed order: `Leave it on, then turn it off` for `switch it off, then on again`."""
    for one, other in _TURNED:
        answer_order = [word for word in answer.passage.stems if word in (one, other)]
        reply_order = [word for word in reply.passage.stems if word in (one, other)]
        if (
            len(answer_order)
            == len(reply_order)
            == len(set(answer_order))
            == len(set(reply_order))
            == len((one, other))
            and answer_order != reply_order
        ):
            return "puts them in the other order"
    return ""


def _other_time(reply: Answered, answer: Expected) -> str:
    """Find a reversed time relation: `It broke once it had arrived` for `it broke before it arrived`."""
    for one, other in ((_BEFORE, _AFTER), (_AFTER, _BEFORE)):
        wanted, found = one.search(answer.passage.folded), other.search(reply.passage.folded)
        if not wanted or not found or one.search(reply.passage.folded) or other.search(answer.passage.folded):
            continue
        before = [word for word in words(answer.passage.folded[: wanted.start()]) if weight(word) >= 1.0]
        if before and before[-1] in words(reply.passage.folded[: found.start()]):
            return f"says {found[0]!r}"
    return ""
