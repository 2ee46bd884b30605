"""Detect incompatible numbers, dates and times of day in two replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.reading.conflicts.agreement import is_more, may_agree, measure_one_thing
from proctor.reading.conflicts.pair import Found, Pair
from proctor.reading.expected import Fact, read_facts
from proctor.reading.inquiry import Inquiry, is_light
from proctor.reading.lexicon import akin
from proctor.reading.statement import Claim, Stated, Statements, excerpt
from proctor.reading.text.clocks import Clock
from proctor.reading.text.dates import Date
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATORS
from proctor.reading.text.numbers import Quantity, quantities
from proctor.reading.text.overlap import STOP
from proctor.reading.text.passage import passage_of
from proctor.reading.text.units import units_named
from proctor.reading.text.words import stem, stem_set

_SPAN = lazy(r"\b(?:between|from)\b.* (?:and|to)\b|\d\s?(?:-|to|or)\s?\d|\b\w+ to \w+")
_PERIOD = lazy(
    r"\b(?:per|an?|each|every|for (?:an?|one|the whole)) (hour|day|week|month|year|night)\b|\b(month"
    r"|year)ly\b(?! price| fee)|/ ?(month|year)"
)
_ASKS_MOST = lazy(
    r"\b(?:can|could|may|fits?|holds?|carry|carries|bears?|supports?|allowed|permitted|withstands?|stands?|seats?"
    r"|maximum|max|limit|most|capacity|up to|valid)\b"
)
_ASKS_LEAST = lazy(r"\b(?:must|minimum|least|need|needs|needed|required?|have to|has to|should)\b")
_EXACTLY = lazy(r"\b(?:limit|maximum|minimum|exactly|only|it|that) (?:\w+ )?(?=\d)")
"""Match a question about the bound itself, not about a value within it: `is the limit 20?`"""
_COMPARES = lazy(r"\w(?:er|ore|ess|orse) (?:\w+ )?than\b(?! \d)")
_OF_SOMEBODY = lazy(r"(?:so |and |but )?(?:can|could|may|shall|should|must|will|would|do|am) (?:i|we|you|he|she)\b")
"""Match a question about what a person may do: `Can I come at half past seven?` proposes no closing time."""
_TIMES = {("month", "year"): 12.0}
_SAME_RATE = 0.02
_SCOPES = stem_set("for if when unless during among except with without in on at as by under over after before")


def share_value(pair: Pair) -> bool:
    """Whether the later reply repeats a value of the earlier one."""
    first, second = ([stated for stated in statements.facts if not stated.denied] for statements in pair.statements)
    return any(_may_agree(one, other) for one in first for other in second)


def differing_times(pair: Pair) -> Iterator[Found]:
    """Find two incompatible dates or times of day."""
    if not pair.answers_one_question:
        return
    if "when" not in (pair.topic.kind, pair.asked[1].kind) and not _begins_with_time(pair):
        return
    for kind, name in ((Date, "date"), (Clock, "time")):
        first, second = (
            [stated for stated in _facts_of_kind(kind, statements) if not _is_granted(stated, asked, pair)]
            for asked, statements in zip(pair.asked, pair.statements, strict=True)
        )
        if _differ(first, second):
            yield _build_finding(name, (first, second))


def _facts_of_kind(kind: type[Fact], statements: Statements, *, denied: bool = False) -> list[Stated]:
    return [stated for stated in statements.facts if isinstance(stated.fact, kind) and stated.denied is denied]


def _is_granted(stated: Stated, asked: Inquiry, pair: Pair) -> bool:
    """Whether a value from the question is only confirmed in its original meaning: `It opened in 1912, yes, but …`"""
    offered = read_facts(asked.asked)
    if not any(type(fact) is type(stated.fact) and may_agree(fact, stated.fact) for fact in offered):
        return False
    passage = stated.claim.passage
    place = next((at for at, end in enumerate(passage.ends) if end >= stated.fact.end), len(passage) - 1)
    clause = {word for word, at in zip(passage.stems, passage.clauses, strict=True) if at == passage.clauses[place]}
    telling = [word for word in pair.topic.telling if not is_light(word)]
    own = asked.own - asked.rivals - frozenset(telling)
    return bool(own & clause) and not any(akin(word, other) for word in telling[1:] for other in clause)


def _begins_with_time(pair: Pair) -> bool:
    """Whether both replies are little more than a date or time, for questions such as `Until when` or `Since …`."""
    return (
        all(any(stated.alone for stated in statements.facts) for statements in pair.statements)
        and pair.topic.kind == "open"
    )


def _differ(first: list[Stated], second: list[Stated]) -> bool:
    """Whether no value of one reply is compatible with one of the other; for two ranges, whether either end differs."""
    if not first or not second:
        return False
    if _are_range(first) and _are_range(second):
        return not all(_may_agree(one, other) for one, other in zip(first, second, strict=True))
    if _lies_within(first, second) or _lies_within(second, first):
        return False
    return not any(_may_agree(one, other) for one in first for other in second)


def _lies_within(ends: list[Stated], inner: list[Stated]) -> bool:
    """Whether a number lies in the range that the other reply gives: `six and a half`, `six to seven`."""
    spans = _SPAN.search(ends[0].claim.passage.folded) is not None
    values = [fact.value for fact in read_facts(ends[0].claim.passage.folded).quantities] if spans else []
    value = inner[0].fact
    return len(values) > 1 and isinstance(value, Quantity) and min(values) <= value.value <= max(values)


def _may_agree(one: Stated, other: Stated) -> bool:
    return may_agree(one.fact, other.fact)


def _are_range(facts: list[Stated]) -> bool:
    if len(facts) != 2 or facts[0].claim is not facts[1].claim:
        return False
    one, other = (stated.fact for stated in facts)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.ranged and other.ranged
    between = facts[0].claim.passage.folded[one.end : other.start].strip()
    return between in ("to", "-", "until", "and", "till")


def _build_finding(kind: str, stated: Sequence[Sequence[Stated]]) -> Found:
    first, second = stated[0][0], stated[1][0]
    return Found(kind, first.quote, second.quote, f"first {first.text}, then {second.text}")


def differing_numbers(pair: Pair) -> Iterator[Found]:
    """Find two incompatible amounts of the same thing."""
    if not pair.answers_one_question or pair.topic.kind in ("how", "why", "yes-no", "choice"):
        return
    first, second = (
        [_with_unit(stated, asked) for stated in _facts_of_kind(Quantity, statements)]
        for asked, statements in zip((pair.topic, pair.asked[1]), pair.statements, strict=True)
    )
    given = {fact.value for fact in read_facts(pair.topic.asked).quantities}
    first, second = (_not_given(stated, given) for stated in (first, second))
    for one in first:
        rivals = [other for other in second if _of_one_thing(one, other, pair)]
        mates = [other for other in first if _of_one_thing(other, one, pair)]
        if rivals and _differ_by_period(mates, rivals, pair) and not _have_other_scopes(mates, rivals, pair):
            yield _build_finding("number", (mates, rivals))


def _differ_by_period(first: list[Stated], second: list[Stated], pair: Pair) -> bool:
    """Whether amounts differ, after conversion between periods: €49 per month, €588 for a year."""
    one, other = _period(first[0], pair.topic), _period(second[0], pair.asked[1])
    if one == other or not (one and other):
        return _differ(first, second)
    times = _TIMES.get((one, other)) or 1 / _TIMES.get((other, one), 0.0) if {one, other} <= {"month", "year"} else 0.0
    a, b = first[0].fact, second[0].fact
    if not times or not isinstance(a, Quantity) or not isinstance(b, Quantity):
        return False
    return abs(a.value * times - b.value) > _SAME_RATE * b.value


def _period(stated: Stated, asked: Inquiry) -> str:
    """Return the period that an amount applies to, from the text after it or from its question."""
    match = _PERIOD.search(stated.claim.passage.folded, stated.fact.end) or _PERIOD.search(asked.asked)
    return next(filter(None, match.groups()), "").removesuffix("ly") if match else ""


def _not_given(found: list[Stated], given: set[float]) -> list[Stated]:
    """Return the numbers that the question did not contain, or all of them if it contained all."""
    new = [stated for stated in found if isinstance(stated.fact, Quantity) and stated.fact.value not in given]
    return new or found


def _with_unit(stated: Stated, asked: Inquiry) -> Stated:
    """Add the unit that the question names to a bare number: 12,000 for `And in metres?`"""
    fact = stated.fact
    if not isinstance(fact, Quantity) or fact.dimension or fact.noun:
        return stated
    unit = next((word for word in asked.asked.rstrip("?").split() if len(word) > 2 and units_named(word)), None)
    read = quantities(f"{fact.value:g} {unit}") if unit else []
    if len(read) != 1:
        return stated
    return stated._replace(fact=fact._replace(readings=read[0].readings))


def _have_other_scopes(first: list[Stated], second: list[Stated], pair: Pair) -> bool:
    """Whether each number applies to its own scope: £14 for adults, £7 for children."""
    one, other = (_scope(stated[0], pair) for stated in (first, second))
    return bool(one and other) and one.isdisjoint(other)


def _scope(stated: Stated, pair: Pair) -> frozenset[str]:
    """Return the stems that a preposition links to a number, except those of the questions."""
    stems = stated.claim.passage.stems
    last = max((place for place, end in enumerate(stated.claim.passage.starts) if end < stated.fact.end), default=0)
    after = stems[last + 1 :]
    start = next((place for place, word in enumerate(after) if word in _SCOPES), len(after))
    return frozenset(after[start:]) - STOP - pair.known


def _of_one_thing(one: Stated, other: Stated, pair: Pair) -> bool:
    """Whether two numbers are comparable: same dimension, same noun, or a bare number that the question determines."""
    a, b = one.fact, other.fact
    assert isinstance(a, Quantity)
    assert isinstance(b, Quantity)
    if a.ordinal != b.ordinal or (pair.topic.kind == "open" and not _said_alike(one, other)):
        return False
    if a.dimension and b.dimension:
        return measure_one_thing(a, b)
    if a.dimension or b.dimension:
        return one.alone and other.alone and not (a.noun or b.noun)
    if a.noun and b.noun:
        nouns = {stem(a.noun), stem(b.noun)}
        return len(nouns) == 1 or nouns <= pair.known or _is_only_number(one, other, pair)
    return not (a.noun or b.noun) or stem(a.noun or b.noun) in pair.known or _is_only_number(one, other, pair)


def _is_only_number(one: Stated, other: Stated, pair: Pair) -> bool:
    """Whether each reply gives exactly one number, to a question that asks for one: 240 employees, 310 people."""
    counted = all(len(_facts_of_kind(Quantity, statements)) == 1 for statements in pair.statements)
    return counted and pair.topic.kind == "amount" and one.claim is not other.claim


def _said_alike(one: Stated, other: Stated) -> bool:
    """Whether two numbers are about the same thing if none was asked for: alone, or in similar words."""
    if one.alone or other.alone:
        return True
    own = stem_set(f"{one.text} {other.text}".lower())
    return not (one.claim.stems & other.claim.stems).issubset(STOP | NEGATORS | own)


def granted_values(pair: Pair) -> Iterator[Found]:
    """Find a yes or no to a question that proposes a value, if it contradicts the value given before."""
    takes = grants(pair)
    if takes is None or share_value(pair):
        return
    asked, statements = pair.asked[1], pair.statements[1]
    reason = f"{'yes' if statements.word else 'no'} to {excerpt(asked.asked)!r}"
    offered = Claim(asked.asked, passage_of(asked.asked), asked.stems, open=True)
    values = [Stated(fact, offered) for fact in read_facts(offered.passage.folded)]
    for stated in pair.statements[0].facts:
        rivals = [value for value in values if comparable(stated, value, pair)]
        if rivals and not stated.denied and any(_agrees(stated, value, pair) for value in rivals) is not takes:
            yield Found(_kind_of(stated), stated.quote, statements.first(), reason)


def _agrees(stated: Stated, offered: Stated, pair: Pair) -> bool:
    """Whether a proposed value equals the stated one, or respects it as a maximum or minimum."""
    one, other = stated.fact, offered.fact
    if isinstance(one, Quantity) and isinstance(other, Quantity) and not _may_agree(stated, offered):
        if _ASKS_LEAST.search(pair.topic.asked):
            return is_more(other, one)
        if _ASKS_MOST.search(pair.topic.asked) and not _EXACTLY.search(pair.asked[1].asked):
            return is_more(one, other)
    return _may_agree(stated, offered)


def grants(pair: Pair) -> bool | None:
    """Whether a yes or no accepts what the later question proposes; None if it proposes nothing."""
    asked, word = pair.asked[1], pair.statements[1].word
    if asked.kind != "yes-no" or asked.doubts or (asked.negative and not asked.inverted) or word is None:
        return None
    if _COMPARES.search(asked.asked) or (_OF_SOMEBODY.match(asked.asked) and not _asks_again(pair)):
        return None
    if pair.relation not in ("same", "offer") or (pair.topic.kind in ("yes-no", "choice") and not asked.inverted):
        return None
    return word is not asked.inverted


def _asks_again(pair: Pair) -> bool:
    """Whether the later question shares a content word with the topic."""
    telling = [word for word in pair.topic.telling if not is_light(word)]
    return any(akin(word, other) for word in telling for other in pair.asked[1].telling)


def comparable(one: Stated, other: Stated, pair: Pair) -> bool:
    """Whether two values are of the same kind."""
    if isinstance(one.fact, Quantity) and isinstance(other.fact, Quantity):
        return _of_one_thing(one, other, pair)
    return type(one.fact) is type(other.fact)


def _kind_of(stated: Stated) -> str:
    return {Date: "date", Clock: "time"}.get(type(stated.fact), "number")
