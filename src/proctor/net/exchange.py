"""Limits of an HTTP exchange and its result: ExchangeLimits, Response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ExchangeLimits:
    """Limits of one HTTP exchange."""

    bytes: int = 10_000_000
    """Maximum size of a response body in bytes, after decompression."""
    seconds: float | None = 300.0
    """Seconds from the request to the last byte, per redirect; None if the caller enforces a timeout."""
    idle: float | None = 60.0
    """Maximum seconds without receiving a byte; None if the caller enforces a timeout."""
    connect: float = 10.0
    """Maximum seconds for DNS lookup, connection and TLS handshake."""
    redirects: int = 5
    """Maximum number of redirects to follow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """A complete HTTP response."""

    status: int
    """The HTTP status."""
    headers: Mapping[str, str]
    """Case-insensitive headers."""
    body: bytes
    """Body after decompression."""
    url: str
    """Final URL after redirects."""
