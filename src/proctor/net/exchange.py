"""What one exchange may cost, and what comes back: ExchangeLimits, Response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ExchangeLimits:
    """How much of this process one exchange may use up."""

    bytes: int = 10_000_000
    """Of a body, counted after decompression."""
    seconds: float | None = 300.0
    """From the request to the last byte, for each address it is redirected to; None: the caller sees to it."""
    idle: float | None = 60.0
    """Without a single byte; None: the caller sees to it."""
    connect: float = 10.0
    """Until name, connection and TLS are settled."""
    redirects: int = 5
    """That are followed, one after the other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """A whole answer."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """By name, in any case."""
    body: bytes
    """Decompressed."""
    url: str
    """Who answered, after redirects."""
