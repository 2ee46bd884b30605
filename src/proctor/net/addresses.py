"""Addresses: read, shown without secrets, and whether what was meant for one may be sent to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from yarl import URL

_HARMLESS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
_SHORTEST_SECRET = 4


@lru_cache(maxsize=256)
def parse(text: str) -> URL:
    """An absolute http or https address; raises ValueError with what is wrong, which never repeats the address."""
    try:
        url = URL(text)
        port = url.port  # some wrong ports are found only now
    except ValueError:
        raise ValueError("it is no address") from None
    if url.scheme not in ("http", "https"):
        raise ValueError(f"its scheme is {url.scheme!r}; expected http or https")
    if not url.host or not port:
        raise ValueError("it names no host")
    return url


def shown(url: URL | str) -> str:
    """The address as a message may show it: without user, password, query and fragment."""
    url = URL(url) if isinstance(url, str) else url
    return str(url.with_user(None).with_query(None).with_fragment(None)) if url.absolute else url.path


def may_follow(origin: URL, target: URL, *, credentials: bool) -> bool:
    """Whether a request to one address may go on to another: never from https to http, nor elsewhere with credentials.

    Another port of the same host is elsewhere: somebody else may listen there.
    """
    if origin.scheme == "https" and target.scheme != "https":
        return False
    upgraded = origin.is_default_port() and target.is_default_port()
    return not credentials or (origin.host == target.host and (origin.port == target.port or upgraded))


def credentials_in(headers: Mapping[str, str]) -> list[str]:
    """Every value that may be a secret: all headers but the few that never are, and the parts of `Bearer …`."""
    values = [value for name, value in headers.items() if name.lower() not in _HARMLESS]
    return values + [value.split(" ", 1)[1] for value in values if " " in value]


def without_content(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request that carries no body."""
    return {name: value for name, value in headers.items() if name.lower() != "content-type"}


def scrub_secrets(text: str, secrets: Iterable[str]) -> str:
    """The text without any of these values."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "…")
    return text
