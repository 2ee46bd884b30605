"""Replace a number, date or name with a plausible but different one."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache

from proctor.examiners.reply_values import Value, read
from proctor.reading.text.dates import MONTHS
from proctor.reading.text.fold import fold

_DIGITS = re.compile(r"\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?")
_PLAIN_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_SPELLED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_MONTH_NAMES = {number: name for name, number in sorted(MONTHS.items(), key=lambda month: len(month[0]))}
_MONTH = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b", re.IGNORECASE)
_LONG_MONTHS = (1, 3, 5, 7, 8, 10, 12)
_STEPS = (2, 3, 5, 7, 4)
_INVENTED = (
    ("Belmore", "Corvin", "Delmont", "Fenwick", "Morland"),
    ("Martin Keller", "Helen Marsh", "Victor Lindqvist", "Clara Osborne", "Edmund Hale"),
)
_OPPOSITES = (
    "full-time part-time|first second|before after|minimum maximum|longest shortest|largest smallest|"
    "highest lowest|biggest smallest|earliest latest|oldest youngest|most least|north south|east west|monday saturday|"
    "morning evening|daily monthly|weekly yearly|monthly yearly|annual monthly|yearly weekly|inside outside|"
    "internal external|buy sell|employees visitors|staff visitors|adults children|men women|"
    "winter summer|day night|week month|month year"
)
_OPPOSITE = {one: other for pair in _OPPOSITES.split("|") for one, other in [pair.split()]}
_ANY_OPPOSITE = re.compile(rf"\b(?:{'|'.join(sorted(_OPPOSITE, key=len, reverse=True))})\b", re.IGNORECASE)


def draw(*parts: object) -> int:
    """Return a pseudo-random number derived from the parts, equal on every machine."""
    return zlib.crc32("\x1f".join(map(str, parts)).encode(errors="replace"))


def swap_value(value: Value, *, lot: int, names: Sequence[str] = ()) -> str | None:
    """Return another value of the same kind and format, or None if that is not possible."""
    if value.kind == "polarity":
        return "no" if value.text == "yes" else "yes"
    if value.kind == "date":
        return _other_date(value.text, lot)
    if value.kind == "clock":
        return _other_clock(value.text, lot)
    if value.kind == "number":
        return _other_number(value.text, lot)
    return _other_name(value.text, lot, names)


def _other_number(text: str, lot: int) -> str | None:
    match = _DIGITS.search(text)
    if match is not None:
        return text[: match.start()] + _move_digits(match[0], lot) + text[match.end() :]
    word = _SPELLED.search(text)
    return text[: word.start()] + str(11 + lot % 8) + text[word.end() :] if word else None


def _move_digits(digits: str, lot: int) -> str:
    """Change a number but keep its length and format: 28 → 31, 1,500 → 1,800, 3.5 → 3.8."""
    significant = digits.rstrip("0") or digits
    last = max(place for place, sign in enumerate(significant) if sign.isdigit())
    moved = (int(digits[last]) + _STEPS[lot % len(_STEPS)]) % 10
    if last == 0 and moved == 0:
        moved = 1 if digits[0] != "1" else 2
    return digits[:last] + str(moved) + digits[last + 1 :]


def _other_date(text: str, lot: int) -> str | None:
    month = _MONTH.search(text)
    if month is not None:
        name = _other_month(month[0], lot)
        return text[: month.start()] + name + text[month.end() :]
    digits = _YEAR.search(text) or _PLAIN_NUMBER.search(text)
    return text[: digits.start()] + _move_digits(digits[0], lot) + text[digits.end() :] if digits else None


def _other_month(name: str, lot: int) -> str:
    """Return another month with 31 days, so that any day fits."""
    others = [month for month in _LONG_MONTHS if month != MONTHS[name.lower()]]
    other = _MONTH_NAMES[others[lot % len(others)]]
    return other.upper() if name.isupper() else other.capitalize()


def _other_clock(text: str, lot: int) -> str | None:
    """Change the hour but not the minutes; None for noon and midnight."""
    hour = _PLAIN_NUMBER.search(text)
    if hour is None:
        return None
    other = (int(hour[0]) + 1 + lot % 5) % 11 + 1
    return f"{text[: hour.start()]}{other:0{len(hour[0])}}{text[hour.end() :]}"


def _other_name(text: str, lot: int, names: Sequence[str]) -> str:
    """Return one of the given names, or an invented one with as many words."""
    own = fold(text, accents=False)
    pool = [name for name in names if not _is_contained(fold(name, accents=False), own)]
    if not pool:
        pool = [name for name in _INVENTED[len(text.split()) > 1] if not _is_contained(fold(name), own)]
    return pool[lot % len(pool)]


def _is_contained(one: str, other: str) -> bool:
    return one in other or other in one


@lru_cache(maxsize=1024)
def swapped_question(question: str, *, lot: int, names: tuple[str, ...] = ()) -> str | None:
    """Replace one date, number, name or key word in the question; None if there is nothing to swap."""
    values = [value for value in read(question).values if question.count(value.text) == 1]
    start = lot % len(values) if values else 0
    for value in values[start:] + values[:start]:
        other = swap_value(value, lot=lot, names=names)
        if other and other != value.text:
            return question.replace(value.text, other)
    match = _ANY_OPPOSITE.search(question)
    if match is None:
        return None
    other = _OPPOSITE[match[0].lower()]
    other = other.capitalize() if match[0][0].isupper() else other
    return question[: match.start()] + other + question[match.end() :]
