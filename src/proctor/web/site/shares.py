"""Share links that open one run read-only without a login: signed, expiring, revocable.

A link is valid if its signature is correct, it has not expired, and its file exists. Revoking deletes the file. Files
and key are in the server's folder, so a copy of the store gives no access.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from proctor.errors import UsageError
from proctor.redaction import private
from proctor.web.site.sessions import same_text, stored_key
from proctor.web.site.settings import WebSettings

LONGEST = 90
"""Maximum lifetime of a link in days."""
USUAL = 7
MOST = 100
"""Maximum number of links to one run at a time."""
_DAY = 86400
_TOKEN = re.compile(r"(?P<id>[\w-]{16})\.(?P<signature>[0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareLink:
    """A share link."""

    id: str
    """Public id, used to revoke the link."""
    run: str
    made: int
    expires: int
    """Expiry time in seconds since the epoch."""


class ShareLinks:
    """Creates and verifies share links."""

    def __init__(self, settings: WebSettings) -> None:
        name = hashlib.sha256(settings.store.encode()).hexdigest()[:12]
        self._folder = settings.folder / "web" / f"shares-{name}"
        self._key_file = settings.folder / "web" / "share.key"
        self._locked = settings.token is not None

    def make(self, run: str, *, days: int = USUAL) -> ShareLink:
        """Create a link to a run; raise UsageError if links are of no use here or `days` is too long."""
        if not self._locked:
            raise UsageError(
                "this server asks nobody for a token, so everybody who reaches it can open every run; "
                "start it with a token to share one run alone"
            )
        if not 1 <= days <= LONGEST:
            raise UsageError(f"days={days} is not usable; a link is good for 1 to {LONGEST} days")
        if len(self.of(run)) >= MOST:
            raise UsageError(f"there are {MOST} links to run {run} already; revoke some that are not needed")
        now = int(time.time())
        share = ShareLink(id=secrets.token_urlsafe(12), run=run, made=now, expires=now + days * _DAY)
        private.make_folder(self._folder)
        record = {"run": share.run, "made": share.made, "expires": share.expires}
        private.write(self._file(share.id), json.dumps(record).encode())
        return share

    def of(self, run: str) -> list[ShareLink]:
        """Return the valid links to a run, the newest first; delete expired ones."""
        good = []
        for path in self._folder.glob("*.json"):
            share = self._read(path.stem)
            if share is None or share.expires <= time.time():
                path.unlink(missing_ok=True)
            elif share.run == run:
                good.append(share)
        return sorted(good, key=lambda share: (share.made, share.id), reverse=True)

    def revoke(self, run: str, share: str) -> bool:
        """Revoke a link; return whether it existed."""
        found = next((each for each in self.of(run) if each.id == share), None)
        if found is not None:
            self._file(found.id).unlink(missing_ok=True)
        return found is not None

    def token(self, share: ShareLink) -> str:
        """Return the link's secret token."""
        return f"{share.id}.{self._sign(share)}"

    def read(self, token: str) -> ShareLink | None:
        """Return the link of this token, or None if it is invalid, expired or revoked."""
        found = _TOKEN.fullmatch(token)
        share = self._read(found["id"]) if found else None
        if found is None or share is None or not same_text(found["signature"], self._sign(share)):
            return None
        return share if share.expires > time.time() else None

    def _read(self, identity: str) -> ShareLink | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads(self._file(identity).read_text(encoding="utf-8"))
            return ShareLink(
                id=identity, run=str(record["run"]), made=int(record["made"]), expires=int(record["expires"])
            )
        return None

    def _sign(self, share: ShareLink) -> str:
        payload = f"share:{share.id}.{share.run}.{share.expires}"
        return hmac.new(stored_key(self._key_file), payload.encode(), "sha256").hexdigest()

    def _file(self, identity: str) -> Path:
        return self._folder / f"{identity}.json"
