"""Find what in a reply contradicts an expected statement: numbers, opposites, negations, substituted words."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import combinations

from proctor.reading.expected import Answered, Expected
from proctor.reading.inquiry import is_light
from proctor.reading.lexicon import concept
from proctor.reading.opposites import NEGATORS, OPPOSITES, without_prefix
from proctor.reading.reversal import governed_words, reversed_sense
from proctor.reading.text.clocks import same_time
from proctor.reading.text.dates import agree
from proctor.reading.text.numbers import compare
from proctor.reading.text.overlap import STOP
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem_set

_ALIKE = 0.6
"""Minimum similarity from which a reply counts as the expected sentence with a change."""
_BEGINNING = 4
_LONGEST = 60
_REACH = 3


def contradiction(reply: Answered, answer: Expected, *, near: bool = True) -> str:
    """Describe what in the reply contradicts the expected statement; empty if nothing does.

    Opposites and negations count only if the reply is `near` in wording: elsewhere they are as often a paraphrase.
    """
    if len(reply.passage) > _LONGEST or answer.squeezed in reply.squeezed:
        return ""
    return (
        _other_number(reply, answer)
        or _other_time(reply, answer)
        or (_opposite(reply, answer) if near else "")
        or _find_changed_word(reply, answer)
        or _said_of_the_other(reply, answer)
        or (reversed_sense(reply, answer) if near else "")
    )


def _other_number(reply: Answered, answer: Expected) -> str:
    """Find a number of an expected dimension if none equals the expected one."""
    kinds = {wanted.dimension for wanted in answer.facts.quantities} - {""}
    found = [other for other in reply.facts.quantities if other.dimension in kinds]
    pairs = [(wanted, other) for wanted in answer.facts.quantities for other in found]
    if not pairs or any(compare(wanted, other) in ("same", "rounded") for wanted, other in pairs):
        return ""
    return f"says {reply.passage.cut(found[0].start, found[0].end).strip()}"


def _other_time(reply: Answered, answer: Expected) -> str:
    """Find an unexpected time of day or date where an expected one is missing."""
    found = reply.facts
    times = [clock for clock in found.clocks if not any(same_time(clock, wanted) for wanted in answer.facts.clocks)]
    days = [date for date in found.dates if all(agree(wanted, date) == "different" for wanted in answer.facts.dates)]
    no_time = any(not any(same_time(clock, wanted) for clock in found.clocks) for wanted in answer.facts.clocks)
    no_day = any(all(agree(wanted, date) == "different" for date in found.dates) for wanted in answer.facts.dates)
    others = [*(times if no_time else ()), *(days if no_day else ())]
    return f"says {reply.passage.cut(others[0].start, others[0].end).strip()}" if others else ""


def _opposite(reply: Answered, answer: Expected) -> str:
    """Find a word whose opposite was expected, unless a negation reverses it."""
    wanted = frozenset(answer.passage.stems)
    for place, word in enumerate(reply.passage.stems):
        if word in STOP or (word in wanted and not _stands_oftener(reply, answer, word)):
            continue
        against = OPPOSITES.get(word, frozenset())
        same = against.isdisjoint(reply.stems)  # otherwise the reply also contains the expected word
        others = {other for other in against if other in wanted} if same else set()
        plain = without_prefix(word)
        if plain in wanted and plain not in reply.stems:
            others.add(plain)
        if others and _is_denied(reply.passage.stems, place) == any(
            _is_denied(answer.passage.stems, answer.passage.stems.index(o)) for o in others
        ):
            return f"says {reply.passage.quote(place, place)!r}"
    return ""


def _stands_oftener(reply: Answered, answer: Expected, word: str) -> bool:
    """Whether a word is too frequent: `Prices rise when rates rise` for `prices fall when rates rise`."""
    return reply.passage.stems.count(word) > answer.passage.stems.count(word)


def _is_denied(stems: list[str], place: int) -> bool:
    return sum(word in NEGATORS for word in stems[max(0, place - _REACH) : place]) % 2 == 1


def _find_changed_word(reply: Answered, answer: Expected) -> str:
    """Find a replaced content word, or two swapped ones, in a reply almost identical to the expected sentence."""
    reply_stems, answer_stems = reply.passage.stems, answer.passage.stems
    matcher = SequenceMatcher(None, answer_stems, reply_stems, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return _find_swapped_words(answer_stems, reply_stems)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "replace":
            continue
        gone = [word for word in answer_stems[start:end] if word not in STOP]
        new = [word for word in reply_stems[first:last] if word not in STOP]
        if _is_other(gone, new) or _is_turned(answer_stems[start:end], reply_stems[first:last]):
            return f"says {reply.passage.quote(first, last - 1)!r} in place of {answer.passage.quote(start, end - 1)!r}"
    return _denied_after(reply, answer) or _find_swapped_words(answer_stems, reply_stems)


def _is_other(gone: list[str], new: list[str]) -> bool:
    """Whether one content word replaces another, is no variant of it, and says more than `goes on`."""
    if len(gone) != 1 or len(new) != 1 or is_light(new[0]) or concept(gone[0]) == concept(new[0]):
        return False
    return gone[0][:_BEGINNING] != new[0][:_BEGINNING]


_TURNED = tuple(
    (stem_set(one), stem_set(other))
    for one, other in (
        ("into to in inside toward towards", "from out off away outside"), ("up above over", "down below under"),
        ("before", "after"), ("more", "less fewer"), ("all every always both", "some sometimes"), ("must", "may"),
        ("with", "without"), ("first", "last"), ("forward forwards", "backward backwards"), ("most", "least"),
        ("always", "never"),
    )
)  # fmt: skip
"""Pairs of small words that reverse a sentence when one replaces the other."""


def _is_turned(gone: list[str], new: list[str]) -> bool:
    """Whether such a word replaces its counterpart: `into the hand` for `away from the hand`."""
    gone_words, new_words = frozenset(gone), frozenset(new)
    return any(
        (gone_words & one and new_words & other and not gone_words & other and not new_words & one)
        or (gone_words & other and new_words & one and not gone_words & one and not new_words & other)
        for one, other in _TURNED
    )


def _denied_after(reply: Answered, answer: Expected) -> str:
    """Find a negation on one side only, of a word that both contain."""
    answer_count, reply_count = (
        sum(word in NEGATORS for word in passage.stems) for passage in (answer.passage, reply.passage)
    )
    if reply_count > answer_count and governed_words(reply.passage) & frozenset(answer.passage.stems):
        return "denies it"
    return (
        "leaves out the negation" if reply_count < answer_count and governed_words(answer.passage) & reply.stems else ""
    )


def _said_of_the_other(reply: Answered, answer: Expected) -> str:
    """Find swapped attributions: `Cars may do 60, mopeds 80` for `cars may do 80, mopeds 60`."""
    answer_clauses, reply_clauses = _clause_of(answer.passage), _clause_of(reply.passage)
    shared = [word for word in answer_clauses if word in reply_clauses]
    for one, other in combinations(sorted({answer_clauses[word] for word in shared}), 2):
        first = [word for word in shared if answer_clauses[word] == one]
        second = [word for word in shared if answer_clauses[word] == other]
        here = {reply_clauses[word] for word in first}
        there = {reply_clauses[word] for word in second}
        if len(here) == len(there) == 2 and here == there:  # both groups are split over the same two clauses
            return "says of each what is true of the other"
    return ""


def _clause_of(passage: Passage) -> dict[str, int]:
    """Map each content word or number that occurs in only one clause to that clause."""
    found: dict[str, set[int]] = {}
    for word, clause in zip(passage.stems, passage.clauses, strict=True):
        if word not in STOP:
            found.setdefault(word, set()).add(clause)
    return {word: clauses.pop() for word, clauses in found.items() if len(clauses) == 1}


def _find_swapped_words(ours: list[str], reply_words: list[str]) -> str:
    """Find the same content words with two groups swapped: `a pays b`, `b pays a`."""
    one = [word for word in ours if word not in STOP]
    other = [word for word in reply_words if word not in STOP]
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if len(one) != len(other) or sorted(one) != sorted(other):
        return ""
    for first in range(1, len(one) - 1):
        for last in range(first + 1, len(one)):
            if one[last:] + one[first:last] + one[:first] == other:
                return "puts the same words in another order"
    return ""
