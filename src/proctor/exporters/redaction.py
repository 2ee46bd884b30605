"""Redaction of request bodies: secrets of the environment always, and matches of the user's patterns.

Spans are redacted when they are written; this is for everything else. Only human-written values are passed through it,
because a pattern that matched an id would break a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proctor.redaction import without_known
from proctor.redaction.nouns import map_texts
from proctor.telemetry.redaction import REDACTED


def clean(value: Any, patterns: Sequence[re.Pattern[str]]) -> Any:
    """Redact all texts, keys and numbers of a JSON value."""
    if not patterns:
        together = "\0".join(_texts(value))
        if without_known(together) == together:  # a single search is much cheaper than searching every text
            return value
    return map_texts(value, lambda text: _text(text, patterns))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)


def _text(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    text = without_known(text)
    for pattern in patterns:
        text = pattern.sub(REDACTED, text)
    return text
