"""Whose fault is it? An exception from a call → AgentFault, EnvironmentFault or Misconfigured."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured
from proctor.redaction import without_secrets

TRANSIENT = frozenset({408, 425, 429, 502, 503, 504})
FATAL = frozenset({401, 403, 404})
_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ETIMEDOUT})
_OUTGROWN = re.compile(
    r"context_length_exceeded|exceed_context_size|context(?:window|overflow)\w*(?:exceeded|error)"
    r"|maximum context (?:length|size|window)"
    r"|(?:exceed\w*|(?:larger|longer) than|over) [^.\n]{0,60}context (?:length|size|window)"
    r"|context (?:length|size|window)[^.\n]{0,60}exceed"
    r"|(?:prompt|input) is too long|input token count[^.\n]{0,60}exceed",
    re.IGNORECASE,
)
"""How providers say that a prompt does not fit into the model."""


def classify(error: BaseException) -> CallError:
    """The fault behind an exception. What nobody else can be blamed for is the callee's own."""
    if isinstance(error, CallError):
        return error
    for link in chain(error):
        if (status := _passing_status(link)) is not None:
            return EnvironmentFault(f"HTTP {status}: {_named(error)}", retry_after=retry_after(link))
        if (status := getattr(link, "status_code", None)) in FATAL:
            return Misconfigured(f"HTTP {status}: {_named(error)}")
        if _is_network(link):
            return EnvironmentFault(_named(error))
    if isinstance(error, SystemExit):
        return AgentFault(f"called sys.exit({error.code!r})")
    if any(_OUTGROWN.search(f"{type(link).__name__} {_told(link)}") for link in chain(error)):
        return AgentFault(f"the conversation outgrew the model's window ({_named(error)})")
    return AgentFault(_named(error))


def _passing_status(link: BaseException) -> int | None:
    """A status that tells of an outage, under any of the names that clients of HTTP give it."""
    if not isinstance(link, Exception):
        return None  # sys.exit has a code, too
    places = ((link, "status_code"), (getattr(link, "response", None), "status_code"), (link, "status"), (link, "code"))
    for holder, name in places:
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status if status in TRANSIENT else None
    return None


def _is_network(link: BaseException) -> bool:
    if isinstance(link, (ConnectionError, socket.gaierror, ssl.SSLError)):
        return True
    if not isinstance(link, OSError):
        return False
    # asyncio tells of several addresses that all failed in a message alone, without a number or a cause
    return link.errno in _UNREACHABLE or (link.errno is None and str(link).startswith("Multiple exceptions: "))


def chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, what it was explicitly raised from, and the members of groups among these.

    Clients wrap refused connections that way: one for each address of the server.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting.append(link.__cause__)
        if isinstance(link, BaseExceptionGroup):
            waiting.extend(reversed(link.exceptions))


def said(error: BaseException, limit: int = 500) -> str:
    """An exception's message on one line, else its name; without any secret of the environment."""
    text = " ".join(without_secrets(_told(error)).split()) or type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _told(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""  # somebody else's exception, which cannot even say what it is


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
