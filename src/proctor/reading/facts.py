"""Compare facts: check whether the expected numbers, dates and times of day are in the reply."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, TypeVar

from proctor.reading.composed import compose, years_on
from proctor.reading.counterparts import counterpart, is_other_end
from proctor.reading.expected import Answered, Expected, Fact
from proctor.reading.match import Match, best_mention
from proctor.reading.opposites import ADVERSE, NEGATORS, are_opposite
from proctor.reading.question import Asked
from proctor.reading.rivals import amount_of, is_given, part_around, rival
from proctor.reading.text.clocks import Clock, same_time
from proctor.reading.text.dates import Date, agree
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity, compare
from proctor.reading.text.words import stem, stem_set
from proctor.reading.values import asked_times_a_year, times_a_year

_OF_AGREEMENT = {"same": 1.0, "finer": 1.0, "coarser": 0.7, "different": 0.0}
_OF_COMPARISON = {"same": 1.0, "rounded": 0.85, "different": 0.0, "other-unit": 0.0}
_VAGUE_YEAR = 0.4
"""Score of a decade or century where a year was asked for."""
_IN_RANGE = 0.5
"""Score of one end of a range where one number was expected."""
_MOST_INCOMPLETE = 0.65
_OUTDONE = 0.4
"""Factor if the expected fact is present, but another one is given as the answer."""
_SHOWN = 3
_MOST_DATES = 12
_NARROW = 0.1
"""Maximum relative width of a range around the expected number."""
_ASKS_MOST = lazy(r"\b(?:max|maximum|at most|(?<!lower )limit|highest|largest|biggest)\b")
_ASKS_LEAST = lazy(r"\b(?:min|minimum|at least|lowest|smallest)\b")
_ASKS_BOUND = lazy(r"\b(?:max|maximum|min|minimum|limit|least|most|more|less|over|under|above|below|than)\b")
_CHANGES = r"(?:ris|ros|increas|grow|gr[eo]w|f[ea]ll|dropp?|decreas|shr[iau]nk|declin|climb|went|go)\w*"
_CHANGED_TO = lazy(rf"\b{_CHANGES}(?: up| down)? to (?:about |around |nearly )?$")
_ASKS_CHANGE = lazy(rf"\b(?:how much|by how much|by what)\b[^?]*\b{_CHANGES}")
_DIRECTIONS = stem_set(
    "rise rose increase grow grew fall fell drop decrease shrink sink decline lose gain lost win won cut raise"
    " down up climb"
)
_THROUGH = lazy(r"\s?(?:-|to|until|till|through)\s?")
_APART = lazy(r"\s(?:\w+ )?(?:more|less|fewer|higher|lower|cheaper|longer|shorter|older|younger|later|earlier) than\b")
"""Match the rest of a difference: `$20 more than the other`."""
_ASKS_APART = lazy(
    r"\b(?:more|less|fewer|than|differ\w*|save|saving|gap|longer|older|younger|extra|apart|later"
    r"|earlier)\b"
)
_GUESSED = lazy(r"\s?(?:[,;.?/|]|\bor\b|,\s?or\b|\s)\s?(?:or |maybe |perhaps |possibly )?(?:about )?\n?")
_LEAST_GUESSED = 3
F = TypeVar("F", Date, Clock, Quantity)


def facts_met(reply: Answered, asked: Asked, answer: Expected) -> Match | None:
    """Return how well the expected facts are matched on average, or None if the reply contains no facts."""
    if not reply.facts:
        return None
    span = _range_met(reply, answer)
    if span is not None:
        return span
    if turned := _turned_round(reply, answer):
        return turned
    met = [_fact_met(reply, asked, answer, fact) for fact in answer.facts]
    value = sum(match.value for match in met) / len(met)
    worst = min(met, key=lambda match: match.value)
    if worst.value <= _OUTDONE and len(met) > 2:
        value = min(value, _MOST_INCOMPLETE)
    spot = next((match for match in met if match.first >= 0), worst)
    return Match(value, worst.explanation, spot.first, spot.last)


def _range_met(reply: Answered, answer: Expected) -> Match | None:
    """Match an expected range by its ends or a number between them, or return None if not applicable."""
    ends = [number for number in answer.facts.quantities if number.ranged]
    found = [number for number in reply.facts.quantities if not number.ordinal]
    if len(ends) != 2 or len(answer.facts.quantities) != 2 or not found:
        return None
    low, high = (end.readings[0].amount for end in ends)
    unit = low / ends[0].value if ends[0].value else 1.0
    inside = [number for number in found if _lies_between(number, low, high, unit)]
    first, last = _words_of(reply, (inside or found)[0])
    wanted = answer.passage.cut(ends[0].start, ends[1].end).strip()
    value = 1.0 if len(inside) == len(found) else 0.0
    return Match(value, f"expected {wanted}, found {_list_facts(reply)}", first, last)


def _turned_round(reply: Answered, answer: Expected) -> Match | None:
    """Find a reversed time span: `5 pm to 9 am` for `9 am to 5 pm`, or return None."""
    answer_clocks, reply_clocks = answer.facts.clocks, reply.facts.clocks
    if len(answer_clocks) != 2 or not _THROUGH.fullmatch(
        answer.passage.folded, answer_clocks[0].end, answer_clocks[1].start
    ):
        return None
    pairs = [
        (one, other)
        for one, other in pairwise(reply_clocks)
        if _THROUGH.fullmatch(reply.passage.folded, one.end, other.start)
    ]
    if same_time(*answer_clocks) or not any(
        same_time(answer_clocks[0], other) and same_time(answer_clocks[1], one) for one, other in pairs
    ):
        return None
    if any(same_time(answer_clocks[0], one) and same_time(answer_clocks[1], other) for one, other in pairs):
        return None
    wanted = answer.passage.cut(answer_clocks[0].start, answer_clocks[1].end).strip()
    return Match(0.0, f"expected {wanted}, found {reply.passage.cut(pairs[0][0].start, pairs[0][1].end).strip()}")


def _lies_between(number: Quantity, low: float, high: float, unit: float) -> bool:
    amounts = [reading.amount * (1.0 if reading.dimension else unit) for reading in number.readings]
    if number.bound and not any(low < amount < high for amount in amounts):
        return (low if number.bound == "low" else high) in amounts
    return any(low <= amount <= high for amount in amounts)


def _fact_met(reply: Answered, asked: Asked, answer: Expected, fact: Fact) -> Match:
    wanted = answer.passage.cut(fact.start, fact.end).strip()
    found: Match | None
    if isinstance(fact, Date):
        found = _date_met(reply, asked, wanted, fact, answer.facts.dates)
    elif isinstance(fact, Clock):
        clock = fact
        found = _best(reply, asked, wanted, reply.facts.clocks, lambda other: float(same_time(clock, other)))
    else:
        found = _number_met(reply, asked, answer, wanted, fact)
    if found is None:
        return Match(0.0, f"expected {wanted}, found {_list_facts(reply)}")
    if found.value and found.first >= 0 and (objection := _said_of_other(reply, asked, answer, fact, found)):
        return found._replace(value=0.0, explanation=f"expected {wanted}, but the reply {objection}")
    return _on_its_side(reply, asked, answer, fact, found) if found.value and found.first >= 0 else found


def guesses(reply: Answered, answers: Sequence[Expected]) -> bool:
    """Whether a reply lists several values where one is expected: `41, 42 or 43`, `70? 80? 90?`"""
    if not answers or not all(answer.only_facts and len(list(answer.facts)) == 1 for answer in answers):
        return False
    kind = type(next(iter(answers[0].facts)))
    found = [fact for fact in reply.facts if type(fact) is kind]
    run: set[object] = set()
    for one, other in pairwise(found):
        if _noun(one) not in ("", _noun(other)) or not _GUESSED.fullmatch(reply.passage.folded, one.end, other.start):
            run = set()
            continue
        run |= {amount_of(one), amount_of(other)}
        if len(run) >= _LEAST_GUESSED:
            return True
    return False


def _noun(fact: Fact) -> str:
    return fact.noun if isinstance(fact, Quantity) else ""


def _on_its_side(reply: Answered, asked: Asked, answer: Expected, fact: Fact, found: Match) -> Match:
    """Lower the score of a value with another bound: `After 1 June` for `Before 1 June`, `less than 180` for 180."""
    folded, start = reply.passage.folded, reply.passage.starts[found.first]
    answer_side, reply_side = side_of(answer.passage.folded, fact.start), side_of(folded, start)
    if answer_side and reply_side and answer_side != reply_side and not _is_denied(reply, found.first):
        return found._replace(value=0.0, explanation=f"{found.explanation}, but on its other side")
    if _APART.match(folded, _end_of(reply, found)) and not _ASKS_APART.search(asked.folded):
        return found._replace(value=0.0, explanation=f"{found.explanation}, but as a difference")
    if answer_side or not isinstance(fact, Quantity) or fact.bound or _ASKS_BOUND.search(asked.folded):
        return found
    if not leaves_out(folded, start, fact.value) or _is_denied(reply, found.first):
        return found
    return found._replace(value=min(found.value, _IN_RANGE), explanation=f"{found.explanation}, but not exactly that")


def _end_of(reply: Answered, found: Match) -> int:
    return reply.passage.ends[found.last]


def _is_denied(reply: Answered, first: int) -> bool:
    """Whether the clause around a word is negative, which may reverse a bound: `more than 25 MB is rejected`."""
    clauses = reply.passage.clauses
    here = (word for word, clause in zip(reply.passage.stems, clauses, strict=True) if clause == clauses[first])
    return any(word in NEGATORS or word in ADVERSE or word == "too" for word in here)


def _date_met(reply: Answered, asked: Asked, wanted: str, date: Date, ours: Sequence[Date]) -> Match | None:
    given = reply.facts.dates
    if 1 < len(ours) <= _MOST_DATES:  # another expected date is no rival
        given = tuple(other for other in given if agree(date, other) != "different" or not _is_among(ours, other))
    found = _best(reply, asked, wanted, given, lambda other: _date_value(asked, date, other))
    if found is not None and found.value:
        return found
    later = years_on(reply, date, wanted)
    return later or _best(reply, asked, wanted, reply.facts.quantities, lambda other: _year_value(date, other)) or found


def _is_among(ours: Sequence[Date], other: Date) -> bool:
    return any(agree(date, other) in ("same", "finer") for date in ours)


def _number_met(reply: Answered, asked: Asked, answer: Expected, wanted: str, number: Quantity) -> Match | None:
    alone = len(answer.facts.quantities) == 1
    candidates = _comparable(reply, asked, number) if alone else reply.facts.quantities
    candidates = tuple(other for other in candidates if not _is_converted(asked, number, other))
    period = times_a_year(answer.passage.folded, number.start, number.end)
    if not period and number.dimension.isupper():
        period = asked_times_a_year(asked.folded)

    def value(other: Quantity) -> float:
        other_period = times_a_year(reply.passage.folded, other.start, other.end) if period else 0.0
        if other_period and period != other_period:
            return _periodic_value(number, period, other, other_period)
        if other.bound and _bounds_otherwise(reply, asked, number, other):
            return 0.0
        return _number_value(number, other, alone)

    found = _best(reply, asked, wanted, candidates, value, reply.facts.quantities if alone else ())
    if found is not None and found.value:
        return _in_direction(reply, asked, found, wanted)
    if alone and (other := _within(reply, number, wanted) or compose(reply, number, wanted)):
        return other
    return found or _best(reply, asked, wanted, reply.facts.dates, lambda other: _year_value(other, number))


def _comparable(reply: Answered, asked: Asked, number: Quantity) -> Sequence[Quantity]:
    """Return the numbers that may answer: not the bare one of `72, so 72 mph`, nor the 27 of `34 in 27 matches`."""
    found = reply.facts.quantities
    if number.dimension and any(other.dimension and other.value == number.value for other in found):
        found = tuple(other for other in found if other.dimension)
    counted = stem(asked.unit) if asked.unit else ""
    if counted and number.bare and any(stem(other.noun) == counted if other.noun else other.bare for other in found):
        found = tuple(other for other in found if not other.noun or stem(other.noun) in (counted, *asked.words))
    return found


def _is_converted(asked: Asked, number: Quantity, other: Quantity) -> bool:
    """Whether a number is the amount that the question asks to convert: three hours, in minutes."""
    return other.value != number.value and bool(other.dimension) and is_given(asked, other, as_written=True)


def _periodic_value(number: Quantity, period: float, other: Quantity, replied: float) -> float:
    """Compare amounts with different periods: `$100 a month` equals `$1,200 a year`."""
    yearly, other_yearly = number.readings[0].amount * period, other.readings[0].amount * replied
    return float(number.dimension == other.dimension and abs(yearly - other_yearly) <= 0.01 * abs(yearly))


def _within(reply: Answered, number: Quantity, wanted: str) -> Match | None:
    """Match a narrow range around the expected number, or return None."""
    ends = [other for other in reply.facts.quantities if other.ranged]
    if len(ends) != 2:
        return None
    low, high = (end.readings[0].amount for end in ends)
    amount = number.readings[0].amount
    if not low <= amount <= high or high - low > _NARROW * abs(amount):
        return None
    first, last = _words_of(reply, ends[0])[0], _words_of(reply, ends[1])[1]
    return Match(1.0, f"expected {wanted}, found {reply.passage.quote(first, last)}", first, last)


def _in_direction(reply: Answered, asked: Asked, found: Match, wanted: str) -> Match:
    """Reject a number with the opposite direction: `They fell by 20 %` for `How much did sales rise?`"""
    if _CHANGED_TO.search(reply.passage.folded, 0, reply.passage.starts[found.first]) and _ASKS_CHANGE.search(
        asked.folded
    ):
        return found._replace(value=0.0, explanation=f"expected {wanted}, but the reply says to what, not by how much")
    clauses, stems = reply.passage.clauses, reply.passage.stems
    here = [word for word, clause in zip(stems, clauses, strict=True) if clause == clauses[found.first]]
    if not asked.content.isdisjoint(here):
        return found
    against = next((word for word in here if _is_reverse(word, asked)), None)
    if against is None:
        return found
    return found._replace(value=0.0, explanation=f"expected {wanted}, but the reply says the reverse ({against})")


def _is_reverse(word: str, asked: Asked) -> bool:
    return word in _DIRECTIONS and any(are_opposite(word, other) for other in asked.content)


def _bounds_otherwise(reply: Answered, asked: Asked, number: Quantity, other: Quantity) -> bool:
    """Whether the bound is on the wrong side: `from 25 MB upwards`, but not `more than 25 MB is rejected`."""
    if number.bound or other.bound != ("low" if _ASKS_MOST.search(asked.folded) else "high"):
        return False
    if not _ASKS_MOST.search(asked.folded) and not _ASKS_LEAST.search(asked.folded):
        return False
    return not _is_denied(reply, _words_of(reply, other)[0])


def _best(
    reply: Answered,
    asked: Asked,
    wanted: str,
    found: Sequence[F],
    value: Callable[[F], float],
    others: Sequence[F] = (),
) -> Match | None:
    """Return the match of the best fact, lowered if a rival answers better; None if there are no facts of this type."""
    if not found:
        return None
    marks = [value(fact) for fact in found]
    best = max(marks)
    spans = [_words_of(reply, fact) for fact, mark in zip(found, marks, strict=True) if mark == best]
    if not best:
        return Match(0.0, f"expected {wanted}, found {_list_facts(reply)}")
    place = best_mention(reply, asked, [first for first, _ in spans])
    first, last = next(span for span in spans if span[0] == place)
    met = f"expected {wanted}, found {reply.passage.quote(first, last)}"
    right = [(fact, _words_of(reply, fact)[0]) for fact, mark in zip(found, marks, strict=True) if mark == best]
    wrong = [(fact, _words_of(reply, fact)[0]) for fact in others or found if not value(fact)]
    against = rival(reply, asked, sorted(right, key=lambda pair: pair[1] != place), wrong) if wrong else None
    if against is not None:
        return Match(best * _OUTDONE, f"{met}, but the answer given is {_text(reply, against)}", first, last)
    return Match(best, met, first, last)


def _said_of_other(reply: Answered, asked: Asked, answer: Expected, fact: Fact, found: Match) -> str:
    """Explain that a value is given for a counterpart of what was asked; empty if it is not."""
    if asked.kind == "list" or len(list(answer.facts)) > 1 or side_of(answer.passage.folded, fact.start):
        return ""
    alike = [other for other in reply.facts if type(other) is type(fact)]
    place = next((at for at, other in enumerate(alike) if _words_of(reply, other)[0] == found.first), -1)
    if place < 0 or not _is_same(fact, alike[place]):
        return ""
    shown = _text(reply, alike[place])
    for one, other in pairwise(alike):
        between = reply.passage.folded[one.end : other.start]
        if alike[place] in (one, other) and is_other_end(asked, between, second=alike[place] is other):
            return f"says that {shown} is the other end"
    word = counterpart(part_around(reply, alike[place]), asked)
    return f"says {shown} of another ({word})" if word else ""


def _is_same(fact: Fact, other: Fact) -> bool:
    """Whether a value is the expected one, and not one component of it."""
    if isinstance(fact, Date) and isinstance(other, Date):
        return agree(fact, other) != "different"
    if isinstance(fact, Quantity) and isinstance(other, Quantity):
        return compare(fact, other) in ("same", "rounded")
    return True


def _date_value(asked: Asked, date: Date, found: Date) -> float:
    how = agree(date, found)
    if how == "coarser" and asked.year:
        return 1.0 if found.years == 1 else _VAGUE_YEAR
    return _OF_AGREEMENT[how]


def _year_value(date: Date, number: Quantity) -> float:
    """Compare a year with a bare number, since either may not be recognised as a date."""
    return float(date.month is None and date.years == 1 and not number.dimension and number.value == date.year)


def _number_value(number: Quantity, found: Quantity, alone: bool) -> float:
    value = _OF_COMPARISON[compare(number, found)]
    return value * _IN_RANGE if alone and found.ranged and not number.ranged else value


def _words_of(reply: Answered, fact: Fact) -> tuple[int, int]:
    """Return the positions of the first and last word of a fact."""
    passage = reply.passage
    first = bisect_right(passage.ends, fact.start)
    last = bisect_right(passage.starts, fact.end - 1) - 1
    return first, max(first, last)


def _text(reply: Answered, fact: Fact) -> str:
    return reply.passage.cut(fact.start, fact.end).strip()


def _list_facts(reply: Answered) -> str:
    texts = [_text(reply, fact) for fact in reply.facts]
    return ", ".join(texts[:_SHOWN]) + (" …" if len(texts) > _SHOWN else "")


Side = Literal["", "under", "over"]
"""Bound of a value: `under` (before, until, less than), `over` (after, from, more than), or empty if exact."""
_UNDER = lazy(
    r"\b(?:before|until|till|by|prior to|up to|within|no later than|not later than|at the latest by|earlier than"
    r"|less than|fewer than|under|below|at most|no more than|not more than)\s(?:the\s)?$"
)
_OVER = lazy(
    r"\b(?:after|from|since|following|not before|not until|no earlier than|starting(?: on| from)?|later than"
    r"|more than|over|above|beyond|exceeding|at least|no less than|not less than)\s(?:the\s)?$"
)
_STRICT = lazy(
    r"(?<!no )(?<!not )(?<!just )(?<!slightly )(?<!bit )(?<!little )(?<!barely )"
    r"\b(?:less than|fewer than|more than|under|below|over|above|exceeding|beyond)\s$"
)
_LOOK_BACK = 30
_ROUND = 100
"""Multiples of this are so round that `over 300` means much the same as 300."""


def side_of(folded: str, start: int) -> Side:
    """Return the bound that the text sets for the value that starts here."""
    near = max(0, start - _LOOK_BACK)
    if _UNDER.search(folded, near, start):
        return "under"
    return "over" if _OVER.search(folded, near, start) else ""


def leaves_out(folded: str, start: int, value: float) -> bool:
    """Whether a text says more or less than the number that starts here, so that the number is not exact."""
    near = max(0, start - _LOOK_BACK)
    return bool(value % _ROUND) and _STRICT.search(folded, near, start) is not None
