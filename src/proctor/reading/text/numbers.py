"""Numbers in text: parse any common format with units, and compare by amount."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from proctor.reading.text.lazy import lazy, remembered
from proctor.reading.text.spelled import BEGINNINGS, FRACTIONS, spelled_number
from proctor.reading.text.units import LETTER_MULTIPLIERS, MULTIPLIERS, UNITS, units_named
from proctor.reading.text.words import PAST

_HINT = lazy(r"\d+|[^\W\d_]+")
_DIGITS = lazy(
    r"(?P<digits>\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?!\d|,\d)"  # 1,234,567.8
    r"|\d{1,3}(?:[' ]\d{3}){1,8}(?:[.,]\d+)?(?!\d)"  # 1 234 567,8
    r"|\d{1,3}(?:\.\d{3}){2,8}(?:,\d+)?(?!\d)"  # 1.234.567,8
    r"|\d{1,3}\.\d{3},\d+(?!\d)"  # 1.234,5
    r"|\d+(?:[.,]\d+)?)"
    r"(?P<fraction>\s\d/\d\d?(?![\d/])|/\d+(?![\d/]))?"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?"
)
_VERSION = lazy(r"\.\d")
# b12 and 1.2.3 are names, not amounts; the v of v2.3 only marks a version.
_NAME_BEFORE = lazy(r"\d\.$|[^\W_][^\W_]$|[^\W_v]$")
# Up to three words after a number: multiplier, unit, or counted noun.
_NEXT = r"([^\s\d,.;:!?()\[\]\"^]+(?:\^\d)?)"
_TAIL = lazy(rf"(\sand\sa\s(?:half|quarter)\b)?(?:([\s-]?){_NEXT}(?:\s{_NEXT}(?:\s{_NEXT})?)?)?")
_ANOTHER = lazy(r"[\s-]{1,2}[$€£¥₹]\s?\d")  # the currency sign of the next amount is no unit of this one: $10-$20
_AND_HALF = lazy(r"\sand\sa\s(half|quarter)\b")
_CURRENCY = lazy(r"(us\$|a\$|c\$|[$€£¥₹]|\b(?:usd|eur|gbp|jpy|cny|inr|chf|aud|cad))\s?$")
_ABOUT = lazy(
    r"(?:\b(?:about|around|approximately|approx\.?|circa|ca?\.|roughly|nearly|almost|close to|not quite"
    r"|(?:just|slightly|a (?:bit|little)) (?:over|under|above|below|more than|less than))|[~≈])\s?(?:an?\s)?$"
)
_AT_LEAST = lazy(
    r"(?:\b(?:at least|minimum(?: of)?|(?<!no )(?<!not )more than|over|above|beyond|exceeding"
    r"|no (?:less|fewer|lower|smaller|shorter|colder|cooler|younger|earlier|lighter|slower) than"
    r"|not less than)|[>≥])\s?$"
)
_AT_MOST = lazy(
    r"(?:\b(?:at most|maximum(?: of)?|(?:less|fewer) than|under|below|(?:no|not) (?:more|[a-z]+er) than"
    r"|up to)|[<≤])\s?$"
)
_BELOW_ZERO = lazy(r"\s(?:below|under)\s(?:zero|freezing|0\b)")
_CHANGED_FROM = lazy(
    r"(?:up|down|rose|fell|risen|fallen|increased?|decreased?|dropped|grew|changed|moved|raised|cut|lowered) from $"
)
"""Match a change from an old value to a new one, which is no range."""
_LOOK_BACK = 24
_ABOUT_KELVIN, _CONVERTED_KELVIN = 1.5, 0.3
"""Tolerances between temperatures in kelvin: for an approximate one, and after conversion between scales."""
_ZERO_CELSIUS = 273.15
_COARSEST = 0.03
"""Maximum relative rounding: numbers rounded more coarsely count as different."""
MOST = 1000
"""Maximum number of numbers read from a text."""
_RANGE = frozenset(("-", "to", "or", "and", "/"))
# Words after a number that are no counted noun.
_SMALL_WORDS = (
    "in on at by of to for from with and or but is was are were be been as per than if when that which who it its the "
    "a an this these those not so then each every also up total ago before after since until during over under about "
    "only more less least most other others out away long old high wide deep tall later earlier according within "
    "without between through because while has have had there they he she we you i his her their our your my "
    "respectively altogether overall instead too either both all ad bc ce bce today now can could may might must will"
)
_NO_NOUN = frozenset(_SMALL_WORDS.split())
Comparison = Literal["same", "rounded", "different", "other-unit"]
"""`rounded`: equal to the digits given, or within 5 % of an approximate value."""
Bound = Literal["", "low", "high"]


class Reading(NamedTuple):
    """One interpretation of a number: the amount in the base unit of its dimension."""

    amount: float
    dimension: str = ""
    """The dimension; empty for a bare number."""


class Quantity(NamedTuple):
    """A number found in a text."""

    value: float
    """Value as written, without the unit."""
    readings: tuple[Reading, ...]
    """Possible interpretations; several if the unit is ambiguous (5 m, 10 pounds)."""
    start: int
    """Start position in the normalised text."""
    end: int
    noun: str = ""
    """The counted noun, if it is no unit: `seats` in `1000 seats`."""
    about: bool = False
    """Whether the text marks it as approximate."""
    bound: Bound = ""
    """`low` for at least, `high` for at most, or empty."""
    ordinal: bool = False
    decimals: int = 0
    """Number of decimal places as written."""
    bare: bool = False
    """Whether it is plain digits without unit, multiplier or separator."""
    ranged: bool = False
    """Whether it is one end of a range."""

    @property
    def dimension(self) -> str:
        """Dimension of the first reading."""
        return self.readings[0].dimension


class _Tail(NamedTuple):
    """The multiplier, unit or noun after a number."""

    end: int
    multiplier: float = 1.0
    letter: str = ""
    """A letter that is a multiplier or a unit, including the space before it."""
    unit: str = ""
    noun: str = ""
    added: float = 0.0
    """Fraction to add: 0.5 for `two and a half`."""


def quantities(folded: str) -> list[Quantity]:
    """Return the numbers in a normalised text, in order, with their units; at most `MOST`."""
    return list(_quantities(folded))


@remembered
def _quantities(folded: str) -> tuple[Quantity, ...]:
    found = list(islice(_scan(folded), MOST))
    return tuple(_join_amounts(folded, found) if len(found) > 1 else found)


def _scan(folded: str) -> Iterator[Quantity]:
    after = 0
    for hint in _HINT.finditer(folded):
        word, start = hint.group(), hint.start()
        in_digits = word[0].isdecimal()
        if start < after or not (in_digits or word in BEGINNINGS):
            continue
        quantity = _from_digits(folded, start) if in_digits else _from_words(folded, start)
        if quantity is not None:
            after = quantity.end
            yield quantity


def _from_digits(folded: str, start: int) -> Quantity | None:
    if start and (_NAME_BEFORE.search(folded, max(0, start - 2), start)):
        return None
    match = _DIGITS.match(folded, start)
    if match is None or not match[0].isascii() or _VERSION.match(folded, match.end()):
        return None
    digits, fraction, ordinal = match.group("digits", "fraction", "ordinal")
    value = _with_fraction(parse(digits), fraction)
    if not math.isfinite(value):
        return None
    tail = _tail(folded, match.end())
    plain = digits.isdigit() and not ordinal and not fraction
    decimals = len(digits) - digits.rindex(".") - 1 if "." in digits else 0
    return _built(folded, start, value, tail, ordinal=bool(ordinal), decimals=decimals, plain=plain)


def _from_words(folded: str, start: int) -> Quantity | None:
    spelled = spelled_number(folded, start)
    if spelled is None or (start and folded[start - 1] in "'-_"):
        return None
    tail = _Tail(spelled.end, unit=spelled.unit) if spelled.unit else _tail(folded, spelled.end)
    return _built(folded, start, spelled.value, tail, ordinal=spelled.ordinal)


def _built(
    folded: str, start: int, value: float, tail: _Tail, *, ordinal: bool, decimals: int = 0, plain: bool = False
) -> Quantity:
    value = (value + tail.added) * tail.multiplier
    start, sign, currency = _before(folded, start)
    if currency and tail.noun:
        tail = tail._replace(noun="", end=tail.end - len(tail.noun) - 1)
    below = _BELOW_ZERO.match(folded, tail.end)
    if below:
        tail = tail._replace(end=below.end())
    if sign == "-" or below:
        value = -value
    near = max(0, start - _LOOK_BACK)
    about = start > 0 and _ABOUT.search(folded, near, start) is not None
    return Quantity(
        value=value,
        readings=_readings(value, currency, tail),
        start=start,
        end=tail.end,
        noun="" if tail.unit else tail.noun,
        about=about,
        bound=_bound(folded, near, start) if start > 1 and not about else "",
        ordinal=ordinal,
        decimals=decimals,
        bare=plain and tail.multiplier == 1.0 and not (currency or sign or tail.unit or tail.letter),
    )


def _bound(folded: str, near: int, start: int) -> Bound:
    if _AT_LEAST.search(folded, near, start):
        return "low"
    return "high" if _AT_MOST.search(folded, near, start) else ""


def parse(digits: str) -> float:
    """Parse digits with separators, interpreted by position: 1,234.5 and 1.234,5 and 12,5."""
    if digits.isdigit():
        return float(digits)
    digits = digits.replace("'", "").replace(" ", "")
    points, commas = digits.count("."), digits.count(",")
    if points and commas and digits.rindex(",") > digits.rindex("."):
        return float(digits.replace(".", "").replace(",", "."))
    if points > 1:
        return float(digits.replace(".", ""))
    if commas == 1 and not points and len(digits) - digits.index(",") != 4:
        return float(digits.replace(",", "."))
    return float(digits.replace(",", ""))


def _with_fraction(value: float, fraction: str | None) -> float:
    """Add a fraction: `2 1/2` is two and a half, `3/4` three quarters; 24/7 and 1/0 are no fractions."""
    if not fraction:
        return value
    top, _, bottom = fraction.strip().partition("/")
    if not float(bottom):
        return value
    if top:
        return value + float(top) / float(bottom)
    return value / float(bottom) if value < float(bottom) else value


def _before(folded: str, start: int) -> tuple[int, str, str]:
    """Return the start of a number including sign and currency, the sign, and the currency."""
    currency = ""
    if start and folded[start - 1] in "$€£¥₹ drpfyk":
        match = _CURRENCY.search(folded, max(0, start - 4), start)
        if match:
            currency, start = match[1], match.start()
    if start and folded[start - 1] in "-+" and (start == 1 or folded[start - 2] in " (:="):
        return start - 1, folded[start - 1], currency
    return start, "", currency


def _tail(folded: str, end: int) -> _Tail:
    if end == len(folded) or folded[end] in ".,;:!?)" or (folded[end] in "- " and _ANOTHER.match(folded, end)):
        return _Tail(end)
    match = _TAIL.match(folded, end)
    half, gap, *following = match.groups() if match else (None, "")
    added = FRACTIONS[half.split()[-1]] if half else 0.0
    at = match.end(1) if match and half else end
    words = [(word, match.end(3 + place)) for place, word in enumerate(following) if word] if match else []
    multiplier, letter = 1.0, ""
    if words and words[0][0] in MULTIPLIERS:
        multiplier, at = MULTIPLIERS[words[0][0]], words.pop(0)[1]
    elif words and words[0][0] in LETTER_MULTIPLIERS:
        letter, at = words[0][0] + gap, words.pop(0)[1]
    unit, noun, at = _read_unit(words, at)
    if unit and not added and (more := _AND_HALF.match(folded, at)):
        added, at = FRACTIONS[more[1]], more.end()
    return _Tail(at, multiplier, letter, unit, noun, added)


def _read_unit(words: list[tuple[str, int]], at: int) -> tuple[str, str, int]:
    """Return unit, noun and end from the words after a number: `km/h`, `square metres`, `working days`, `seats`."""
    if not words:
        return "", "", at
    for count in range(len(words), 0, -1):
        name = " ".join(word for word, _ in words[:count])
        if units_named(name):
            return name, "", words[count - 1][1]
    first, place = words[0]
    if first.endswith("'") and units_named(first[:-1]):
        return first[:-1], "", place - 1  # 14 days' notice
    head, _, rest = first.partition("-")
    if rest and head in UNITS:
        return head, "", place - len(rest) - 1  # a 30-day period
    head, _, rest = first.partition("/")
    if rest and head in UNITS:
        return head, "", place - len(rest) - 1  # 780 EUR/month
    if first in _NO_NOUN or first in PAST or not first[0].isalpha():
        return "", "", at
    if len(words) > 1 and len(words[1][0]) > 2 and words[1][0] in UNITS:
        return words[1][0], "", words[1][1]
    return "", first, place


def _readings(value: float, currency: str, tail: _Tail) -> tuple[Reading, ...]:
    name = currency or tail.unit
    if not tail.letter:
        return _measure(value, name)
    letter = tail.letter[0]
    multiplied = _measure(value * LETTER_MULTIPLIERS[letter], name)
    if name or letter not in UNITS:
        return multiplied
    measured = _measure(value, letter)
    return multiplied + measured if len(tail.letter) == 1 else measured + multiplied


def _measure(value: float, name: str) -> tuple[Reading, ...]:
    if not name:
        return (Reading(value),)
    return tuple(Reading(value * unit.factor + unit.offset, unit.dimension) for unit in units_named(name))


def _join_amounts(folded: str, found: list[Quantity]) -> list[Quantity]:
    """Merge compound amounts (`1 hour 30 minutes`), and share the unit of a range (`10-12 years`)."""
    joined = [found[0]]
    for quantity in found[1:]:
        last = joined[-1]
        between = folded[last.end : quantity.start].strip()
        if between in ("", "and", ",") and _adds_to(last, quantity):
            reading = Reading(last.readings[0].amount + quantity.readings[0].amount, last.dimension)
            joined[-1] = last._replace(readings=(reading,), end=quantity.end)
        elif between in _RANGE:
            ranged = _is_range(folded, last, between) and last.value < quantity.value
            joined[-1] = _like(last._replace(ranged=ranged or last.ranged), quantity)
            joined.append(quantity._replace(ranged=ranged))
        else:
            joined.append(quantity)
    return joined


def _is_range(folded: str, first: Quantity, between: str) -> bool:
    if between == "to" and _CHANGED_FROM.search(folded, max(0, first.start - _LOOK_BACK), first.start):
        return False
    return between in ("-", "to") or (between == "and" and folded.endswith("between ", 0, first.start))


def _like(bare: Quantity, other: Quantity) -> Quantity:
    """Return a bare number with the unit of the one it forms a range or choice with."""
    if bare.dimension or bare.noun or not (other.dimension and other.value):
        return bare
    readings = (
        Reading(_on_scale(bare.value, other.value, amount, dimension), dimension)
        for amount, dimension in other.readings
    )
    return bare._replace(readings=tuple(readings), bare=False)


def _on_scale(value: float, other: float, amount: float, dimension: str) -> float:
    """Convert a value to the base unit of another one with a known amount; temperatures by difference."""
    if dimension != "temperature":
        return value * amount / other
    degree = 1.0 if amount == other or math.isclose(amount - other, _ZERO_CELSIUS) else 5 / 9
    return amount + (value - other) * degree


def _adds_to(first: Quantity, second: Quantity) -> bool:
    alike = first.dimension == second.dimension and first.dimension not in ("", None, "share", "temperature")
    return alike and second.readings[0].amount / (second.value or 1.0) < first.readings[0].amount / (first.value or 1.0)


def compare(expected: Quantity, found: Quantity) -> Comparison:
    """Compare a found number with the expected amount; a missing unit is accepted, a different one is not."""
    if expected.bound and found.bound and expected.bound != found.bound:
        return "different"
    comparable = False
    for one in expected.readings:
        for other in found.readings:
            if not _same_kind(one, other, expected, found):
                continue
            comparable = True
            if math.isclose(one.amount, other.amount, rel_tol=1e-9, abs_tol=1e-12):
                return "same"
            if _rounds_to(expected, found, one, other):
                return "rounded"
    if expected.value == found.value and _unit_is_left_out(expected, found):
        return "same"
    return "different" if comparable else "other-unit"


def _same_kind(one: Reading, other: Reading, expected: Quantity, found: Quantity) -> bool:
    """Whether two amounts are comparable: same dimension, or a percentage and a fraction (50 % and 0.5)."""
    if one.dimension == other.dimension:
        return True
    if one.dimension == "share" and not other.dimension:
        return 0 < found.value < 1 or (found.value == 1 and not found.noun)
    if other.dimension == "share" and not one.dimension:
        return 0 < expected.value < 1 or (expected.value == 1 and not expected.noun)
    return False


def _unit_is_left_out(expected: Quantity, found: Quantity) -> bool:
    """Whether a unit may be implied by the question: 30 for 30 days, 25 years old for 25."""
    if not expected.dimension:
        return True
    return not found.dimension and not found.noun and not found.ordinal


def _rounds_to(expected: Quantity, found: Quantity, one: Reading, other: Reading) -> bool:
    """Whether amounts differ only by rounding, unit conversion or the tolerance of `about`."""
    apart = abs(one.amount - other.amount)
    if one.dimension == "temperature":
        return apart <= (_ABOUT_KELVIN if expected.about or found.about else _CONVERTED_KELVIN)
    if expected.about and apart <= 0.05 * abs(one.amount):
        return True
    per_unit = one.amount / (expected.value or 1.0)
    if not math.isclose(per_unit, other.amount / (found.value or 1.0), rel_tol=1e-2):
        return apart <= max(1e-3 * abs(one.amount), _half_grain(found, other.amount))
    if found.about and apart <= _half_grain(found, other.amount):
        return True
    fewer, more = sorted((expected.decimals, found.decimals))
    least = 1 if fewer == expected.decimals else 2
    return more > fewer >= least and apart <= 0.5 * 10.0**-fewer * abs(per_unit) * (1 + 1e-9)


def _half_grain(found: Quantity, amount: float) -> float:
    """Return half a unit of a number's last digit, as an amount; 0 if that is too coarse to compare."""
    value = abs(found.value)
    if not value:
        return 0.0
    grain = 10.0**-found.decimals
    while found.about and value % (10 * grain) == 0 and grain < value:
        grain *= 10
    half = 0.5 * grain / value
    return half * abs(amount) * (1 + 1e-9) if half <= _COARSEST else 0.0
