"""Secrets out of whatever leaves us."""

from __future__ import annotations

import os
import re

_SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS")
_SHORTEST_SECRET = 8
_USER = re.compile(r"(://)[^/?#\s]*@")
_QUERY = re.compile(r"(://[^?\s]*)\?\S+")
_kept_secret: set[str] = set()


def keep_secret(name: str) -> None:
    """From now on, the value of this variable is a secret, whatever its name looks like."""
    _kept_secret.add(name)


def without_secrets(text: str) -> str:
    """The text with every secret that the environment holds replaced by its name.

    Scrub first and cut afterwards: half a secret is not found.
    """
    secrets = [(value, name) for name, value in os.environ.items() if _is_secret(name, value)]
    for value, name in sorted(secrets, key=lambda secret: len(secret[0]), reverse=True):  # one may hold another
        text = text.replace(value, f"${name}")
    return text


def without_credentials(spec: str) -> str:
    """A spec with the user, the password and the query of an address in it left out: they may be secrets."""
    return _QUERY.sub(r"\1?…", _USER.sub(r"\1…@", spec))


def _is_secret(name: str, value: str) -> bool:
    return len(value) >= _SHORTEST_SECRET and (name in _kept_secret or name.upper().endswith(_SECRET_ENDINGS))
