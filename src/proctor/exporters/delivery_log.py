"""Log of what was sent, so that only missing or changed items are sent again: one small file per destination.

It is optional: ids are deterministic, so without it everything is simply sent again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor.codec import encode
from proctor.redaction import private


def digest(*values: object) -> str:
    """Return a digest of these values."""
    return hashlib.sha256("\0".join(map(encode, values)).encode()).hexdigest()[:24]


class DeliveryMemory:
    """Item → digest of its last sent content, and facts about the destination. Appended to the file at once."""

    def __init__(self, path: Path | None) -> None:
        """With None as path, nothing is saved to disk."""
        self._path = path
        self._sent: dict[str, str] = {}
        self._facts: dict[str, Any] = {}
        self.trouble = ""
        """Why the file cannot be written; empty if it can."""
        for line in _lines(path):
            self._sent |= line.get("sent") or {}
            self._facts |= line.get("facts") or {}

    def knows(self, item: str, content: str) -> bool:
        """Whether exactly this content was sent."""
        return self._sent.get(item) == content

    def fact(self, name: str) -> Any:
        """Return the fact stored under this name, or None."""
        return self._facts.get(name)

    def note(self, sent: Mapping[str, str] | None = None, **facts: Any) -> None:
        """Record sent items and facts."""
        self._sent |= sent or {}
        self._facts |= facts
        if self._path is None or not (sent or facts):
            return
        try:
            private.make_folder(self._path.parent)
            with open(self._path, "ab", opener=private.private_opener) as stream:
                stream.write(msgspec.json.encode({"sent": sent or {}, "facts": facts}) + b"\n")
        except OSError as error:
            self.trouble = f"cannot remember in {self._path} what was sent: {error.strerror}"

    def forget(self) -> None:
        """Forget sent items, so that everything is sent again; facts are kept."""
        self._sent = {}


def _lines(path: Path | None) -> list[dict[str, Any]]:
    """Read all lines; those truncated by a crash are skipped."""
    if path is None:
        return []
    try:
        written = path.read_bytes().splitlines()
    except OSError:
        return []
    found = []
    for line in written:
        try:
            found.append(msgspec.json.decode(line, type=dict[str, Any]))
        except msgspec.DecodeError:
            continue
    return found
