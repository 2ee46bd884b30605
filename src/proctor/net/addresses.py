"""URLs: parse them, display them without secrets, and decide whether a redirect may be followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from yarl import URL

_HARMLESS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
_SHORTEST_SECRET = 4


@lru_cache(maxsize=256)
def parse(text: str) -> URL:
    """Parse an absolute http or https URL; raise ValueError with a message that never contains the URL."""
    try:
        url = URL(text)
        port = url.port  # raises for some invalid ports
    except ValueError:
        raise ValueError("it is not an address") from None
    if url.scheme not in ("http", "https"):
        raise ValueError(f"its scheme is {url.scheme!r}; expected http or https")
    if not url.host or not port:
        raise ValueError("it names no host")
    return url


def shown(url: URL | str) -> str:
    """Return the URL for display, without user, password, query and fragment."""
    url = URL(url) if isinstance(url, str) else url
    return str(url.with_user(None).with_query(None).with_fragment(None)) if url.absolute else url.path


def may_follow(origin: URL, target: URL, *, credentials: bool) -> bool:
    """Whether a redirect may be followed: never from https to http, nor to another origin with credentials.

    Another port of the same host is another origin, since someone else may listen there.
    """
    if origin.scheme == "https" and target.scheme != "https":
        return False
    upgraded = origin.is_default_port() and target.is_default_port()
    return not credentials or (origin.host == target.host and (origin.port == target.port or upgraded))


def credentials_in(headers: Mapping[str, str]) -> list[str]:
    """Return every value that may be a secret: all headers except harmless ones, and the second part of `Bearer …`."""
    values = [value for name, value in headers.items() if name.lower() not in _HARMLESS]
    return values + [value.split(" ", 1)[1] for value in values if " " in value]


def without_content(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers without those that describe a body."""
    return {name: value for name, value in headers.items() if name.lower() != "content-type"}


def scrub_secrets(text: str, secrets: Iterable[str]) -> str:
    """Replace all occurrences of these secrets in a text."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "…")
    return text
