"""Parse the path or URL of a store, and show it without secrets."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from proctor.errors import StoreError
from proctor.redaction import keep_value_secret

_POSTGRES = {"postgresql", "postgres", "postgresql+psycopg"}
_EXPECTED = "expected a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE"


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Location of a store."""

    url: URL
    """URL for SQLAlchemy. Contains the password: never print it."""
    path: Path | None
    """SQLite's file, or None for PostgreSQL."""

    @property
    def is_frozen(self) -> bool:
        """Whether it is a file that can be read but not written: its folder or the file itself is read-only.

        SQLite creates additional files next to it, even for readers.
        """
        path = self.path
        return path is not None and path.is_file() and not all(os.access(each, os.W_OK) for each in (path, path.parent))

    @property
    def shown(self) -> str:
        """For messages: the file, or the URL without password and options."""
        if self.path is not None:
            return str(self.path)
        url = self.url
        return URL.create(
            "postgresql", username=url.username, host=url.host, port=url.port, database=url.database
        ).render_as_string()

    def scrub(self, text: str) -> str:
        """Redact the secrets of this address from a text."""
        for secret in _secrets(self.url):
            text = text.replace(secret, "***")
        return text


def parse(where: str | Path) -> Address:
    """Parse the path or URL of a store as given by a user."""
    text = str(where)
    if isinstance(where, Path) or "://" not in text:
        return _file(text)
    scheme = text.partition("://")[0].lower()
    if scheme == "sqlite":
        return _sqlite(text)
    if scheme in _POSTGRES:
        return _postgres(text)
    raise StoreError(f"stores of the kind {scheme!r} are not supported; {_EXPECTED}")


def _file(text: str) -> Address:
    if not text or text == ":memory:":
        raise StoreError(f"store={text!r} names no file; {_EXPECTED}")
    path = Path(text).expanduser().absolute()  # stays valid if the working directory changes
    return Address(url=URL.create("sqlite", database=str(path)), path=path)


def _sqlite(text: str) -> Address:
    url = _url(text)
    if url.host or url.query:
        raise StoreError(
            "an SQLite store is named by its path alone: sqlite:///PATH (four slashes for /an/absolute/PATH)"
        )
    return _file(url.database or "")


def _postgres(text: str) -> Address:
    url = _url(text).set(drivername="postgresql+psycopg")
    for secret in _secrets(url):
        keep_value_secret(secret, "STORE_PASSWORD")
    return Address(url=url, path=None)


def _secrets(url: URL) -> list[str]:
    options = [value for name, value in url.query.items() if "pass" in name.lower()]
    return [secret for secret in (url.password, *options) if isinstance(secret, str) and secret]


def _url(text: str) -> URL:
    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        # the text may contain a password, and so may the cause: neither is shown
        raise StoreError(f"the address of the store cannot be read as a URL; {_EXPECTED}") from None
