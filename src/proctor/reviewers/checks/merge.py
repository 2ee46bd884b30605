"""Merge two expectations of the same reply."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from proctor.benchmark import Expectation

_NOTHING = Expectation()
_FIELDS = tuple(field.name for field in fields(Expectation))


def merge(expectation: Expectation, other: Expectation) -> Expectation:
    """Merge two expectations: lists are joined without duplicates, limits combined, other values taken from `other`."""
    if expectation == _NOTHING or other == _NOTHING:
        return expectation if other == _NOTHING else other
    values = {name: _merge_field(name, getattr(expectation, name), getattr(other, name)) for name in _FIELDS}
    return Expectation(**values)


def _merge_field(name: str, first: Any, second: Any) -> Any:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return first + tuple(item for item in second if item not in first)
    if isinstance(first, dict):
        return first | second
    return first if second == getattr(_NOTHING, name) else second


def keep_common(common: Expectation, joined: Expectation) -> Expectation:
    """Keep the part of common expectations still found in a case's merged expectations, with the case's values."""
    return Expectation(**{name: _keep_field(name, getattr(common, name), getattr(joined, name)) for name in _FIELDS})


def _keep_field(name: str, common: Any, joined: Any) -> Any:
    if common == getattr(_NOTHING, name):
        return common
    if isinstance(common, tuple) and isinstance(joined, tuple):
        return tuple(item for item in common if item in joined)
    if isinstance(common, dict):
        return {key: joined[key] for key in common if key in joined}
    return joined
