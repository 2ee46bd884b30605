"""Decide whether two stated values may be the same: allow for date precision, rounding, bounds and approximation."""

from __future__ import annotations

import math

from proctor.reading.expected import Fact
from proctor.reading.text.clocks import Clock, same_time
from proctor.reading.text.dates import Date, agree
from proctor.reading.text.numbers import Quantity, compare

_ABOUT = 0.1
"""Relative tolerance for an approximate number (`about`)."""
_ROUNDING = 0.05
"""Maximum relative tolerance for numbers rounded to hundreds or thousands."""
_MONTH = 2_629_746.0
_NEAR_MONTHS = 1.25
_MONEY = frozenset(("USD", "EUR", "GBP", "JPY", "CNY", "INR", "CHF", "AUD", "CAD"))


def may_agree(one: Fact, other: Fact) -> bool:
    """Whether two values may be the same; values of different kinds never are."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return _amounts(one, other)
    if isinstance(one, Date) and isinstance(other, Date):
        return _dates(one, other)
    return isinstance(one, Clock) and isinstance(other, Clock) and same_time(one, other)


def measure_one_thing(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts with units are comparable: same dimension, both money, or both durations."""
    kinds = {one.dimension, other.dimension}
    return len(kinds) == 1 or kinds <= _MONEY or kinds == {"time", "months"}


def is_more(one: Quantity, other: Quantity) -> bool:
    """Whether the first of two comparable amounts is larger."""
    return _amount(one, other) > _amount(other, one)


def _dates(one: Date, other: Date) -> bool:
    """Whether two dates may be the same as far as both go; a bare year is compatible with a day without one."""
    if (one.year is None and other.month is None) or (other.year is None and one.month is None):
        return True
    return agree(one, other) != "different"


def _amounts(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts may be the same: equal, rounded, approximate, or within a bound that one of them sets."""
    if compare(one, other) in ("same", "rounded") or compare(other, one) in ("same", "rounded"):
        return True
    a, b = _amount(one, other), _amount(other, one)
    if one.dimension != other.dimension and one.dimension and other.dimension and not _share_reading(one, other):
        # 5 dollars are not 5 euros, but may well be 4.60 euros; months and days differ only beyond the tolerance for
        # months
        return one.value != other.value if one.dimension in _MONEY else max(a, b) <= _NEAR_MONTHS * min(a, b)
    if (one.bound == "low" and b >= a) or (one.bound == "high" and b <= a):
        return True
    if (other.bound == "low" and a >= b) or (other.bound == "high" and a <= b):
        return True
    if one.about or other.about:
        return abs(a - b) <= _ABOUT * max(abs(a), abs(b))
    allowed = max(_rounding(one, a), _rounding(other, b), _grain(one, other, a), _grain(other, one, b))
    return abs(a - b) <= allowed * (1 + 1e-9)


def _grain(one: Quantity, other: Quantity, amount: float) -> float:
    """Return half a unit of the number's last digit if its unit is coarser than the other's: 2.2 pounds may be 1 kg."""
    if not one.value or not other.value or not one.dimension:
        return 0.0
    unit, others = amount / one.value, _amount(other, one) / other.value
    return 0.0 if math.isclose(unit, others) or unit < others else abs(0.5 * 10.0**-one.decimals * unit)


def _share_reading(one: Quantity, other: Quantity) -> bool:
    return any(first.dimension == second.dimension for first in one.readings for second in other.readings)


def _amount(one: Quantity, other: Quantity) -> float:
    """Return the amount in the unit of its dimension; convert months to seconds if the other amount is in seconds."""
    shared = {reading.dimension for reading in other.readings}
    reading = next((reading for reading in one.readings if reading.dimension in shared), one.readings[0])
    return reading.amount * _MONTH if reading.dimension == "months" and "months" not in shared else reading.amount


def _rounding(number: Quantity, amount: float) -> float:
    """Return the rounding tolerance of a number of at least 1,000: 12.4 million may be given as 12 million."""
    value = abs(number.value)
    if value < 1000 or value != math.floor(value) or not number.value or value >= 1e15:
        return 0.0
    digits = str(int(value))
    zeros = len(digits) - len(digits.rstrip("0"))
    half = 0.5 * 10.0**zeros if zeros >= 2 else 0.0
    return min(half / value, _ROUNDING) * abs(amount)
