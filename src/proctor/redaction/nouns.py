"""Scrub secrets from replies, reviews and questions when they arrive, before they are processed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from proctor.codec import decode, encode
from proctor.redaction import known as room
from proctor.score import Review
from proctor.transcript import Reply

T = TypeVar("T")


def scrub_noun(noun: T) -> T:
    """Return the object without known secrets; unchanged if it contains none, as nearly always."""
    known = room.known()
    if not known.are_known():
        return noun
    if not known.are_in(_words(noun)):
        return noun
    json_value = msgspec.json.decode(encode(noun))
    try:
        return decode(encode(map_texts(json_value, known.scrub)), type(noun))
    except msgspec.ValidationError:  # a numeric field happens to equal a secret
        return decode(encode(map_texts(json_value, known.scrub, numbers=False)), type(noun))


def _words(noun: object) -> str:
    """Return all text of an object; for simple replies and reviews without encoding them."""
    if type(noun) is Reply and not (noun.tool_calls or noun.citations or noun.steps or noun.stderr):
        return noun.text
    if type(noun) is Review and not (noun.checks or noun.contradictions or noun.question_parts):
        return "\0".join([noun.explanation, noun.unscored or "", *[part.explanation for part in noun.parts]])
    return encode(noun)


def map_texts(value: Any, change: Callable[[str], str], *, numbers: bool = True) -> Any:
    """Apply a function to every string, key and number in a JSON value; a changed number becomes a string."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(name)): map_texts(inner, change, numbers=numbers) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [map_texts(inner, change, numbers=numbers) for inner in value]
    if numbers and isinstance(value, (int, float)) and not isinstance(value, bool):
        changed = change(str(value))
        return value if changed == str(value) else changed
    return value
