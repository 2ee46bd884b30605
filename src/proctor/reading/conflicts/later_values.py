"""Detect conflicts of values in the reply to another question: times of day, comparisons, days out of range."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.reading.conflicts.agreement import is_more, may_agree, measure_one_thing
from proctor.reading.conflicts.pair import Found, Pair
from proctor.reading.conflicts.scope import is_always, keeps_to, names_another, times_of
from proctor.reading.expected import Fact, read_facts
from proctor.reading.inquiry import is_light, plain_words
from proctor.reading.lexicon import akin
from proctor.reading.statement import Claim, Statements, excerpt
from proctor.reading.text.clocks import Clock
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity
from proctor.reading.text.words import words

_AT = lazy(r"\b(?:at|by|until|till|from) (?:\w+ )?$")
_HALF_A_DAY = 720
_HOURS = range(1, 13)
_LARGER = (
    r"bigger|larger|greater|longer|taller|higher|older|heavier|deeper|wider|faster|farther|further|dearer|warmer|hotter"
)
_SMALLER = r"smaller|shorter|lower|younger|lighter|shallower|narrower|slower|nearer|closer|cheaper|colder|cooler"
_COMPARES = lazy(rf"\b(?:(?P<more>more|{_LARGER})|(?P<less>less|fewer|{_SMALLER}))\b[^?]* than\b")
_ONLY = lazy(r"\bonly\b|\bjust\b|\bexclusively\b|\bnot outside\b")
_IT = lazy(r"\b(?:it|they|he|she|that|this|there|then)\b")


def continued_times(pair: Pair) -> Iterator[Found]:
    """Find another time of day for the first question in a reply to another one: `We lock up at seven.`"""
    if pair.topic.kind != "when":
        return
    first = [stated for stated in pair.statements[0].facts if isinstance(stated.fact, Clock) and not stated.denied]
    if len(first) != 1:
        return
    for claim in _stated_claims(pair.statements[1]):
        times = list(_clocks(claim))
        if (
            not times
            or claim.denies
            or not keeps_to(pair, claim, amounts=False, supposed=True)
            or not _speaks_of_topic(pair, claim)
        ):
            continue
        if not any(_one_time(first[0].fact, time) for time in times):
            reason = f"first {first[0].text}, then another time"
            yield Found("time", first[0].quote, excerpt(claim.text), reason)


def _stated_claims(statements: Statements) -> list[Claim]:
    return [claim for claim in statements.claims if not (claim.open or claim.mentions)]


def _clocks(claim: Claim) -> Iterator[Clock]:
    """Yield the times of day in a sentence; a bare hour after a preposition such as `at` counts too."""
    folded = claim.passage.folded
    for fact in read_facts(folded):
        if isinstance(fact, Clock):
            yield fact
        elif _is_hour(fact) and _AT.search(folded[: fact.start]):
            assert isinstance(fact, Quantity)
            yield Clock(minutes=int(fact.value) * 60, start=fact.start, end=fact.end, certain=False)


def _is_hour(fact: Fact) -> bool:
    return isinstance(fact, Quantity) and fact.value in _HOURS and not (fact.dimension or fact.noun)


def _one_time(one: object, other: Clock) -> bool:
    assert isinstance(one, Clock)
    return may_agree(one, other) or (not other.certain and (one.minutes - other.minutes) % _HALF_A_DAY == 0)


def _speaks_of_topic(pair: Pair, claim: Claim) -> bool:
    """Whether a sentence repeats the predicate of the question, or a synonym: closes, shuts."""
    telling = [word for word in pair.topic.telling if not is_light(word) and not times_of(word)]
    stems = words(plain_words(claim.body.folded))
    return any(akin(word, other) for word in telling[1:] for other in stems)


def compared_values(pair: Pair) -> Iterator[Found]:
    """Find a yes or no to a comparison (`Is it more than 50?`) that contradicts the number given first."""
    asked, statements = pair.asked[1], pair.statements[1]
    compares = _COMPARES.search(asked.asked)
    if (
        compares is None
        or asked.kind != "yes-no"
        or asked.negative
        or statements.word is None
        or pair.topic.kind != "amount"
    ):
        return
    stated = [each for each in pair.statements[0].facts if isinstance(each.fact, Quantity) and not each.denied]
    rivals = list(read_facts(asked.asked).quantities)
    if len(stated) != 1 or len(rivals) != 1 or not _IT.search(asked.asked):
        return
    own, rival = stated[0].fact, rivals[0]
    assert isinstance(own, Quantity)
    if rival.dimension and not (own.dimension and measure_one_thing(own, rival)):
        return
    rival = rival if rival.dimension else rival._replace(readings=(own.readings[0]._replace(amount=rival.value),))
    if own.bound or own.about or rival.about or may_agree(own, rival):
        return
    larger = is_more(own, rival)
    if (larger is (compares["more"] is not None)) is not statements.word:
        reason = f"{'yes' if statements.word else 'no'} to {excerpt(asked.asked)!r}"
        yield Found("number", stated[0].quote, statements.first(), reason)


def outside_the_days(pair: Pair) -> Iterator[Found]:
    """Find an affirmative about a time outside the stated range: `Only from May to September`, then yes for January."""
    if pair.topic.kind not in ("yes-no", "when") or names_another(pair):
        return
    bounds = [
        claim
        for claim in _stated_claims(pair.statements[0])
        if _ONLY.search(claim.passage.folded) and times_of(claim.passage.folded)
    ]
    if len(bounds) != 1 or pair.statements[1].word is False:
        return
    days = times_of(bounds[0].passage.folded)
    question = fold(pair.said[1].question, accents=False)
    for claim in _stated_claims(pair.statements[1]):
        later = times_of(f"{question} {claim.passage.folded}")
        if claim.denies or is_always(claim.passage.folded) or not later or not later.isdisjoint(days):
            continue
        if len({day.endswith("day") for day in later | days}) == 1 and (
            _speaks_of_topic(pair, claim) or pair.statements[1].word
        ):
            yield Found(
                "date", excerpt(bounds[0].text), excerpt(claim.text), "another day than the only ones named first"
            )
