"""Detect conflicts in a reply to another question that bears on the first: sides, existence, limits, days."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, takewhile

from proctor.reading.conflicts.pair import Found, Pair, says_all
from proctor.reading.conflicts.scope import QUOTED, is_always, is_conditional, keeps_to, times_of
from proctor.reading.conflicts.sides import rejects, says_of_it
from proctor.reading.inquiry import is_light, plain_words
from proctor.reading.lexicon import akin, concept
from proctor.reading.link import one_proposition, one_question
from proctor.reading.manner import without_concessions
from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand
from proctor.reading.relations import are_opposed
from proctor.reading.statement import Claim, Statements, excerpt
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATORS
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import words

_SHORTEST_PART = 4
_LONGEST_NAME = 3
_MOST = 30
"""Maximum number of sentences of a reply that are compared."""
_SUBJECT = lazy(
    r"(?:(?:but|so|and|then|well|sorry|no|yes)\b,? )*(it|they|he|she|we|you|i|that|this|there|the doors?)\b"
)
_PERSON = lazy(r"(?:he|she)(?:'s|'ll|'d)?\b")
_OF_PERSON = lazy(r"\b(?:he|she|him|her|his|hers)\b")
_FORMER = lazy(r"\b(?:any ?more|no longer|used to|formerly|yet|not yet)\b")
_CLAUSE = lazy(r"[,;:–—] |\b(?:because|since|and|but|so) ")
_IS = lazy(
    r"((?:the |this |that |our |your )?[\w'-]+?)(?:'s|'re| is| are| was| were)\b(?: (?:\w+ly|very|quite|too|so))?"
)
_NOT_ALL = lazy(r"\b(?:only|alone|just|until|always|all|both|every|either|yet|directly|any ?more)\b")
_PRONOUNS = frozenset(("it", "they", "this", "these", "those"))
_LIMITED = lazy(
    r"\b(?:only (?!if|when|on|in|from)|reserved for|restricted to|limited to|exclusively(?: for)?|exclusive to"
    r"|\w+s only)\b"
)
_FOR_ALL = lazy(
    r"\b(?:anyone|anybody|everyone|everybody|open to (?:all|the (?:general )?public|everyone|anyone)|for all)\b"
)
_NONE = lazy(r"\bno ((?:[a-z][a-z'-]* ?){1,3})")
_SOME = lazy(
    r"\b(?:an?|the|this|that|these|those|our|your|its|his|her|their|several|some|many|few|two|three|four|five"
    r"|\d[\d.,]*) (?=((?:[\w.'-]+ ?){1,3}))"
)
_NO_THING = frozenset(words("longer more less doubt need one problem way idea matter reason question time charge"))


def continued_sides(pair: Pair) -> Iterator[Found]:
    """Find a sentence that contradicts the first yes or no while answering another question: `It is poisonous.`"""
    if pair.topic.kind != "yes-no" or pair.topic.inverted or one_proposition(pair.topic, pair.asked[1]):
        return
    first = _plain_side(pair)
    if first is None or any(
        _FORMER.search(claim.passage.folded) for statements in pair.statements for claim in statements.claims
    ):
        return
    for claim in _meant(pair.statements[1]):
        side = _side_of(pair, claim, yes=first)
        if side is not None and side is not first:
            answers = ["yes" if first else "no", "yes" if side else "no"]
            reason = f"first {answers[0]}, then {answers[1]} to what was asked first"
            yield Found("yes-no", pair.statements[0].first(), excerpt(claim.text), reason)


def _plain_side(pair: Pair) -> bool | None:
    """Return the yes or no of the earlier reply, or None if it has conditions."""
    statements = pair.statements[0]
    if any(is_conditional(claim) for claim in statements.claims) or not one_question(pair.topic, pair.asked[0]):
        return None
    return read_polarity(statements.stated, understand(pair.topic.asked)).yes


def _meant(statements: Statements) -> list[Claim]:
    return [
        claim
        for claim in statements.claims
        if not (claim.open or claim.mentions or is_conditional(claim) or QUOTED.search(claim.text))
    ][:_MOST]


def _side_of(pair: Pair, claim: Claim, *, yes: bool) -> bool | None:
    """Return the yes or no that a sentence implies for the topic, or None if it is off topic or out of scope."""
    if yes and keeps_to(pair, claim, amounts=False) and _says_opposite(pair, claim):
        return False
    if not keeps_to(pair, claim) or not _is_on_topic(pair, claim, yes=yes) or rejects(pair, claim.body.folded):
        return None
    result = read_polarity(claim.body.folded, understand(pair.topic.asked))
    return result.yes if result.related or result.outright else None


def _says_opposite(pair: Pair, claim: Claim) -> bool:
    """Whether a clause says the opposite of what was asked about the same subject: `it's poisonous`."""
    telling = [word for word in pair.topic.telling if not is_light(word)]
    for clause in _CLAUSE.split(claim.body.folded):
        found = _IS.match(clause)
        if found is None or not (
            found[1] in _PRONOUNS or any(akin(stem, word) for stem in words(found[1]) for word in telling[:2])
        ):
            continue
        stems = words(clause[found.end() :])
        if stems and any(are_opposed(word, stems[-1]) for word in telling[1:]) and NEGATORS.isdisjoint(stems):
            return True
    return False


def _is_on_topic(pair: Pair, claim: Claim, *, yes: bool) -> bool:
    """Whether a sentence covers enough of the topic; a yes after a no needs more than a no after a yes."""
    if _PERSON.match(claim.body.folded) and not _OF_PERSON.search(pair.asked[1].asked):
        return False  # a person introduced by the later question
    telling = [word for word in dict.fromkeys(pair.topic.telling) if not is_light(word)]
    stems = words(plain_words(claim.body.folded))
    met = [word for word in telling if any(_is_related(word, other) for other in stems)]
    if not met:
        return False
    if not yes:
        return says_all(pair.topic, claim.body.folded)
    if len(telling) == 1 or (len(met) > 1 and says_of_it(pair.topic, claim.body.folded)):
        return True
    own = [word for word in stems if word not in STOP]
    begins = bool(own) and any(akin(own[0], word) for word in telling[:2])
    if begins and _LIMITED.search(claim.passage.folded):
        return True
    if met[0] == telling[0]:
        return False
    before = [word for word in _own_words(pair.statements[0]) if not any(akin(word, asked) for asked in telling)]
    taken_up = any(akin(word, other) for word in before for other in stems)
    return taken_up or _SUBJECT.match(claim.body.folded) is not None


def _own_words(statements: Statements) -> list[str]:
    return [word for claim in statements.claims for word in claim.stems if word not in STOP and not is_light(word)]


def _is_related(word: str, other: str) -> bool:
    """Whether two stems are related: same meaning, opposites, or one a part of the other (water, waterproof)."""
    compound = len(other) >= _SHORTEST_PART and word.startswith(other) and word != other
    return akin(word, other) or are_opposed(word, other) or compound


def none_and_some(pair: Pair) -> Iterator[Found]:
    """Find a thing that one reply denies to exist and the other mentions: `No ferry`, then `the ferry`."""
    for earlier, later in product(*map(_meant, pair.statements)):
        for denying, naming in ((earlier, later), (later, earlier)):
            if "no" not in denying.stems:
                continue
            name = next((name for name in _none_of(denying) if _has_some(name, naming)), None)
            if name is not None and _bears(pair, denying, naming) and keeps_to(pair, later):
                reason = f"there is no {name} in one reply, and there is in the other"
                yield Found("negation", excerpt(earlier.text), excerpt(later.text), reason)


def _none_of(claim: Claim) -> Iterator[str]:
    """Yield the stems of what a sentence says there is none of."""
    for match in _NONE.finditer(claim.passage.folded):
        named = list(takewhile(lambda word: word not in STOP, words(match[1])))
        if named and named[0] not in _NO_THING:
            yield named[-1] if len(named) < _LONGEST_NAME else named[0]


def _has_some(name: str, claim: Claim) -> bool:
    """Whether a sentence mentions a thing as existing: `the ferry`, `several errors`."""
    if name not in claim.stems or "without" in claim.stems or not NEGATORS.isdisjoint(claim.stems):
        return False
    return any(name in words(match[1]) for match in _SOME.finditer(claim.passage.folded))


def _bears(pair: Pair, one: Claim, other: Claim) -> bool:
    """Whether two sentences share more than one thing, or that thing is what was asked about."""
    shared = (one.stems & other.stems) - STOP
    if len(shared) > 1 or all(is_light(word) for word in pair.asked[1].telling):
        return True
    asked = any(akin(word, own) for word in shared for own in pair.topic.telling)
    return asked or _SUBJECT.match(other.body.folded) is not None


def denied_answer(pair: Pair) -> Iterator[Found]:
    """Find the denial of an answer given earlier: `Line 14.`, then `The 14 doesn't go there.`"""
    wanted = [word for word in pair.topic.telling if not is_light(word) and word != concept(pair.topic.category)]
    named = {word for word in _own_words(pair.statements[0]) if not any(akin(word, asked) for asked in wanted)}
    if pair.topic.kind not in ("open", "who", "where") or not wanted or not named:
        return
    spoken: frozenset[str] = pair.asked[1].stems
    for claim in pair.statements[1].claims:
        of_it = named & claim.stems or (_SUBJECT.match(claim.body.folded) and named & spoken)
        spoken |= claim.stems
        if (
            not of_it
            or not claim.denies
            or claim not in _meant(pair.statements[1])
            or _NOT_ALL.search(claim.passage.folded)
        ):
            continue
        if all(any(akin(word, other) for other in claim.stems) for word in wanted) and keeps_to(
            pair, claim, amounts=False
        ):
            yield Found(
                "negation", pair.statements[0].first(), excerpt(claim.text), "what was stated first is then denied"
            )


def granted_rival(pair: Pair) -> Iterator[Found]:
    """Find the acceptance of a rival answer that a remark proposed: `Fair enough, the agency holds it.`"""
    asked, statements = pair.asked[1], pair.statements[1]
    if pair.topic.kind not in ("who", "open") or not (asked.contests or asked.goes_on) or not statements.concedes:
        return
    wanted = [word for word in pair.topic.telling if not is_light(word)]
    earlier_words = {word for word in _own_words(pair.statements[0]) if not any(akin(word, other) for other in wanted)}
    for claim in _meant(statements):
        own = [word for word in words(without_concessions(claim.passage.folded)) if word not in STOP]
        new = bool(own) and own[0] in asked.own and own[0] not in earlier_words and own[0] not in wanted
        if (
            new
            and not claim.denies
            and earlier_words.isdisjoint(claim.stems)
            and any(akin(own_word, word) for own_word in own for word in wanted)
        ):
            yield Found(
                "name",
                pair.statements[0].first(),
                excerpt(claim.text),
                "what was held against the answer is taken over",
            )


def limited_and_open(pair: Pair) -> Iterator[Found]:
    """Find a restriction in one reply that the other lifts: `Only residents`, then `anyone`."""
    for earlier, later in product(*map(_meant, pair.statements)):
        texts = earlier.passage.folded, later.passage.folded
        if not any(_LIMITED.search(one) and _FOR_ALL.search(other) for one, other in (texts, texts[::-1])):
            continue
        if earlier.denies or later.denies or not keeps_to(pair, later):
            continue
        if any(akin(word, met) for word in pair.topic.telling for met in (*earlier.stems, *later.stems)):
            reason = "one is for some, the other for all"
            yield Found("negation", excerpt(earlier.text), excerpt(later.text), reason)


def differing_days(pair: Pair) -> Iterator[Found]:
    """Find disjoint days of the week or months in answers to the same question about time."""
    if not pair.answers_one_question or pair.topic.kind != "when":
        return
    first, second = (
        next(
            (
                (claim, days)
                for claim in _meant(statements)
                if not claim.denies and (days := times_of(claim.passage.folded))
            ),
            None,
        )
        for statements in pair.statements
    )
    if first is None or second is None or is_always(first[0].passage.folded) or is_always(second[0].passage.folded):
        return
    every = times_of(" ".join(claim.passage.folded for claim in _meant(pair.statements[1])))
    asked = times_of(pair.topic.asked) | times_of(fold(pair.said[1].question, accents=False))
    if first[1].isdisjoint(every) and asked.isdisjoint(first[1] | every) and _one_sort(first[1], every):
        yield Found(
            "date", excerpt(first[0].text), excerpt(second[0].text), f"first {min(first[1])}, then {min(every)}"
        )


def _one_sort(one: frozenset[str], other: frozenset[str]) -> bool:
    return len({name.endswith("day") for name in one | other}) == 1
