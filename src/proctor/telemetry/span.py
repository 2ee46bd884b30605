"""One piece of work in a trace, in nobody's dialect: Span, SpanEvent, and ids that come out the same twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.codec import encode
from proctor.run import Key

SpanStatus = Literal["unset", "ok", "error"]
_SECOND = 1_000_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanEvent:
    """Something that happened at one moment of a span."""

    name: str
    """Such as `gen_ai.evaluation.result` or `exception`."""
    time: int
    """Nanoseconds since the epoch."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What is known of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One piece of work: an attempt, a turn, a model call, a tool call, a review."""

    trace: str
    """The trace's id, 32 hex digits."""
    id: str
    """16 hex digits."""
    parent: str | None = None
    """The span it is part of; None: the root."""
    name: str
    """Such as `execute_tool search`."""
    kind: str = "internal"
    """internal, server, client, producer or consumer."""
    start: int = 0
    """Nanoseconds since the epoch."""
    end: int = 0
    """Nanoseconds since the epoch."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Text, numbers, truth values, and lists of these."""
    events: tuple[SpanEvent, ...] = ()
    """In the order they happened."""
    status: SpanStatus = "unset"
    """Whether it failed."""
    message: str = ""
    """Why it failed."""
    resource: Mapping[str, Any] = field(default_factory=dict)
    """Who wrote it: `service.name` and the like."""
    scope: str = ""
    """The instrumentation that wrote it."""
    scope_version: str = ""
    """And its version."""


def trace_id(key: Key) -> str:
    """The trace of an attempt: the same for the same attempt, whenever it is written."""
    return _digest(key)[:32]


def span_id(key: Key, *path: str | int) -> str:
    """A span of an attempt by its place in it, such as `"turn", 2, "call", 1`."""
    return _digest(key, *path)[:16]


def _digest(key: Key, *path: str | int) -> str:
    place = ["proctor-span-1", key.run, key.exam, key.condition, key.trial, *path]
    return hashlib.sha256(encode(place).encode()).hexdigest()


def nanoseconds(seconds: float) -> int:
    """Seconds since the epoch as whole nanoseconds, so exact that `seconds_of` gives the same seconds back."""
    whole = int(seconds)
    return whole * _SECOND + round((seconds - whole) * _SECOND)


def seconds_of(nanoseconds: int) -> float:
    """Whole nanoseconds since the epoch as seconds."""
    return nanoseconds / _SECOND


KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
STATUSES: tuple[SpanStatus, ...] = ("unset", "ok", "error")
INT64 = range(-(2**63), 2**63)


def word_of(number: Any, words: tuple[str, ...]) -> str:
    """An enumeration's word from its number; the first for one that is not known."""
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else words[0]


def number_of(word: str, words: tuple[str, ...]) -> int:
    """An enumeration's number from its word; 0 for one that is not known."""
    return words.index(word) if word in words else 0


def utf8(text: str) -> str:
    """The text without half surrogate pairs, which no encoding takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def origins(spans: Iterable[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """The spans by who wrote them: one of each origin, and all of it, in the order in which origins appear."""
    groups: dict[tuple[int, str, str], list[Span]] = {}
    same: list[Mapping[str, Any]] = []
    for span in spans:
        place = next(
            (place for place, known in enumerate(same) if known is span.resource or known == span.resource), -1
        )
        if place < 0:
            place = len(same)
            same.append(span.resource)
        groups.setdefault((place, span.scope, span.scope_version), []).append(span)
    for group in groups.values():
        yield group[0], group
