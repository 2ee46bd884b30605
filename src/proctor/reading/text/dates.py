"""Parse dates in any common format, and compare them at their common precision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from proctor.reading.text.lazy import lazy, remembered

_NAMES = "january february march april may june july august september october november december"
MONTHS: dict[str, int] = {"sept": 9}
"""Normalised name or abbreviation -> number of the month."""
for _number, _name in enumerate(_NAMES.split(), 1):
    MONTHS[_name] = MONTHS[_name[:3]] = _number
_ANY_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH = rf"(?P<month>{_ANY_MONTH})\b\.?"
_YEAR = r"(?P<year>[12]\d{3})(?!\d|[.,]\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_TO = r"(?:\s?(?:-|to|and|/)\s?(?P<last>[0-3]?\d)(?:st|nd|rd|th)?)?"
_IN_DIGITS = (
    lazy(r"(?<![\d.,/-])(?P<year>[12]\d{3})[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?![\d-])"),  # 2018-03-08
    lazy(r"(?<![\d.,/-])(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])(?![\d-])"),  # 2018-03
    lazy(r"(?<![\d.,/-])(?P<month>0?[1-9]|1[0-2])/(?P<year>[12]\d{3})(?![\d/-])"),  # 03/2018
)
_EITHER_ORDER = lazy(  # 08.03.2018, 3/8/18
    r"(?<![\d.,/-])(?P<first>[0-3]?\d)(?P<sign>[-/.])\s?(?P<second>[0-3]?\d)(?P=sign)\s?(?P<year>[12]\d{3}|\d\d)"
    r"(?!\d|[-/]\d)"
)
_JOINED = lazy(r"\d[-/.]\s?\d")
"""Match digits joined by a separator: a cheap check before the expensive patterns."""
_WEEKDAY = r"(?:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s(?:the\s)?)?"
_WITH_MONTH = (
    lazy(rf"{_WEEKDAY}(?<!\d){_DAY}{_TO}(?:\sof)?\s{_MONTH},?\s?(?:of\s)?(?:{_YEAR})?"),  # 8th of March 2018
    lazy(rf"{_WEEKDAY}\b{_MONTH}\s(?:the\s)?{_DAY}(?!\d){_TO}(?:\s?,?\s?(?:of\s)?{_YEAR})?"),  # March 8, 2018
    lazy(rf"\b{_MONTH},?\s?(?:of\s)?{_YEAR}"),  # March 2018
)
_HINT = lazy(r"\d|century")
_HAS_SPAN = lazy(r"century|0'?s\b")
_HAS_YEAR = lazy(r"[12]\d{3}")
_HAS_MONTH = lazy(rf"\b(?:{_ANY_MONTH})\b")
_SPAN = lazy(
    r"\b(?P<century>\d\d?)(?:st|nd|rd|th)[\s-]century\b|\b(?P<decade>[12]\d\d0)'?s\b|(?<![\d.,])'?(?P<short>[2-9]0)'?s\b"
)
_SPELLED_CENTURY = lazy(r"\b(?P<ordinal>[a-z]+(?:[\s-][a-z]+)?)[\s-]century\b")
_BEFORE_CHRIST = lazy(r"(?<![\w.,])(?P<year>\d{1,4})\s?b\.?\s?c\b\.?(?:\s?e\b\.?)?")
# Four digits are a year after such a word, or if no counted noun follows.
_BARE_YEAR = lazy(
    r"(?:(?<=\bin\s)|(?<=\bof\s)|(?<=\bby\s)|(?<=\bsince\s)|(?<=\bfrom\s)|(?<=\buntil\s)|(?<=\byear\s)|(?<=\bafter\s)"
    r"|(?<=\bbefore\s)|(?<=\d{4}-)|(?<![\w.,$€£¥/:+-])(?!\d{4}\s[a-z%°])|(?<![\w.,$€£¥/:+-])"
    r"(?=\d{4}\s(?:and|or|to|was|is|when|by|in|at|on|as|for|with|the|after|before|until|season|edition"
    r"|saw|had|has|marked|brought|but|so|while|which|not|though|only)\b))"
    r"(?P<year>[12]\d{3})(?![\w%°$€£:]|[.,]\d|\s?[%°$€£])"
)
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth
twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first
"""
ORDINALS: dict[str, int] = {word: number for number, word in enumerate(_ORDINALS.split(), 1)}
"""Ordinal word -> number, for days of the month and centuries."""
MOST = 1000
"""Maximum number of dates read from a text."""
Agreement = Literal["same", "finer", "coarser", "different"]
"""How a found date compares: `finer` is more precise than expected, `coarser` less."""
_BEST_FIRST: tuple[Agreement, ...] = ("same", "finer", "coarser", "different")


@dataclass(frozen=True, kw_only=True, slots=True)
class Date:
    """A date at the precision of the text; a decade or century is a span of years."""

    start: int
    """Start position in the normalised text."""
    end: int
    year: int | None = None
    """The year; negative before our era."""
    years: int = 1
    """Number of years from `year` on: 10 for a decade, 100 for a century."""
    month: int | None = None
    day: int | None = None
    last_day: int | None = None
    """Last day of a range of days."""
    swapped: bool = False
    """Whether day and month may be swapped (3/8/2018)."""


def dates(folded: str) -> list[Date]:
    """Return the dates in a normalised text in order, at most `MOST`; a bare year counts."""
    if _HINT.search(folded) is None:
        return []
    return list(_dates(folded))


@remembered
def _dates(folded: str) -> tuple[Date, ...]:
    found: list[Date] = []
    taken = bytearray(len(folded))
    for date in _candidates(folded):
        if not any(taken[date.start : date.end]):
            taken[date.start : date.end] = b"\1" * (date.end - date.start)
            found.append(date)
        if len(found) == MOST:
            break
    return tuple(sorted(found, key=lambda date: date.start))


def _candidates(folded: str) -> Iterator[Date]:
    """Yield dates by every pattern, the most complete first; later ones may overlap."""
    if _HAS_MONTH.search(folded):
        for form in _WITH_MONTH:
            yield from filter(None, map(_from_parts, form.finditer(folded)))
    if _JOINED.search(folded):
        for form in _IN_DIGITS:
            yield from filter(None, map(_from_parts, form.finditer(folded)))
        yield from filter(None, map(_from_digits, _EITHER_ORDER.finditer(folded)))
    if _HAS_SPAN.search(folded):
        yield from map(_span, _SPAN.finditer(folded))
    if "century" in folded:
        yield from filter(None, map(_spelled_century, _SPELLED_CENTURY.finditer(folded)))
    for match in _BEFORE_CHRIST.finditer(folded):
        yield Date(start=match.start(), end=match.end(), year=-int(match["year"]))
    if _HAS_YEAR.search(folded):
        for match in _BARE_YEAR.finditer(folded):
            yield Date(start=match.start(), end=match.end(), year=int(match["year"]))


def _from_parts(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    month = MONTHS.get(parts["month"]) or int(parts["month"])
    day = int(parts["day"]) if parts.get("day") else None
    if not _possible(month, day):
        return None
    year = int(parts["year"]) if parts.get("year") else None
    last = int(parts["last"]) if parts.get("last") else None
    end = match.start() + len(match[0].rstrip(" ,"))
    return Date(start=match.start(), end=end, year=year, month=month, day=day, last_day=last)


def _from_digits(match: re.Match[str]) -> Date | None:
    """Parse day and month in digits: day first with full stops; otherwise both possible orders count."""
    day, month = int(match["first"]), int(match["second"])
    year = int(match["year"])
    if year < 100:
        year += 1900 if year > 50 else 2000
    either = match["sign"] != "." and _possible(month, day) and _possible(day, month) and day != month
    if not _possible(month, day):
        day, month = month, day
        if match["sign"] == "." or not _possible(month, day):
            return None
    return Date(start=match.start(), end=match.end(), year=year, month=month, day=day, swapped=either)


def _possible(month: int, day: int | None) -> bool:
    return 1 <= month <= 12 and (day is None or 1 <= day <= 31)


def _span(match: re.Match[str]) -> Date:
    start, end = match.span()
    if match["century"]:
        return Date(start=start, end=end, year=100 * (int(match["century"]) - 1), years=100)
    if match["decade"]:
        year = int(match["decade"])
        return Date(start=start, end=end, year=year, years=100 if year % 100 == 0 else 10)
    return Date(start=start, end=end, year=1900 + int(match["short"]), years=10)


def _spelled_century(match: re.Match[str]) -> Date | None:
    number = ORDINALS.get(match["ordinal"].split()[-1])
    return Date(start=match.start(), end=match.end(), year=100 * (number - 1), years=100) if number else None


def agree(expected: Date, found: Date) -> Agreement:
    """Compare a found date with an expected one."""
    orders = [(one, other) for one in _orders(expected) for other in _orders(found)]
    return min((_agree(one, other) for one, other in orders), key=_BEST_FIRST.index)


def _orders(date: Date) -> tuple[Date, ...]:
    return (date, replace(date, month=date.day, day=date.month)) if date.swapped else (date,)


def _agree(expected: Date, found: Date) -> Agreement:
    years = _agree_years(expected, found)
    if years == "different" or _differ(expected.month, found.month) or not _days_meet(expected, found):
        return "different"
    pairs = ((expected.month, found.month), (expected.day, found.day))
    if years == "coarser" or any(
        expected_part is not None and found_part is None for expected_part, found_part in pairs
    ):
        return "coarser"
    if years == "finer" or any(expected_part is None and found_part is not None for expected_part, found_part in pairs):
        return "finer"
    return "same"


def _differ(mine: int | None, other: int | None) -> bool:
    return mine is not None and other is not None and mine != other


def _days_meet(expected: Date, found: Date) -> bool:
    if expected.day is None or found.day is None:
        return True
    return expected.day <= (found.last_day or found.day) and found.day <= (expected.last_day or expected.day)


def _agree_years(expected: Date, found: Date) -> Agreement:
    if expected.year is None or found.year is None:
        if expected.year == found.year:
            return "same"
        if expected.month is None or found.month is None:
            return "different"
        return "finer" if expected.year is None else "coarser"
    if (expected.year, expected.years) == (found.year, found.years):
        return "same"
    if expected.year <= found.year and found.year + found.years <= expected.year + expected.years:
        return "finer"
    if found.year <= expected.year and expected.year + expected.years <= found.year + found.years:
        return "coarser"
    return "different"
