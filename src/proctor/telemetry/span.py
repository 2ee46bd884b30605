"""One piece of work in a trace, in nobody's dialect: Span, SpanEvent, and ids that come out the same twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
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
