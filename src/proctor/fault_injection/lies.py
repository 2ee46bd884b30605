"""Falsified results in the format of the true ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, get_args

from proctor.transcript import LieKind

LIES: tuple[LieKind, ...] = get_args(LieKind)
_FACTOR = 1000
"""Factor to the next smaller unit of those often confused: km and m, kg and g, s and ms."""
_SHORTEST = 8
"""Minimum characters for a truncated text to be noticeable."""
_YEAR = r"(?<![\w.,/-])(?:1[89]|20|21)\d\d(?!\w)"
_DATE = rf"{_YEAR}-\d\d-\d\d"
_NUMBER = r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d,/-]*\d)"
_NUMBERS = re.compile(rf"(?P<date>{_DATE})|(?P<year>{_YEAR}(?![.,]\d))|(?P<number>{_NUMBER})")
_UNITS = (
    r"(?:[kcm]?m|[km]?g|[m]?l|ms|s|h|min|[kmgt]i?b|%|°\s?[cf]|kwh?|mph|km/h|met(?:re|er)s?|kilomet(?:re|er)s?|miles?|feet|"
    r"grams?|kilos?|kilograms?|pounds?|lit(?:re|er)s?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|percent|"
    r"eur|euros?|usd|dollars?|cents?|gbp|chf)"
)
_MEASURED = re.compile(rf"(?<=[$€£¥])\s?{_NUMBER}|{_NUMBER}(?=\s?(?:{_UNITS}\b|[€%°]))", re.IGNORECASE)


def make_lie(kind: LieKind, truth: object) -> object:
    """Falsify a result; return it unchanged if nothing in it can be falsified."""
    return _MAKERS[kind](truth)


def _stale(truth: object) -> object:
    """Lower every number by a tenth, and move every date back by a year."""
    return _each_leaf(truth, _older_number, lambda text: _NUMBERS.sub(_older, text))


def _unit(truth: object) -> object:
    """Convert every measured number to the next smaller unit, but keep the name of the unit."""
    return _each_leaf(truth, lambda number: number * _FACTOR, _in_smaller_unit)


def _swap_fields(truth: Any) -> object:
    """Swap the values of two fields of the same type in each record."""
    if isinstance(truth, Mapping):
        pair = _two_alike(truth)
        if pair is None:
            return {key: _swap_fields(value) for key, value in truth.items()}
        one, other = pair
        return {**truth, one: truth[other], other: truth[one]}
    if type(truth) in (list, tuple):
        return _like(truth, map(_swap_fields, truth))
    return _within_json(truth, _swap_fields, lambda text: text) if isinstance(truth, str) else truth


def _empty(truth: object) -> object:
    """Return an empty value of the same type."""
    return type(truth)() if type(truth) in (str, list, tuple, dict, set) else None


def _truncate(truth: Any) -> object:
    """Keep only the first half."""
    if isinstance(truth, str):
        return truth[: len(truth) // 2] if len(truth) >= _SHORTEST else truth
    if isinstance(truth, Mapping):
        cut = {key: _truncate(value) for key, value in truth.items()}
        return cut if cut != dict(truth) else dict(list(truth.items())[: (len(truth) + 1) // 2])
    if type(truth) in (list, tuple):
        return truth[: len(truth) // 2] if len(truth) > 1 else _like(truth, map(_truncate, truth))
    return truth


_MAKERS: dict[LieKind, Callable[[Any], object]] = {
    "stale": _stale,
    "swapped": _swap_fields,
    "empty": _empty,
    "unit": _unit,
    "truncated": _truncate,
}


def _each_leaf(value: Any, number: Callable[[Any], Any], text: Callable[[str], str]) -> Any:
    """Return the same structure with every number and text changed."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float | Decimal):
        return number(value)
    if isinstance(value, Mapping):
        return {key: _each_leaf(inner, number, text) for key, inner in value.items()}
    if type(value) in (list, tuple):
        return _like(value, (_each_leaf(inner, number, text) for inner in value))
    if isinstance(value, str):
        return _within_json(value, lambda inner: _each_leaf(inner, number, text), text)
    return value


def _like(value: object, items: Iterable[Any]) -> object:
    return tuple(items) if isinstance(value, tuple) else list(items)


def _within_json(value: str, change: Callable[[Any], Any], text: Callable[[str], str]) -> str:
    """Change a text; if it is a JSON object or list, as many tools return, change its content."""
    if value.lstrip()[:1] not in ("{", "["):
        return text(value)
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return text(value)
    changed = change(parsed)
    return value if changed == parsed else json.dumps(changed, ensure_ascii=False)


def _two_alike(record: Mapping[Any, Any]) -> tuple[Any, Any] | None:
    """Return the first two fields with different numbers, else with different texts."""
    for kind in ((int, float, Decimal), str):
        fields = [key for key, value in record.items() if isinstance(value, kind) and not isinstance(value, bool)]
        for place, one in enumerate(fields):
            for other in fields[place + 1 :]:
                if record[one] != record[other]:
                    return one, other
    return None


def _older_number(number: Any) -> Any:
    if isinstance(number, int):
        return number - max(1, abs(number) // 10)
    lower = number * (Decimal("0.9") if isinstance(number, Decimal) else 0.9)
    return round(lower, max(2, _decimals(number))) if lower != number else number - 1


def _decimals(number: object) -> int:
    return len(str(number).partition(".")[2])


def _older(found: re.Match[str]) -> str:
    if (date := found["date"]) is not None:
        return f"{int(date[:4]) - 1}{date[4:]}".replace("-02-29", "-02-28")
    if found["year"] is not None:
        return str(int(found["year"]) - 1)
    return _rewritten(found["number"], _older_number)


def _in_smaller_unit(text: str) -> str:
    if _MEASURED.search(text):
        return _MEASURED.sub(lambda found: _thousandfold(found[0]), text)
    return _NUMBERS.sub(lambda found: _thousandfold(found["number"]) if found["number"] else found[0], text)


def _thousandfold(number: str) -> str:
    return _rewritten(number, lambda value: value * _FACTOR)


def _rewritten(written: str, change: Callable[[Any], Any]) -> str:
    """Change a number in a text, keeping its format."""
    digits = written.strip().replace(",", "")
    if "." not in digits:
        return f"{change(int(digits)):,}" if "," in written else str(change(int(digits)))
    value = change(Decimal(digits))
    text = f"{value:,f}" if "," in written else f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
