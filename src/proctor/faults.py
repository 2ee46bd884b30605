"""Whose fault is it? An exception from a call → AgentFault, EnvironmentFault or Misconfigured."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured

TRANSIENT = frozenset({408, 425, 429, 502, 503, 504})
FATAL = frozenset({401, 403, 404})


def classify(error: BaseException) -> CallError:
    """The fault behind an exception. What nobody else can be blamed for is the callee's own."""
    if isinstance(error, CallError):
        return error
    for link in chain(error):
        status = getattr(link, "status_code", None)
        if status in TRANSIENT:
            return EnvironmentFault(f"HTTP {status}: {_named(error)}", retry_after=retry_after(link))
        if status in FATAL:
            return Misconfigured(f"HTTP {status}: {_named(error)}")
        if isinstance(link, (ConnectionError, socket.gaierror, ssl.SSLError)):
            return EnvironmentFault(_named(error))
    if isinstance(error, SystemExit):
        return AgentFault(f"called sys.exit({error.code!r})")
    return AgentFault(_named(error))


def chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was explicitly raised from; clients wrap refused connections that way."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__


def said(error: BaseException, limit: int = 500) -> str:
    """An exception's message on one line, else its name; without any secret of the environment."""
    text = without_secrets(" ".join(str(error).split())) or type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"


def without_secrets(text: str) -> str:
    """The text with every secret that the environment holds replaced by its name."""
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, f"${name}")
    return text


def _named(error: BaseException) -> str:
    name, text = type(error).__name__, said(error)
    return f"{name}: {text}" if text != name else name


def retry_after(error: BaseException) -> float | None:
    """The seconds that the server asked to wait, from the headers of the exception's response."""
    headers = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    try:
        return parse_retry_after(headers.get("retry-after") or headers.get("Retry-After")) if headers else None
    except AttributeError:
        return None


def parse_retry_after(value: str | None) -> float | None:
    """Seconds, or an HTTP date, as seconds from now."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
