"""Plain-language messages for values that fail validation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

_SAID_BY_MSGSPEC = re.compile(r"(?P<said>.*?)(?: - at `(?P<place>[^`]*)`)?", re.DOTALL)
_WANTED = re.compile(r"Expected `(?P<kinds>[^`]*)`(?P<bound> [<>]=? \S+| of length .*)?(?:, got `(?P<got>[^`]*)`)?")
_LACKING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_STRANGE = re.compile(r"Invalid enum value (?P<value>.*)")
_KINDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "an object with keys", "null": "nothing (null)",
}  # fmt: skip
_QUOTED = 60
_WORDS = {"True": "true", "False": "false", "None": "null"}
_UNTOLD = object()


def describe_invalid(error: msgspec.ValidationError, value: object = _UNTOLD) -> str:
    """Describe a validation error in plain words, with the offending value.

    Without `value`, which may be a secret, only the type of the offending value is shown.
    """
    found = _SAID_BY_MSGSPEC.fullmatch(str(error))
    assert found is not None, "the expression takes any text"
    message, place = found["said"], (found["place"] or "$").removeprefix("$").removeprefix(".")
    if lacking := _LACKING.fullmatch(message):
        return f"{place or 'it'} has no {lacking['name']!r}, which it needs"
    if unknown := _UNKNOWN_KEY.fullmatch(message):
        return f"{place or 'it'} has the unknown key {unknown['name']!r}; leave it out"
    if strange := _STRANGE.fullmatch(message):
        return f"{place or 'it'} is {strange['value']}, which is not known here"
    wanted = _WANTED.fullmatch(message)
    expected = message[:1].lower() + message[1:] if wanted is None else f"expected {_in_words(wanted)}"
    got = wanted["got"] if wanted is not None and wanted["got"] else ""
    place, there, is_there = _value_at(value, place, got)
    given = _WORDS.get(repr(there), repr(there)) if is_there else _KINDS.get(got, got)
    given = given if len(given) <= _QUOTED else f"{given[: _QUOTED - 1]}…"
    return f"{place or 'it'} is {given}; {expected}" if given else f"{place or 'it'} does not fit; {expected}"


def _in_words(wanted: re.Match[str]) -> str:
    kinds = [_KINDS.get(kind, kind) for kind in wanted["kinds"].split(" | ")]
    bound = (wanted["bound"] or "").removesuffix(".0").replace(">=", "of at least").replace("<=", "of at most")
    return " or ".join([f"{kinds[0]}{bound.replace('>', 'above').replace('<', 'below')}", *kinds[1:]])


def _value_at(value: object, place: str, got: str) -> tuple[str, object, bool]:
    """Return the path and value at `tool_calls[0].step` or `arguments[...]` (any key), and whether it is known."""
    found = [("", value)]
    for step in re.findall(r"[^.\[\]]+|\[\d+\]|\[\.\.\.\]", place):
        found = [inner for outer in found for inner in _stand_at(*outer, step)]
    if "[...]" in place:
        found = [(at, inner) for at, inner in found if _kind_of(inner) == got]
    if not found:
        return place.replace("[...]", ""), None, False
    at, value = found[0]
    return at, value, value is not _UNTOLD and (bool(place) or not isinstance(value, (Mapping, list, tuple)))


def _stand_at(place: str, value: Any, step: str) -> Iterator[tuple[str, object]]:
    """Yield path and value of what a path step selects; `[...]` (any key) may select several."""
    before = f"{place}." if place else ""
    try:
        if step == "[...]":
            yield from ((f"{before}{key}", inner) for key, inner in value.items())
        elif step[0] == "[":
            yield f"{place}{step}", value[int(step[1:-1])]
        else:
            yield f"{before}{step}", value[step]
    except (AttributeError, LookupError, TypeError):
        return


def _kind_of(value: object) -> str:
    """Return msgspec's name for the type of a value."""
    names = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}
    return names.get(type(value), "object" if isinstance(value, Mapping) else "array")


def its_keys(value: Iterable[Any]) -> str:
    """List the keys of an object, for a message about a missing one."""
    keys = sorted(map(str, value))
    return f"its keys are {keys!r}" if keys else "it has no keys"


def format_value(value: object) -> str:
    """Return a short value as its repr, else its type, for a message."""
    try:
        text = repr(value)
    except Exception:  # a faulty __repr__ of a user's object
        text = ""
    return text if 0 < len(text) <= _QUOTED else f"a {type(value).__name__}"
