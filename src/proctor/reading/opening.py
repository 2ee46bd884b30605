"""Opening hours and seasons: whether the day, month or time that a question asks about lies in the range of a"
" reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from proctor.reading.text.clocks import clocks
from proctor.reading.text.lazy import lazy

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_GROUPS = {"weekday": range(5), "weekdays": range(5), "weekend": (5, 6), "weekends": (5, 6)}
_ALL_DAYS = lazy(r"\b(?:daily|every day|seven days a week|all week|24/7)\b")
_PART = lazy(r"[.;!\n]\s*|,\s*(?=but\b|and\b)|\bbut\b")
_HINT = lazy(
    "|".join((*_DAYS, *_MONTHS, "weekend", "weekday", r"\d", "noon", "midnight", "o'clock", "morning", "evening"))
)
"""A cheap look before the dear ones."""
_DENIES = lazy(
    r"n't\b|\b(?:not|no|never|except|apart|closed|closes|shut|shuts|without|off|unless|cancelled|was|were|from"
    r" \d{4})\b"
)
_SHUT = lazy(r"\b(?:closed?|shut|forbidden|prohibited|banned)\b")
_OPENED = lazy(r"\b(?:open|available|staffed|served?|run|running|there)\b")
_END = lazy(r"\b(?:until|till|to|clos(?:e|es|ing)(?: at)?|shuts?(?: at)?|ends? at|by)\W*$")
_START = lazy(r"\b(?:from|opens?(?: at)?|starts? at|after|between)\W*$")


def in_range(folded: str, question: str) -> bool | None:
    """Whether a day, month or time of day that was asked about lies in what a reply names; None: it names no"
    " range."""
    if _HINT.search(question) is None:
        return None
    found = _by_clock(folded, question)
    for names in (_DAYS, _MONTHS):
        if found is None:
            found = _by_name(folded, question, names)
    return found if found is None or not _SHUT.search(question) else not found


def _by_name(folded: str, question: str, names: Sequence[str]) -> bool | None:
    asked = set(_places_named(question, names))
    if names is _DAYS and not asked:
        asked = {day for word, days in _GROUPS.items() if re.search(rf"\b{word}\b", question) for day in days}
    elif len(asked) != 1:
        return None
    outside = False
    for part in _PART.split(folded):
        covered = _places_covered(part, names)
        if not covered or _DENIES.search(part):
            continue
        if asked and asked <= covered:
            return True
        outside = outside or asked.isdisjoint(covered)
    return False if asked and outside and not asked & set(_places_named(folded, names)) else None


def _places_named(text: str, names: Sequence[str]) -> Iterator[int]:
    """The places in a week or a year that a text names one by one; `may` only where it cannot be the verb."""
    for place, name in enumerate(names):
        pattern = rf"\b(?:in|of|since|until|to|from|\d+\.?) {name}\b" if name == "may" else rf"\b{name}s?\b"
        if re.search(pattern, text):
            yield place


def _places_covered(part: str, names: Sequence[str]) -> set[int]:
    """The places that a part of a reply covers by ranges and groups."""
    either = "|".join(names)
    found: set[int] = set()
    for match in re.finditer(
        rf"\b({either})s? (?:\d+ )?(?:to|through|till|until|and|-) ?(?:\d+ )?({either})s?\b", part
    ):
        if " and " in match[0] and "between" not in part[: match.start()]:
            continue
        first, last = names.index(match[1]), names.index(match[2])
        found.update((first + step) % len(names) for step in range((last - first) % len(names) + 1))
    if names is _DAYS:
        found.update(day for word, days in _GROUPS.items() if re.search(rf"\b{word}\b", part) for day in days)
        found.update(range(7) if _ALL_DAYS.search(part) else ())
    return found


def _by_clock(folded: str, question: str) -> bool | None:
    """By the times between which a thing is open, for one asked about."""
    asked = clocks(question)
    if len(asked) != 1 or not asked[0].certain or not (_OPENED.search(question) or _SHUT.search(question)):
        return None
    if re.search(r"\b(?:until|till|from|before|after|by)\W*$", question[: asked[0].start]):
        return None
    begin, end = None, None
    for clock in clocks(folded):
        before = folded[: clock.start]
        if _END.search(before):
            end = clock
        elif _START.search(before):
            begin = clock
    if end is None or not end.certain or (begin is not None and not begin.certain):
        return None
    return (begin is None or begin.minutes <= asked[0].minutes) and asked[0].minutes < end.minutes
