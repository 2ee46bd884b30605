"""Remove passwords from addresses, and find secrets in a text by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

from proctor.redaction.names import says_secret

_USER = re.compile(r"(://)[^/?#\s\"'<>]*@")
_QUERY = re.compile(r"(://[^?\s]*)\?\S+")
_LOGIN = re.compile(r"://([^/?#\s:@]*):([^/?#\s]*)@")
_LOGIN_WITH_SLASH = re.compile(r"://[^/?#\s:@]*:(?!\d*/)([^?#\s@]*/[^?#\s@]*)@")
_USER_ALONE = re.compile(r"://([^/?#\s:@]{16,})@")
_ORACLE = re.compile(r"jdbc:oracle:\w+:[^/@\s]+/([^@\s]+)@")
_PAIR = re.compile(r"(?<![\w.-])([\w.-]{2,60})=('[^']*'|\"[^\"]*\"|[^\s;&,'\"]+)")
_ASKED = re.compile(r"([?&])([\w.\[\]-]{1,60})=([^&\s#\"'<>]+)")
_SCHEME = re.compile(r"(?i)^(?:bearer|basic|token|apikey|api-key|digest|negotiate)\s+")


def without_credentials(spec: str) -> str:
    """Return a spec without user, password and query of its address, which may be secrets."""
    return _QUERY.sub(r"\1?…", _USER.sub(r"\1…@", spec))


def without_logins(text: str) -> str:
    """Return a text without user names and passwords in its addresses, and without query values named like secrets."""
    if "://" not in text:
        return text
    return _ASKED.sub(_hidden, _USER.sub(r"\1…@", text))


def _hidden(match: re.Match[str]) -> str:
    mark, name, _ = match.groups()
    return f"{mark}{name}=…" if says_secret(name, keys=True) else match[0]


def logins_in(text: str) -> Iterator[str]:
    """Yield the passwords of the addresses in a text, as written."""
    for _, password in _LOGIN.findall(text):
        if password:
            yield password
    yield from _LOGIN_WITH_SLASH.findall(text)  # with a slash that should have been percent-encoded


def keys_before_hosts(text: str) -> Iterator[str]:
    """Yield users without a password in addresses that look like API keys."""
    return filter(looks_random, _USER_ALONE.findall(text))


def pairs_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of `name=value` pairs in a text, as in a connection string."""
    for name, value in _PAIR.findall(text):
        yield name, value.strip("'\"")


def asked_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of the query parameters in a text that are named like secrets."""
    for _, name, value in _ASKED.findall(text):
        if says_secret(name, keys=True):
            yield name, value


def secrets_within(text: str) -> Iterator[str]:
    """Yield secrets embedded in a text: in addresses, and in `password=…` in its variants."""
    if "://" in text:
        yield from (form for password in logins_in(text) for form in (password, unquote(password)))
        yield from keys_before_hosts(text)
    if "jdbc:oracle:" in text:
        yield from _ORACLE.findall(text)
    if "=" in text:
        for name, value in pairs_in(text):
            if says_secret(name, keys=True) or (name == "PWD" and not value.startswith(("/", "~"))):
                yield from forms_of_header(value)


def forms_of_header(value: str) -> Iterator[str]:
    """Yield a value as it is, URL-decoded, and without a leading `Bearer`."""
    for form in dict.fromkeys((value, unquote_plus(value), unquote(value))):
        yield form
        if (bare := bare_of(form)) != form:
            yield bare


def bare_of(value: str) -> str:
    """Return the value without a leading `Bearer`, `Basic` or the like."""
    return _SCHEME.sub("", value.strip())


def looks_random(text: str) -> bool:
    """Whether a text contains both letters and digits, as few words do."""
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))
