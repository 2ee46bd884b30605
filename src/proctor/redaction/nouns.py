"""Nouns without secrets: where replies, reviews and questions come in, before anything is made of them."""

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
    """The same without any secret that is known; nearly all hold none, and are handed back as they are."""
    known = room.known()
    if not known.are_known():
        return noun
    if not known.are_in(_words(noun)):
        return noun
    told = msgspec.json.decode(encode(noun))
    try:
        return decode(encode(map_texts(told, known.scrub)), type(noun))
    except msgspec.ValidationError:  # a number that a noun counts with happens to be a secret as well
        return decode(encode(map_texts(told, known.scrub, numbers=False)), type(noun))


def _words(noun: object) -> str:
    """All that a noun says; most replies are one text, and most reviews a few."""
    if type(noun) is Reply and not (noun.tool_calls or noun.citations or noun.steps or noun.stderr):
        return noun.text
    if type(noun) is Review and not (noun.checks or noun.contradictions or noun.question_parts):
        return "\0".join([noun.explanation, noun.unscored or "", *[part.explanation for part in noun.parts]])
    return encode(noun)


def map_texts(value: Any, change: Callable[[str], str], *, numbers: bool = True) -> Any:
    """JSON with every text, name and number in it changed; a number that changes becomes a text."""
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
