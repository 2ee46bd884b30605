"""Sessions: signed cookies, the login token, and form tokens."""

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
"""Session lifetime in seconds, after which a new login is required."""
_KEY_BYTES = 32
_NONCE_BYTES = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A browser session."""

    id: str
    """Random id, new with every login."""
    since: int
    """Start time in seconds since the epoch."""
    known: bool
    """Whether the user has logged in with the token."""


class Sessions:
    """Creates and verifies sessions; only the signing key is stored, and survives a restart.

    Everybody logs in with the same token, so logging out changes the key and logs out every browser.
    """

    def __init__(self, folder: Path, token: str | None) -> None:
        self._path = folder / "session.key"
        self._token = token
        self._key = self._derive_key(stored_key(self._path))

    @property
    def cookie(self) -> str:
        """Name of the cookie, unique per server: servers on one host share cookies and must not read each other's."""
        return f"proctor_{hashlib.sha256(b'name' + self._key).hexdigest()[:12]}"

    def begin(self, *, known: bool = False) -> Session:
        """Create a session."""
        return Session(id=secrets.token_urlsafe(18), since=int(time.time()), known=known)

    def seal(self, session: Session) -> str:
        """Encode a session as a signed cookie value."""
        payload = f"{session.id}.{session.since}.{int(session.known)}"
        return f"{payload}.{self._sign('session', payload)}"

    def read(self, value: str) -> Session | None:
        """Decode a session cookie, or return None if it is invalid or expired."""
        payload, _, signature = value.rpartition(".")
        if not same_text(signature, self._sign("session", payload)):
            return None
        identity, since, known = payload.split(".")
        session = Session(id=identity, since=int(since), known=known == "1")
        return session if time.time() - session.since < LIFETIME else None

    def form_token(self, session: Session) -> str:
        """Return a CSRF token for the forms of this session.

        It is different each time: pages are compressed, and a constant secret could be inferred from their length.
        """
        nonce = secrets.token_hex(_NONCE_BYTES)
        return nonce + self._sign("form", f"{session.id}.{nonce}")

    def vouches(self, session: Session, form_token: str) -> bool:
        """Whether a form token is valid for the session."""
        nonce, signature = form_token[: 2 * _NONCE_BYTES], form_token[2 * _NONCE_BYTES :]
        return same_text(signature, self._sign("form", f"{session.id}.{nonce}"))

    def opens(self, token: str) -> bool:
        """Whether this is the login token."""
        return self._token is not None and same_text(token, self._token)

    def forget_all(self) -> None:
        """Log out every browser."""
        self._path.unlink(missing_ok=True)
        self._key = self._derive_key(stored_key(self._path))

    def _derive_key(self, key: bytes) -> bytes:
        """Derive the signing key from the stored key and the token, so that a new token logs everybody out."""
        return hmac.digest(key, f"sessions for {self._token}".encode(), "sha256")

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}:{text}".encode(), "sha256").hexdigest()


def same_text(a: str, b: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode("utf-8", "replace"))


def stored_key(path: Path) -> bytes:
    """Read the key, creating it privately on first use; if two servers create one, the first one's wins."""
    private.make_folder(path.parent)
    if path.exists() and path.stat().st_size < _KEY_BYTES:  # empty after a full disk: such a key could be guessed
        path.unlink()
    if not path.exists():
        handle, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        with suppress(FileExistsError):
            os.link(unfinished, path)
        os.unlink(unfinished)
    return path.read_bytes()
