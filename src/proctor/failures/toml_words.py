"""What is wrong with a value of a TOML file, in the words and the spelling of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

OUR_OWN = "bounds"
"""The type of a fault whose message is ours, and says what is expected."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes in TOML."""
_SHOWN = 80
_FEW = 5
"""Items of a list that a message shows."""
_EXPECTED = {
    "string_type": "a text in quotes",
    "string_too_short": "a text that is not empty",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a number that is finite",
    "list_type": "a list",
    "tuple_type": "a list",
    "literal_error": "{expected}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "greater_than": "a number above {gt}",
}


def requirement(fault: Mapping[str, Any]) -> str:
    """What a value should be, in the words of the file."""
    said: str = fault["msg"]
    if fault["type"] == OUR_OWN:
        return said
    words = _EXPECTED.get(fault["type"])
    return said.removeprefix("Input should be ") if words is None else words.format(**fault.get("ctx", {}))


def in_toml(value: Any) -> str:
    """A value as the file spells it, shortened; a table within it is not shown."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{…}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(in_toml, value[:_FEW]))}{', …' * (len(value) > _FEW)}]"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def dotted_key(keys: Iterable[str]) -> str:
    """A place in the file, as it would be written there."""
    return ".".join(key if _BARE.fullmatch(key) else f'"{key}"' for key in keys)
