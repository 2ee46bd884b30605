"""Numbers, dates and times of day: is the expected one in the reply?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeVar

from proctor.reading.expected import Answered, Expected, Fact
from proctor.reading.match import Match, best_mention, taken_up
from proctor.reading.question import Asked
from proctor.text.clocks import Clock, same_time
from proctor.text.dates import Date, agree
from proctor.text.numbers import Quantity, compare

_OF_AGREEMENT = {"same": 1.0, "finer": 1.0, "coarser": 0.7, "different": 0.0}
_OF_COMPARISON = {"same": 1.0, "rounded": 0.85, "different": 0.0, "other-unit": 0.0}
_VAGUE_YEAR = 0.4
"""A decade or century where a year was asked for."""
_IN_RANGE = 0.5
"""One end of a range where one number was expected."""
_OUTDONE = 0.4
"""The expected fact is there, and another one is given as the answer."""
_SHOWN = 3
F = TypeVar("F", Date, Clock, Quantity)


def facts_met(reply: Answered, asked: Asked, answer: Expected) -> Match | None:
    """How well the expected facts are met, in the mean; None: the reply holds no fact at all."""
    if not reply.facts:
        return None
    met = [_fact_met(reply, asked, answer, fact) for fact in answer.facts]
    value = sum(match.value for match in met) / len(met)
    worst = min(met, key=lambda match: match.value)
    spot = next((match for match in met if match.first >= 0), worst)
    return Match(value, worst.explanation, spot.first, spot.last)


def _fact_met(reply: Answered, asked: Asked, answer: Expected, fact: Fact) -> Match:
    wanted = answer.passage.cut(fact.start, fact.end).strip()
    found: Match | None
    if isinstance(fact, Date):
        date = fact
        found = _best(reply, asked, wanted, reply.facts.dates, lambda other: _date_value(asked, date, other))
        found = found or _best(reply, asked, wanted, reply.facts.quantities, lambda other: _year_value(date, other))
    elif isinstance(fact, Clock):
        clock = fact
        found = _best(reply, asked, wanted, reply.facts.clocks, lambda other: float(same_time(clock, other)))
    else:
        number = fact
        alone = len(answer.facts.quantities) == 1
        found = _best(reply, asked, wanted, reply.facts.quantities, lambda other: _number_value(number, other, alone))
        found = found or _best(reply, asked, wanted, reply.facts.dates, lambda other: _year_value(other, number))
    return found or Match(0.0, f"expected {wanted}, found {_shown(reply)}")


def _best(reply: Answered, asked: Asked, wanted: str, found: Sequence[F], value: Callable[[F], float]) -> Match | None:
    """The found fact that meets the expected one best; None: there is none of this kind."""
    if not found:
        return None
    marks = [value(fact) for fact in found]
    best = max(marks)
    spans = [_words_of(reply, fact) for fact, mark in zip(found, marks, strict=True) if mark == best]
    if not best:
        return Match(0.0, f"expected {wanted}, found {_shown(reply)}")
    place = best_mention(reply, asked, [first for first, _ in spans])
    first, last = next(span for span in spans if span[0] == place)
    met = f"expected {wanted}, found {reply.passage.quote(first, last)}"
    others = [fact for fact, mark in zip(found, marks, strict=True) if not mark]
    rival = _rival(reply, asked, place, others) if others else None
    if rival is not None:
        return Match(best * _OUTDONE, f"{met}, but the answer given is {_text(reply, rival)}", first, last)
    return Match(best, met, first, last)


def _rival(reply: Answered, asked: Asked, place: int, others: Sequence[Fact]) -> Fact | None:
    """Another date or measure, in a clause that takes up more of the question, or as much and before."""
    clauses, shared = reply.passage.clauses, taken_up(reply, asked)
    here = clauses[place]
    known = len(shared.get(here, ()))
    for other in others:
        first, _ = _words_of(reply, other)
        there = clauses[first]
        bare = isinstance(other, Quantity) and not other.dimension
        if bare or there == here or reply.passage.stems[first] in asked.words:
            continue
        theirs = len(shared.get(there, ()))
        if theirs > known or (theirs == known and there < here):
            return other
    return None


def _date_value(asked: Asked, date: Date, found: Date) -> float:
    how = agree(date, found)
    if how == "coarser" and asked.year:
        return 1.0 if found.years == 1 else _VAGUE_YEAR
    return _OF_AGREEMENT[how]


def _year_value(date: Date, number: Quantity) -> float:
    """A year may stand where no date is seen, and the other way round."""
    return float(date.month is None and date.years == 1 and not number.dimension and number.value == date.year)


def _number_value(number: Quantity, found: Quantity, alone: bool) -> float:
    value = _OF_COMPARISON[compare(number, found)]
    return value * _IN_RANGE if alone and found.ranged and not number.ranged else value


def _words_of(reply: Answered, fact: Fact) -> tuple[int, int]:
    """The places of the first and last word of a fact."""
    passage = reply.passage
    first = bisect_right(passage.ends, fact.start)
    last = bisect_right(passage.starts, fact.end - 1) - 1
    return first, max(first, last)


def _text(reply: Answered, fact: Fact) -> str:
    return reply.passage.cut(fact.start, fact.end).strip()


def _shown(reply: Answered) -> str:
    texts = [_text(reply, fact) for fact in reply.facts]
    return ", ".join(texts[:_SHOWN]) + (" …" if len(texts) > _SHOWN else "")
