"""The secrets that are known, and texts without them.

What was known once stays known, also when an agent takes it out of the environment again.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote, quote_plus

from proctor.redaction.addresses import forms_of_header, secrets_within, without_logins
from proctor.redaction.names import says_secret

SHORTEST = 8
"""Characters; a shorter secret is part of too many other words."""
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS")
NO_SECRETS = frozenset(
    {"password", "postgres", "changeme", "localhost", "required", "disabled", "username", "mypassword", "database",
     "undefined", "development", "production"}
)  # fmt: skip
"""What many set where nothing is to be protected; to scrub such words would spoil replies."""


class Secrets:
    """Values that must not be told, in every form in which they may turn up."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._forms: tuple[tuple[str, str], ...] = ()
        self._texts: tuple[str, ...] = ()
        self._marked: set[str] = set()
        self._environment: dict[str, str] = {}
        self._count = -1

    def look(self) -> None:
        """Remember what the environment holds now."""
        self._count = len(os.environ)
        for name in list(os.environ):
            value = os.environ.get(name)
            if value is not None and self._environment.get(name) != value:
                self._environment[name] = value
                for secret in _secrets_of(name, value, marked=name in self._marked):
                    self.add(secret, name)

    def mark(self, name: str) -> None:
        """The value of this variable is a secret, whatever its name looks like."""
        self._marked.add(name)
        self._environment.pop(name, None)
        self.look()

    def add(self, value: str, name: str) -> None:
        """A secret from wherever, and what is told in its place."""
        if len(value) < SHORTEST or value.lower() in NO_SECRETS:
            return
        for form in _forms(value):
            self._names[form] = name
        self._forms = tuple(sorted(self._names.items(), key=lambda form: len(form[0]), reverse=True))
        self._texts = tuple(text for text, _ in self._forms)

    def are_in(self, text: str) -> bool:
        """Whether any of them is."""
        return any(map(text.__contains__, self._texts))

    def are_known(self) -> bool:
        """Whether there are any; looks again where variables have come or gone."""
        if len(os.environ) != self._count:
            self.look()
        return bool(self._texts)

    def scrub(self, text: str) -> str:
        """The text with each of them replaced by its name, the longest first: one may hold another."""
        if self.are_in(text):
            for form, name in self._forms:
                text = text.replace(form, f"${name}")
        return text

    def names_in(self, text: str) -> list[str]:
        """The names of those that are in a text."""
        return [name for form, name in self._forms if form in text]

    def straddling(self, text: str, place: int) -> Iterator[tuple[int, int]]:
        """Where secrets start and end that a cut at this place would halve."""
        for form in self._texts:
            start = text.find(form, max(0, place - len(form) + 1), place + len(form) - 1)
            if start >= 0:
                yield start, start + len(form)


_known = Secrets()


def remember_secrets() -> None:
    """Remember every secret that the environment holds now: at the start, before anybody can change it."""
    _known.look()


def keep_secret(name: str) -> None:
    """From now on, the value of this variable is a secret, whatever its name looks like."""
    _known.mark(name)


def keep_value_secret(value: str, name: str) -> None:
    """From now on, this value is a secret, which `name` is told for."""
    _known.add(value, name)


def known() -> Secrets:
    """All that are known in this process."""
    return _known


def without_secrets(text: str) -> str:
    """What went wrong, or is said of something, without any secret that is known, and without logins in addresses.

    Scrub first and cut afterwards, or cut with `beginning` and `ending`: half a secret is not found.
    """
    return without_logins(without_known(text))


def without_known(text: str) -> str:
    """A text with every secret that is known replaced by its name, and nothing else changed."""
    _known.look()
    return _known.scrub(text)


def beginning(text: str, length: int) -> str:
    """At most so many characters from the beginning, to be scrubbed afterwards: no secret is cut in half.

    To scrub megabytes would hold up everybody else.
    """
    if len(text) <= length:
        return text
    _known.look()
    place = length
    while starts := [start for start, _ in _known.straddling(text, place)]:
        place = min(starts)
    return text[:place]


def ending(text: str, length: int) -> str:
    """The same from the end."""
    _known.look()
    place = max(0, len(text) - length)
    while ends := [end for _, end in _known.straddling(text, place)]:
        place = max(ends)
    return text[place:]


def _secrets_of(name: str, value: str, *, marked: bool) -> Iterator[str]:
    if marked or (_is_named_so(name) and not _is_path(value)):
        yield from forms_of_header(value)
    yield from _members(value)
    yield from _private_keys(value)
    yield from secrets_within(value)


def _is_named_so(name: str) -> bool:
    return says_secret(name, keys=True) or name.upper().endswith(_ENDINGS)


def _is_path(value: str) -> bool:
    """Whether it tells where a secret, or a socket, is kept."""
    return value.startswith(("/", "./", "../", "~/")) and os.path.exists(os.path.expanduser(value))


def _members(value: str) -> Iterator[str]:
    """The secrets in a value that is JSON, such as a service account's, whatever its variable is called."""
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
    """The keys in a value, with line ends as they are and as whoever reads them mends them."""
    for key in _PRIVATE_KEY.findall(value):
        yield key
        yield key.replace("\\n", "\n")


def _forms(value: str) -> set[str]:
    """The value as it is, stripped, in an address, in JSON, in Python, and in Base64 wherever it starts there."""
    plain = {value, value.strip()}
    written = {quote(value, safe=""), quote(value), quote_plus(value), repr(value)[1:-1]}
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    forms = plain | written | escaped | _in_base64(value)
    return {form for form in forms if len(form) >= SHORTEST}


def _in_base64(value: str) -> set[str]:
    """What of its Base64 does not depend on what stands before and after it, as in `user:password`."""
    data = value.encode("utf-8", "surrogateescape")
    forms = set()
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode()
        core = text[(before * 8 + 5) // 6 : (before + len(data)) * 8 // 6]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms
