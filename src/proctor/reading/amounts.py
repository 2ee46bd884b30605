"""Answer a yes-no question by comparing the amount in a reply with the amount in the question."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.text.clocks import clocks
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity, compare, quantities
from proctor.reading.text.words import stem, stems_of
from proctor.reading.wanted import wanted_by

_SENTENCE = lazy(r"(?<=[.!?;])\s+|\n+")
_PART = lazy(r"(?<=[.!?;,])\s+|\n+")
_MOST = lazy(
    r"\b(?:max(?:imum|imal)?|up to|upto|at most|no more than|not more than|limit(?:ed|s)?|ceiling|cap(?:ped|s)?"
    r"|tops? out|peaks? at|until|till|only|just|no longer than|ends? (?:at|after)|stops? (?:at|after)|expires? after"
    r"|the most|restricted to|deadline|within|clos(?:es?|ing)(?: at)?|shuts?(?: at)?|last)\b"
)
_LEAST = lazy(
    r"\b(?:min(?:imum|imal)?|at least|from|start(?:s|ing)?|begin(?:s|ning)?|not before|no (?:less|fewer|earlier"
    r"|younger) than|or (?:over|older|more|above)|and (?:over|older|up|above)|aged?|older than|after|opens?(?: at)?"
    r"|needs?|requires?|takes?|the least|once)\b"
)
_ASKS_MORE = lazy(r"\b(?:more|longer|older|higher|larger|bigger|heavier|farther|further|later) than\b")
_ASKS_LESS = lazy(r"\b(?:less|fewer|shorter|younger|lower|smaller|lighter|cheaper|earlier) than\b")
_ASKS_OF = lazy(r"\b(?:over|above|beyond|under|below|from|up to) (?:the age of )?$")
"""The question is about items beyond an amount: `for orders over 50 euros`."""
_ASKS_FROM = lazy(r"\b(?:after|from|since|past) (?:the )?$")
_ASKS_AFTER = lazy(r"\b(?:after|past|beyond|later than) (?:the )?(?:first )?$")
_ASKS_TO = lazy(r"\b(?:within|until|by|before|up to|in under) (?:the )?$")
_ASKS_CAN = lazy(
    r"^(?:so |and |but )?(?:can|may|could|am|are we|is it)\b|\b(?:allow|permit|support|accept|handle|hold|take|fit"
    r"|possible|eligible|qualify|claim)\w*\b|\b(?:open|enough|safe|okay|ok|fine|legal)\b"
)
_OTHER = lazy(r"\b(?:other|remaining|another|further|next)\s$")
_YEARS = (1000, 2100)
_REACH = 40
_SAME = ("same", "rounded")


class Bounded(NamedTuple):
    """An amount in a reply, and whether it is a maximum or a minimum."""

    value: float
    sense: str
    """`most` (a maximum), `least` (a minimum), or empty."""


def by_amount(folded: str, asked: Asked) -> bool | None:
    """Return the yes or no implied by an amount in the reply, or None if no amount decides it.

    `It tops out at 100 kW` answers whether it charges at 150 kW: no.
    """
    wanted = _wanted_amount(asked.folded)
    if wanted is None or not wanted_by(asked).positive:
        return None
    for sentence in _PART.split(folded):
        if sentence.rstrip().endswith("?"):
            continue
        if not NEGATORS.isdisjoint(stems_of(sentence)):
            return None
        found = [
            each
            for each in quantities(sentence)
            if each.readings and _is_alike(wanted, each, asked) and not _OTHER.search(sentence[: each.start])
        ]
        if any(compare(wanted, each) in _SAME for each in found):
            return _at_limit(sentence, wanted, asked)
        if len(found) == 1:
            return _hold(wanted, Bounded(_in_unit(wanted, found[0]), _sense(sentence, found[0])), asked)
        if found:
            return None
    return None


def _wanted_amount(question: str) -> Quantity | None:
    """Return the only amount in a question, or None if there is none, or several, or a time of day."""
    found = [each for each in quantities(question) if each.readings and not _is_name(question, each)]
    return found[0] if len(found) == 1 and not clocks(question) else None


def _is_name(question: str, amount: Quantity) -> bool:
    """Whether a number is only a label: `order 4711`, `floor 2`, `the first`."""
    if amount.ordinal or amount.dimension or amount.noun:
        return amount.ordinal or (not amount.dimension and "-" in question[amount.start : amount.end])
    return not (_is_year(amount) and question[: amount.start].endswith("in "))


def _is_year(amount: Quantity) -> bool:
    return amount.bare and _YEARS[0] <= amount.value <= _YEARS[1]


def _is_alike(wanted: Quantity, found: Quantity, asked: Asked) -> bool:
    """Whether an amount in a reply is of the kind the question asks about."""
    if found.ordinal or (found.bare and found.value == 1 and not found.noun):
        return False
    if wanted.dimension or found.dimension:
        return wanted.dimension == found.dimension or (
            not found.dimension and not found.noun and _is_age(wanted, asked)
        )
    if _is_year(wanted):
        return _is_year(found)
    return stem(found.noun) == stem(wanted.noun) if found.noun and wanted.noun else not found.start


def _is_age(wanted: Quantity, asked: Asked) -> bool:
    """Whether a bare number such as `16` may be an age, because the question asks about one: `14-year-olds`."""
    return wanted.dimension == "months" and " old" in asked.folded[wanted.start :].replace("-", " ")


def _in_unit(wanted: Quantity, found: Quantity) -> float:
    """Convert an amount in a reply to the unit of the question."""
    one, other = wanted.readings[0], found.readings[0]
    if not other.dimension or not one.amount:
        return found.value
    return other.amount * wanted.value / one.amount


def _sense(sentence: str, amount: Quantity) -> str:
    near = sentence[max(0, amount.start - _REACH) : amount.end + _REACH // 2]
    if amount.bound:
        return "most" if amount.bound == "high" else "least"
    least, most = _LEAST.search(near), _MOST.search(near)
    if least and most:
        return ""
    return "most" if most else "least" if least else ""


_ENDS = lazy(r"\b(?:within|only|at most|up to|no later than|(?:in|during) the first|deadline|limit|expires?|maximum)\b")


def _at_limit(sentence: str, wanted: Quantity, asked: Asked) -> bool | None:
    """Return False if the asked amount is the maximum: `100 is the maximum` for whether more than 100 are allowed."""
    near = asked.folded[max(0, wanted.start - _REACH) : wanted.start]
    if not _ASKS_MORE.search(near) and not (_ASKS_AFTER.search(near) and _ENDS.search(sentence)):
        return None
    same = [each for each in quantities(sentence) if each.readings and compare(wanted, each) in _SAME]
    return False if len(same) == 1 and _sense(sentence, same[0]) == "most" else None


def _hold(wanted: Quantity, found: Bounded, asked: Asked) -> bool | None:
    """Return the yes or no that an amount implies, by what the question asks: more than, less than, from, until."""
    before = asked.folded[: wanted.start]
    near = before[-_REACH:]
    if _ASKS_MORE.search(near):
        return found.value > wanted.value
    if _ASKS_LESS.search(near):
        return found.value < wanted.value if not found.sense else None
    if _ASKS_CAN.search(asked.folded) or _ASKS_FROM.search(near) or _ASKS_OF.search(near):
        if found.sense == "most":
            return found.value >= wanted.value
        return found.value <= wanted.value if found.sense == "least" else None
    if _ASKS_TO.search(near):
        return None if found.sense == "least" else found.value <= wanted.value
    return False


_UNTIL = lazy(
    r"\b(?:until|till|to|clos\w+(?: at)?|shuts?(?: at)?|ends?(?: at)?|last \w+(?: \w+)?(?: (?:is|are))? at|by"
    r"|before)\s$|-\s?$"
)
_FROM = lazy(r"\b(?:from|opens?(?: at)?|starts?(?: at)?|begins?(?: at)?|after|as of|not before)\s$")
_HOUR = lazy(
    r"\b(?:until|till|from|at|to|after) (?P<hour>1[0-2]|[1-9])(?!\d|:|\.\d|\s?[ap]\.?m| (?:minutes|hours|days|weeks))"
)
_BEFORE = 16


def by_clock(folded: str, asked: Asked) -> bool | None:
    """Return the yes or no implied by opening hours: `We're here until 10` for whether it is open after 8 pm."""
    wanted = clocks(asked.folded)
    if len(wanted) != 1 or not NEGATORS.isdisjoint(stems_of(folded)):
        return None
    at = wanted[0].minutes
    late = at >= _NOON
    first = folded if (end := _SENTENCE.search(folded)) is None else folded[: end.start()]
    times = [(each.minutes, first[max(0, each.start - _BEFORE) : each.start]) for each in clocks(first)]
    if not times:
        times = [
            (int(each["hour"]) % 12 * 60 + _NOON * late, each[0][: -len(each["hour"])])
            for each in _HOUR.finditer(first)
        ]
    if any(minutes == at for minutes, _ in times):
        return None
    ends = [minutes for minutes, before in times if _UNTIL.search(before)]
    starts = [minutes for minutes, before in times if _FROM.search(before)]
    if len(ends) > 1 or len(starts) > 1 or not (ends or starts):
        return None
    if starts and ends and ends[0] <= starts[0]:  # open past midnight
        return at > starts[0] or at < ends[0]
    if ends and not starts and late and ends[0] < _NOON:
        return None
    return (not ends or at < ends[0]) and (not starts or at > starts[0])


_NOON = 720
