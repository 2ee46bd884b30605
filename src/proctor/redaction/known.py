"""The registry of known secrets, which removes them from texts.

A secret stays known even if an agent removes it from the environment.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, TextIO
from urllib.parse import quote, quote_plus

from proctor.redaction.addresses import forms_of_header, looks_random, secrets_within, without_logins
from proctor.redaction.names import NO_SECRETS, says_secret
from proctor.redaction.shapes import secrets_in

SHORTEST = 8
"""Minimum length of a secret in characters: shorter ones are part of too many words."""
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_LINE = 32
"""Minimum length in characters of a line of a private key that counts as a secret by itself."""
_PARTS = re.compile(r"[/:]")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_SEVERAL = ("KEYS", "TOKENS", "PASSWORDS")
_BETWEEN = re.compile(r"[\s,;|]+")
_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS")


class Secrets:
    """A registry of secrets, in every form in which they may occur."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._forms: tuple[tuple[str, str], ...] = ()
        self._texts: tuple[str, ...] = ()
        self._marked: set[str] = set()
        self._environment: dict[str, str] = {}
        self._count = -1

    def look(self) -> None:
        """Register the secrets in the current environment."""
        self._count = len(os.environ)
        for name in list(os.environ):
            value = os.environ.get(name)
            if value is not None and self._environment.get(name) != value:
                self._environment[name] = value
                for secret in _secrets_of(name, value, marked=name in self._marked):
                    self.add(secret, name)

    def mark(self, name: str) -> None:
        """Register the value of this variable as a secret, whatever its name looks like."""
        self._marked.add(name)
        self._environment.pop(name, None)
        self.look()

    def add(self, value: str, name: str) -> None:
        """Register a secret with the name that replaces it."""
        if len(value) < SHORTEST or value.lower() in NO_SECRETS:
            return
        for form in _forms(value):
            self._names[form] = name
        self._forms = tuple(sorted(self._names.items(), key=lambda form: len(form[0]), reverse=True))
        self._texts = tuple(text for text, _ in self._forms)

    def are_in(self, text: str) -> bool:
        """Whether a text contains any of the secrets."""
        return any(map(text.__contains__, self._texts))

    def are_known(self) -> bool:
        """Whether any secrets are known; rereads the environment if the number of variables changed."""
        if len(os.environ) != self._count:
            self.look()
        return bool(self._texts)

    def scrub(self, text: str) -> str:
        """Replace each secret in a text by its name, longest first, since one may contain another."""
        if self.are_in(text):
            for form, name in self._forms:
                text = text.replace(form, f"${name}")
        return text

    def names_in(self, text: str) -> list[str]:
        """Return the names of the secrets in a text."""
        return [name for form, name in self._forms if form in text]

    def straddling(self, text: str, place: int) -> Iterator[tuple[int, int]]:
        """Yield start and end of the secrets that a cut at this position would split."""
        for form in self._texts:
            start = text.find(form, max(0, place - len(form) + 1), place + len(form) - 1)
            if start >= 0:
                yield start, start + len(form)


_known = Secrets()


def remember_secrets() -> None:
    """Register every secret in the environment: call it at the start, before anything can change it."""
    _known.look()


def keep_secret(name: str) -> None:
    """Register the value of this variable as a secret from now on, whatever its name looks like."""
    _known.mark(name)


def keep_value_secret(value: str, name: str) -> None:
    """Register a value as a secret from now on, to be replaced by `name`."""
    _known.add(value, name)


def known() -> Secrets:
    """Return the registry of this process."""
    return _known


def without_secrets(text: str) -> str:
    """Return a message without known secrets, and without logins in addresses.

    Scrub first and truncate afterwards, or truncate with `beginning` and `ending`: half a secret is not found.
    """
    return without_logins(without_known(text))


def without_known(text: str) -> str:
    """Return a text with known secrets replaced by their names, and nothing else changed."""
    _known.look()
    return _known.scrub(text)


def beginning(text: str, length: int) -> str:
    """Return at most `length` characters from the beginning without splitting a secret, to be scrubbed afterwards.

    Scrubbing megabytes would block everything else.
    """
    if len(text) <= length:
        return text
    _known.look()
    place = length
    while starts := [start for start, _ in _known.straddling(text, place)]:
        place = min(starts)
    return text[:place]


def ending(text: str, length: int) -> str:
    """Return at most `length` characters from the end without splitting a secret."""
    _known.look()
    place = max(0, len(text) - length)
    while ends := [end for _, end in _known.straddling(text, place)]:
        place = max(ends)
    return text[place:]


def _secrets_of(name: str, value: str, *, marked: bool) -> Iterator[str]:
    if marked or (_is_named_so(name) and not _is_path(value)):
        yield from forms_of_header(value)
        yield from _pieces(value)
    elif name.upper().endswith(_SEVERAL):
        yield from _pieces(value)
    yield from _members(value)
    yield from _private_keys(value)
    yield from secrets_within(value)
    yield from _shaped_in(value)


def _is_named_so(name: str) -> bool:
    return says_secret(name, keys=True) or name.upper().endswith(_ENDINGS)


def _is_path(value: str) -> bool:
    """Whether a value is the path of an existing file or socket rather than a secret."""
    return value.startswith(("/", "./", "../", "~/")) and os.path.exists(os.path.expanduser(value))


def _members(value: str) -> Iterator[str]:
    """Yield the secrets in a JSON value, such as a service account, whatever its variable is called."""
    if value.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            yield from _named_in(json.loads(value))


def _named_in(read: Any) -> Iterator[str]:
    if isinstance(read, dict):
        yield from (inner for key, inner in read.items() if isinstance(inner, str) and says_secret(key))
    if isinstance(read, (dict, list)):
        for inner in read.values() if isinstance(read, dict) else read:
            yield from _named_in(inner)


def _private_keys(value: str) -> Iterator[str]:
    """Yield the private keys in a value, with raw and with unescaped line breaks, and line by line."""
    for key in _PRIVATE_KEY.findall(value):
        mended = key.replace("\\n", "\n")
        yield from (key, mended)
        yield from (line for line in mended.splitlines()[1:-1] if len(line) >= _LINE)


def _pieces(value: str) -> Iterator[str]:
    """Yield the parts of a composite secret: lines, a list, `user:password`, the pairs of a cookie."""
    for piece in _BETWEEN.split(value):
        parts = (piece, piece.partition("=")[2], piece.partition(":")[2])
        yield from (part for part in parts if looks_random(part))


def _shaped_in(value: str) -> Iterator[str]:
    """Yield values in the key format of a known service, whatever their variable is called."""
    for start, end in secrets_in(value):
        shaped = value[start:end]
        yield from forms_of_header(shaped)  # a part of a webhook address may occur alone in a log
        yield from (part for part in _PARTS.split(shaped) if len(part) >= 2 * SHORTEST and looks_random(part))


def _forms(value: str) -> set[str]:
    """Return the forms in which a value may be written: raw, stripped, and encoded."""
    forms = {value, value.strip()} | _in_addresses(value) | _in_programs(value) | _in_pages(value) | _in_base64(value)
    return {form for form in forms | _in_hex(value) if len(form) >= SHORTEST}


def _in_addresses(value: str) -> set[str]:
    """URL-encoded, also twice (an address in the query of another); some programs write the escapes in lower case."""
    once = {quote(value, safe=""), quote(value), quote_plus(value)}
    quoted = once | {quote(form, safe="") for form in once}
    return quoted | {_ESCAPE.sub(lambda escape: escape[0].lower(), form) for form in quoted}


def _in_programs(value: str) -> set[str]:
    """As a Python literal (text, ASCII, bytes) and as a JSON string, also nested in another JSON string."""
    once = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    data = value.encode("utf-8", "surrogateescape")
    return once | {json.dumps(form)[1:-1] for form in once} | {repr(value)[1:-1], ascii(value)[1:-1], repr(data)[2:-1]}


def _in_pages(value: str) -> set[str]:
    """Escaped for HTML and XML, which have several escapes for an apostrophe."""
    page = html.escape(value)
    return {page, html.escape(value, quote=False), *(page.replace("&#x27;", mark) for mark in ("&#39;", "&apos;"))}


def _in_hex(value: str) -> set[str]:
    """As hexadecimal digits."""
    digits = value.encode("utf-8", "surrogateescape").hex()
    return {digits, digits.upper()}


def _in_base64(value: str) -> set[str]:
    """The part of its Base64 that does not depend on the neighbouring bytes, as in `user:password`."""
    data = value.encode("utf-8", "surrogateescape")
    forms = set()
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode()
        core = text[(before * 8 + 5) // 6 : (before + len(data)) * 8 // 6]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms


class ScrubbedStream:
    """A stream wrapper that writes no secrets and does not close the stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text without secrets; return its full length."""
        self._stream.write(without_known(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts without secrets."""
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Flush the stream, but keep it open."""
        self._stream.flush()
