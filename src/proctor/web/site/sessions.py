"""Who a browser is: signed cookies, the token that logs in, and the tokens that forms carry."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from proctor.redaction import private

LIFETIME = 14 * 86400
"""Seconds after which a browser logs in again."""
_KEY_BYTES = 32
_NONCE_BYTES = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One browser's visit."""

    id: str
    """Random; a new one with every login."""
    since: int
    """Seconds since the epoch."""
    known: bool
    """Whether it has logged in with the token."""


class Sessions:
    """Gives out sessions and reads them back; nothing is kept but the key, which outlives a restart.

    Everybody logs in with the same token, so logging out changes the key: every browser is logged out.
    """

    def __init__(self, folder: Path, token: str | None) -> None:
        self._path = folder / "session.key"
        self._token = token
        self._key = self._derive_key(stored_key(self._path))

    @property
    def cookie(self) -> str:
        """The cookie's name: two servers on one machine share their cookies, and must not read each other's."""
        return f"proctor_{hashlib.sha256(b'name' + self._key).hexdigest()[:12]}"

    def begin(self, *, known: bool = False) -> Session:
        """A new session."""
        return Session(id=secrets.token_urlsafe(18), since=int(time.time()), known=known)

    def seal(self, session: Session) -> str:
        """A session as a cookie's value."""
        said = f"{session.id}.{session.since}.{int(session.known)}"
        return f"{said}.{self._sign('session', said)}"

    def read(self, value: str) -> Session | None:
        """The session in a cookie; None: it is not ours, or too old."""
        said, _, signature = value.rpartition(".")
        if not same_text(signature, self._sign("session", said)):
            return None
        identity, since, known = said.split(".")
        session = Session(id=identity, since=int(since), known=known == "1")
        return session if time.time() - session.since < LIFETIME else None

    def form_token(self, session: Session) -> str:
        """What a form of this session carries, so that no other site can send it.

        Another one each time: pages are compressed, and their length must not tell of what stays the same in them.
        """
        nonce = secrets.token_hex(_NONCE_BYTES)
        return nonce + self._sign("form", f"{session.id}.{nonce}")

    def vouches(self, session: Session, form_token: str) -> bool:
        """Whether a form was ours."""
        nonce, signature = form_token[: 2 * _NONCE_BYTES], form_token[2 * _NONCE_BYTES :]
        return same_text(signature, self._sign("form", f"{session.id}.{nonce}"))

    def opens(self, token: str) -> bool:
        """Whether this is the token."""
        return self._token is not None and same_text(token, self._token)

    def forget_all(self) -> None:
        """Log every browser out."""
        self._path.unlink(missing_ok=True)
        self._key = self._derive_key(stored_key(self._path))

    def _derive_key(self, key: bytes) -> bytes:
        """A new token logs everybody out too."""
        return hmac.digest(key, f"sessions for {self._token}".encode(), "sha256")

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}:{text}".encode(), "sha256").hexdigest()


def same_text(a: str, b: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing of where they differ."""
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode("utf-8", "replace"))


def stored_key(path: Path) -> bytes:
    """The key, made on first use and readable by nobody else; of two servers that make one, the first one's stays."""
    private.make_folder(path.parent)
    if path.exists() and path.stat().st_size < _KEY_BYTES:  # a disk was full: an empty key can be guessed
        path.unlink()
    if not path.exists():
        handle, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(unfinished, path)
        os.unlink(unfinished)
    return path.read_bytes()
