"""Match expected values that a reply leaves to compute: four men and four women, 8 tablets of 500 mg, 3 years later."""

from __future__ import annotations

import math
from itertools import pairwise

from proctor.reading.expected import Answered
from proctor.reading.match import Match
from proctor.reading.text.dates import Date
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity

_VALUE = 0.85
_OF = lazy(r"\s(?:of|at|à|x|times|with)(?: \w+)?\s|\s?[×*]\s?")
_PLUS = lazy(r"[^.!?;]*?(?:\band|\bplus|\+|\bwith)(?: \w+){0,3}\s")
_ANOTHER = lazy(r"[^.!?;]*(?:[.!?;][^.!?;]*)?\b(?:another|adds?|additional|further|extra|more|plus)(?: \w+)?\s")
_MAY_BE = lazy(r"\b(?:can|could|may|might|extend|extended|extension|renew|renewed|renewable|prolong|prolonged)\b")
"""Match an optional addition between two amounts, which is not part of a sum."""
_AFTER = lazy(r"\s(?:after|later|afterwards|on\b)")
_BEFORE = lazy(r"\s(?:before|earlier|previously)")
_MONTHS = 12.0


def compose(reply: Answered, number: Quantity, wanted: str) -> Match | None:
    """Match the expected number as a product or sum of two numbers in the reply, or return None."""
    if "=" in reply.passage.folded:
        return None  # the reply computes a result itself, possibly another one
    found = [other for other in reply.facts.quantities if not other.ordinal]
    for one, other in pairwise(found):
        if _is_product(reply, number, one, other) or (
            _is_sum(reply, number, one, other) and _is_all(found, one, other)
        ):
            return _match(reply, one.start, other.end, wanted)
    return None


def years_on(reply: Answered, date: Date, wanted: str) -> Match | None:
    """Match the expected year as another year plus or minus a number of years, or return None."""
    if date.year is None or date.month is not None:
        return None
    for start in reply.facts.dates:
        for span in reply.facts.quantities:
            if start.year is None or span.dimension != "months":
                continue
            years = span.readings[0].amount / _MONTHS
            signed = years if _AFTER.match(reply.passage.folded, span.end) else -years
            directed = signed > 0 or _BEFORE.match(reply.passage.folded, span.end)
            if directed and start.year + signed == date.year:
                return _match(reply, min(start.start, span.start), max(start.end, span.end), wanted)
    return None


def _is_product(reply: Answered, number: Quantity, one: Quantity, other: Quantity) -> bool:
    if one.dimension or not (one.noun or other.noun or other.dimension):
        return False
    if not _is_like(number, other) or not _OF.fullmatch(reply.passage.folded, one.end, other.start):
        return False
    return math.isclose(one.value * other.readings[0].amount, number.readings[0].amount)


def _is_sum(reply: Answered, number: Quantity, one: Quantity, other: Quantity) -> bool:
    between = reply.passage.folded[one.end : other.start]
    if not (_is_like(number, one) and (_PLUS.fullmatch(between) or _ANOTHER.fullmatch(between))):
        return False
    if _MAY_BE.search(between):
        return False
    per_unit = one.readings[0].amount / (one.value or 1.0)
    second = other.readings[0].amount if other.dimension else other.value * per_unit
    return one.dimension == (other.dimension or one.dimension) and math.isclose(
        one.readings[0].amount + second, number.readings[0].amount
    )


def _is_all(found: list[Quantity], one: Quantity, other: Quantity) -> bool:
    """Whether a sum leaves out no third number of the same dimension."""
    return not any(third not in (one, other) and third.dimension == one.dimension for third in found)


def _is_like(number: Quantity, other: Quantity) -> bool:
    return number.dimension == other.dimension and (not number.noun or number.noun == other.noun)


def _match(reply: Answered, start: int, end: int, wanted: str) -> Match:
    passage = reply.passage
    first = next(place for place, at in enumerate(passage.ends) if at > start)
    last = max(place for place, at in enumerate(passage.starts) if at < end)
    return Match(_VALUE, f"expected {wanted}, found {passage.quote(first, last)}", first, last)
