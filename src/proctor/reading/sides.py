"""Yes and no by meaning: which side of a question two replies take, and what one affirms and the other denies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from proctor.reading.answer import judge
from proctor.reading.inquiry import Inquiry, is_light
from proctor.reading.lexicon import upright
from proctor.reading.names import answers
from proctor.reading.pair import Found, Pair
from proctor.reading.statement import Claim, Statements, excerpt
from proctor.reading.values import comparable
from proctor.reading.agreement import meet
from proctor.text.negation import NEGATORS
from proctor.text.overlap import STOP, f1

_SAME_CLAIM = 0.8


class Sign(NamedTuple):
    """Whether a reply affirms a concept, and where."""

    affirms: bool
    quote: str


def opposite_sides(pair: Pair) -> Iterator[Found]:
    """Yes, then no, to a question for yes or no."""
    if pair.topic.kind != "yes-no" or pair.topic.inverted or not pair.answers_one_question:
        return
    content = pair.topic.content
    first = _side(pair.asked[0], pair.told[0], content)
    second = _side(pair.asked[1], pair.told[1], content)
    if first is not None and second is not None and first.affirms != second.affirms:
        said = ["yes" if side.affirms else "no" for side in (first, second)]
        yield Found("yes-no", first.quote, second.quote, f"first {said[0]}, then {said[1]} to the same question")


def _side(asked: Inquiry, told: Statements, content: frozenset[str]) -> Sign | None:
    """Which side of the proposition a reply takes: by a sentence that takes it up, or by a yes or no."""
    stated, word = told.side(content), told.word
    plain = not (asked.inverted or asked.negative or asked.doubts)
    if stated is not None and (not plain or word is None or word == stated.affirms):
        return Sign(stated.affirms, stated.quote)
    if word is None or (stated is not None and stated.full):
        return None
    if asked.inverted:
        return Sign(not word, told.first())
    if (asked.doubts and word) or (asked.negative and not word) or (asked.kind != "yes-no" and not asked.doubts):
        return None  # `Yes` to a doubt stands by the answer; `No` to `Is it not …?` may mean either
    return Sign(word, told.first())


def opposite_signs(pair: Pair) -> Iterator[Found]:
    """What one reply affirms and the other denies, by a negation or by a word of the opposite meaning."""
    if pair.relation == "other" or pair.topic.kind in ("why", "how") or pair.asked[1].inverted:
        return
    first, second = (_signs(pair, place) for place in (0, 1))
    asked = {upright(word)[0] for word in (*pair.topic.telling, *pair.asked[1].telling)}
    for concept, one in first.items():
        other = second.get(concept)
        if other is not None and one.affirms != other.affirms and concept in asked:
            yield Found("yes-no", one.quote, other.quote, "one says so, the other denies it")


def _signs(pair: Pair, place: int) -> dict[str, Sign]:
    """Every concept that a reply affirms or denies: in its sentences, and by a yes or no in its question's words."""
    asked, told = pair.asked[place], pair.told[place]
    found: dict[str, Sign] = {}
    for claim in told.claims:
        if not claim.open and not claim.mentions:
            for concept, affirms in _signed(claim):
                found.setdefault(concept, Sign(affirms, excerpt(claim.text)))
    if told.word is not None and asked.kind == "yes-no" and not (asked.doubts or asked.negative):
        for concept, affirms in _asked_signs(asked):
            found.setdefault(concept, Sign(affirms is told.word, told.first()))
    return found


def _signed(claim: Claim) -> Iterator[tuple[str, bool]]:
    """Concept and sign of each telling word of a sentence; a negation turns those of its clause."""
    passage = claim.body
    denied = {clause for word, clause in zip(passage.stems, passage.clauses, strict=True) if word in NEGATORS}
    for word, clause in zip(passage.stems, passage.clauses, strict=True):
        concept, opposite = upright(word)
        if (opposite or word not in STOP) and word not in NEGATORS and not word[:1].isdigit():
            yield concept, (clause in denied) is opposite


def _asked_signs(asked: Inquiry) -> Iterator[tuple[str, bool]]:
    without = {word for leading, word in asked.led if leading == "without"}
    for word in asked.telling:
        if not is_light(word):
            concept, opposite = upright(word)
            yield concept, (word in without) is opposite


def denied_values(pair: Pair) -> Iterator[Found]:
    """A value stated in one reply and denied in the other."""
    if pair.relation == "other":
        return
    for mine, theirs, forward in ((pair.told[0], pair.told[1], True), (pair.told[1], pair.told[0], False)):
        if not any(claim.denies for claim in theirs.claims):
            continue
        for denied in (stated for stated in theirs.facts if stated.denied):
            held = [stated for stated in mine.facts if not stated.denied and comparable(stated, denied, pair)]
            if any(meet(stated.fact, denied.fact) for stated in held):
                yield _in_order(forward, held[0].quote, denied.quote)
        yield from _denied_names(pair, mine, theirs, forward=forward)
    yield from _same_but_denied(pair)


def _denied_names(pair: Pair, mine: Statements, theirs: Statements, *, forward: bool) -> Iterator[Found]:
    for name in answers(theirs, pair.topic.stems, denied=True):
        stated = [own for own in answers(mine, pair.topic.stems) if own.stems & name.stems - STOP]
        if stated and not any(own.stems & name.stems for own in theirs.names if not own.denied):
            yield _in_order(forward, stated[0].quote, name.quote)


def _in_order(forward: bool, stated: str, denied: str) -> Found:
    if forward:
        return Found("negation", stated, denied, "what was stated first is then denied")
    return Found("negation", denied, stated, "what was denied first is then stated")


def _same_but_denied(pair: Pair) -> Iterator[Found]:
    """The same sentence with and without a negation."""
    mine, theirs = (
        [(claim.text, claim.denies, claim.stems - STOP - NEGATORS) for claim in told.claims if not claim.open]
        for told in pair.told
    )
    for one, denied, words in mine:
        for other, other_denied, other_words in theirs:
            if denied is not other_denied and len(words & other_words) >= 2 and f1(words, other_words) >= _SAME_CLAIM:
                yield Found("negation", one, other, "one says so, the other denies it")


def side_of(question: str, reply: str) -> bool | None:
    """Which side of a question for yes or no a reply takes; None: neither, or both."""
    yes, no = (judge(question, word, reply).right is True for word in ("Yes", "No"))
    return yes if yes is not no else None
