"""Walking through what a tool returned: dicts, lists, JSON as text, bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

_LONGEST_JSON = 2 * 1024 * 1024


def unpack_value(value: object) -> object:
    """A value as it is meant: bytes as text, and JSON that was handed over as text as what it says."""
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and len(value) <= _LONGEST_JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def leaves(value: object) -> Iterator[str]:
    """The texts and numbers at any depth, in their order, as text."""
    waiting = [value]
    while waiting:
        part = unpack_value(waiting.pop())
        if isinstance(part, Mapping):
            waiting.extend(reversed(list(part.values())))
        elif isinstance(part, (list, tuple)):
            waiting.extend(reversed(part))
        elif isinstance(part, (set, frozenset)):
            waiting.extend(part)
        elif (text := as_text(part)) is not None:
            yield text


def as_text(value: object) -> str | None:
    """A text or a number as text; None: it is neither, or too long a number for anybody to read."""
    if isinstance(value, (str, float)):
        return str(value)
    return str(value) if isinstance(value, int) and value.bit_length() < 4096 else None
