"""Parse numbers written as words: twenty-five, two and a half million, the fifteenth, three quarters."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.text.lazy import lazy
from proctor.reading.text.units import MULTIPLIERS, UNITS

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_ONES = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_ORDINAL_TENS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"


def _number_words(ones: str, tens: str) -> dict[str, float]:
    by_one = {word: float(value) for value, word in enumerate(ones.split())}
    return by_one | {word: 10.0 * value for value, word in enumerate(tens.split(), 2)}


_CARDINALS = _number_words(_ONES, _TENS)
_ORDINALS = {**_number_words(_ORDINAL_ONES, _ORDINAL_TENS), "hundredth": 1e2, "thousandth": 1e3, "millionth": 1e6}
_VALUES = {**_CARDINALS, **_ORDINALS}
FRACTIONS: dict[str, float] = {"half": 0.5, "quarter": 0.25}
_PARTS = {
    "halves": 1 / 2,
    "thirds": 1 / 3,
    "quarters": 1 / 4,
    "fifths": 1 / 5,
    "sixths": 1 / 6,
    "eighths": 1 / 8,
    "tenths": 1 / 10,
}
BEGINNINGS: frozenset[str] = frozenset({*_VALUES, *MULTIPLIERS, *FRACTIONS, "a", "an"})
"""Words with which a number may begin."""
_WORD = lazy(r"[^\W\d_]+")


class Spelled(NamedTuple):
    """A number parsed from words."""

    value: float
    end: int
    ordinal: bool = False
    unit: str = ""
    """The unit, if it is inside the number: `an hour and a half`."""


def spelled_number(folded: str, start: int) -> Spelled | None:
    """Parse the number in words that begins at `start`, or return None."""
    first = _WORD.match(folded, start)
    if first is None or first.group() not in BEGINNINGS:
        return None
    if first.group() in ("a", "an"):
        return _after_article(folded, first.end())
    found = _sum_up(folded, first.group(), first.end())
    return _of_unit(folded, found) if found.value % 1 else found


def _after_article(folded: str, end: int) -> Spelled | None:
    """Parse `a hundred`, `a quarter`, `an hour and a half`; an article alone is no number."""
    word, after = _next(folded, end)
    if word in FRACTIONS:
        return _of_unit(folded, Spelled(FRACTIONS[word], after))
    if word in MULTIPLIERS:
        return _sum_up(folded, word, after)
    if word in UNITS and (half := _and_half(folded, after)):
        return Spelled(1.0 + FRACTIONS[half[0]], half[1], unit=word)
    return None


def _of_unit(folded: str, found: Spelled) -> Spelled:
    """Add the unit of a fraction: `half an hour`, `a quarter of a mile`."""
    word, end = _next(folded, found.end)
    if word == "of":
        word, end = _next(folded, end)
    if word in ("a", "an"):
        word, end = _next(folded, end)
        if word in UNITS:
            return found._replace(end=end, unit=word)
    return found


def _next(folded: str, end: int) -> tuple[str, int]:
    """Return the next word after at most one space or hyphen, and its end."""
    if end < len(folded) and folded[end] in " -\t":
        end += 1
    match = _WORD.match(folded, end)
    return (match.group(), match.end()) if match else ("", end)


def _and_half(folded: str, end: int) -> tuple[str, int] | None:
    """Return the fraction of `and a half` or `and a quarter` and its end, or None."""
    for expected in ("and", "a"):
        word, end = _next(folded, end)
        if word != expected:
            return None
    word, end = _next(folded, end)
    return (word, end) if word in FRACTIONS else None


def _sum_up(folded: str, word: str, end: int) -> Spelled:
    """Sum up number words: a hundred multiplies the words before it; a thousand or more closes a group."""
    total = current = 0.0
    while True:
        if word in _VALUES:
            current = _append(current, _VALUES[word])
        elif word in FRACTIONS:
            current += FRACTIONS[word]
        elif word in _PARTS:
            current *= _PARTS[word]
        elif word.startswith(("hundred", "dozen")):
            current = (current or 1.0) * MULTIPLIERS[word]
        else:
            total, current = total + (current or 1.0) * MULTIPLIERS[word], 0.0
        following = None if word in _ORDINALS else _next_word(folded, word, end, current)
        if following is None:
            return Spelled(total + current, end, ordinal=word in _ORDINALS)
        word, end = following


def _next_word(folded: str, last: str, end: int, current: float) -> tuple[str, int] | None:
    """Return the word that continues this number and its end, or None: five, hundred, `and a half`."""
    word, after = _next(folded, end)
    if word == "and":
        half = _and_half(folded, end)
        if half or last not in MULTIPLIERS:
            return half
        word, after = _next(folded, after)
        return (word, after) if word in _CARDINALS else None
    if word in MULTIPLIERS or (word in _PARTS and last in _CARDINALS):
        return word, after
    value = _VALUES.get(word, -1.0)
    ones = last in _TENS.split() and 0 < value < 10
    year = 10 <= current < 100 and value >= 10
    return (word, after) if value > 0 and (last in MULTIPLIERS or ones or year) else None


def _append(current: float, value: float) -> float:
    """Add a value to the current group: ones to tens (twenty five), or half a year (nineteen forty-five)."""
    return current * 100 + value if 10 <= current < 100 and value >= 10 else current + value
