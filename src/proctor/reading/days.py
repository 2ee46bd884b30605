"""Answer yes-no questions about days of the week: `Monday to Friday` for whether it is open on Saturdays."""

from __future__ import annotations

from proctor.reading.mood import first_statement
from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stems_of

_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = r"(mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?|r?s|nes|ur)?\b"
_ONE = lazy(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?)\b")
_EVERY = lazy(r"\b(?:daily|every (?:day|evening|night|morning)|all week|seven days|any day|whole week)\b")
_SPAN = lazy(rf"\b{_DAY}(?: ?(?:-|–|to|through|thru|until|till) ?){_DAY}")
_WEEKDAYS = lazy(r"\b(?:weekdays?|working days?|business days?|during the week)\b")
_WEEKEND = lazy(r"\bweekends?\b")
_APART = lazy(
    r"\b(?:except|apart from|aside from|but|however|though|although|closed|closes|shut|instead of|unless|only if|not"
    r"|other than|off|by|before|after|since)\b"
)
_WORKING, _WEEK = range(5), 7


def by_day(folded: str, asked: Asked) -> bool | None:
    """Whether the days in a reply cover the days in the question; None if it names none, or makes exceptions."""
    wanted = days_named(asked.folded)
    if not wanted or len(wanted) > 2 or asked.negative or _APART.search(asked.folded):
        return None
    first = first_statement(folded)
    if _APART.search(first) or _EVERY.search(folded) or not NEGATORS.isdisjoint(stems_of(first)):
        return None
    given = days_named(first)
    if not given or not wanted.isdisjoint(days_named(_SPAN.sub(" ", folded))):
        return None
    return wanted <= given if not wanted.isdisjoint(given) else False


def days_named(folded: str) -> frozenset[int]:
    """Return the days of the week that a text names, with ranges expanded."""
    found: set[int] = set()
    for span in _SPAN.finditer(folded):
        start, end = _NAMES.index(span[1]), _NAMES.index(span[2])
        found.update((start + step) % _WEEK for step in range((end - start) % _WEEK + 1))
    found.update(_NAMES.index(day[1]) for day in _ONE.finditer(folded))
    if _WEEKDAYS.search(folded):
        found.update(_WORKING)
    if _WEEKEND.search(folded):
        found.update((5, 6))
    return frozenset(found)
