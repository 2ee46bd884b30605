"""What both encodings of OTLP agree on: its enumerations, its numbers, its text, and how spans are grouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from proctor.telemetry.span import Span, SpanStatus

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
