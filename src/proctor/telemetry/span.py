"""Vendor-neutral trace spans with deterministic ids: Span, SpanEvent."""

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
    """An event at one point in time of a span."""

    name: str
    """Name of the event, such as `gen_ai.evaluation.result` or `exception`."""
    time: int
    """Time in nanoseconds since the epoch."""
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A span of a trace: an attempt, a turn, a model call, a tool call, a review."""

    trace: str
    """Trace id, 32 hex digits."""
    id: str
    """Span id, 16 hex digits."""
    parent: str | None = None
    """Id of the parent span, or None for the root."""
    name: str
    """Name, such as `execute_tool search`."""
    kind: str = "internal"
    """Span kind: internal, server, client, producer or consumer."""
    start: int = 0
    """Start time in nanoseconds since the epoch."""
    end: int = 0
    """End time in nanoseconds since the epoch."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Strings, numbers, booleans, and lists of these."""
    events: tuple[SpanEvent, ...] = ()
    """Events in chronological order."""
    status: SpanStatus = "unset"
    """Whether it succeeded or failed, if known."""
    message: str = ""
    """Error message, if it failed."""
    resource: Mapping[str, Any] = field(default_factory=dict)
    """Resource attributes of the emitting service, such as `service.name`."""
    scope: str = ""
    """Instrumentation scope that emitted the span."""
    scope_version: str = ""
    """Version of the instrumentation scope."""


def trace_id(key: Key) -> str:
    """Return the deterministic trace id of an attempt."""
    return _digest(key)[:32]


def span_id(key: Key, *path: str | int) -> str:
    """Return the deterministic id of a span from its path within the attempt, such as `"turn", 2, "call", 1`."""
    return _digest(key, *path)[:16]


def _digest(key: Key, *path: str | int) -> str:
    place = ["proctor-span-1", key.run, key.exam, key.condition, key.trial, *path]
    return hashlib.sha256(encode(place).encode()).hexdigest()


def nanoseconds(seconds: float) -> int:
    """Convert seconds to whole nanoseconds, precisely enough that `seconds_of` returns the same seconds."""
    whole_seconds = int(seconds)
    return whole_seconds * _SECOND + round((seconds - whole_seconds) * _SECOND)


def seconds_of(nanoseconds: int) -> float:
    """Convert whole nanoseconds to seconds."""
    return nanoseconds / _SECOND


KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
STATUSES: tuple[SpanStatus, ...] = ("unset", "ok", "error")
INT64 = range(-(2**63), 2**63)


def word_of(number: Any, words: tuple[str, ...]) -> str:
    """Return the name of an enumeration value, or the first name if the number is unknown."""
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else words[0]


def number_of(word: str, words: tuple[str, ...]) -> int:
    """Return the number of an enumeration value, or 0 if the name is unknown."""
    return words.index(word) if word in words else 0


def utf8(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def origins(spans: Iterable[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """Group spans by resource and scope, in order of appearance; yield one representative and all spans of each
    group."""
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
