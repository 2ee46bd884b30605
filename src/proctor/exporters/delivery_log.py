"""What was sent where, so that only what is missing or changed is sent again: a small file for each destination.

Nothing hangs on it: ids are deterministic, so without it everything is simply sent once more.
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
    """What some content comes to."""
    return hashlib.sha256("\0".join(map(encode, values)).encode()).hexdigest()[:24]


class DeliveryMemory:
    """Item → digest of what was last sent of it, and facts that the destination told. Written as it is learnt."""

    def __init__(self, path: Path | None) -> None:
        """None: remember nothing beyond this process."""
        self._path = path
        self._sent: dict[str, str] = {}
        self._facts: dict[str, Any] = {}
        self.trouble = ""
        """Why it cannot be written; empty: it can."""
        for line in _lines(path):
            self._sent |= line.get("sent") or {}
            self._facts |= line.get("facts") or {}

    def knows(self, item: str, content: str) -> bool:
        """Whether this very content was sent."""
        return self._sent.get(item) == content

    def fact(self, name: str) -> Any:
        """What was noted under this name; None: nothing."""
        return self._facts.get(name)

    def note(self, sent: Mapping[str, str] | None = None, **facts: Any) -> None:
        """From now on, this is known."""
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
        """Send everything again; facts stay."""
        self._sent = {}


def _lines(path: Path | None) -> list[dict[str, Any]]:
    """What is written; a line that was cut off by a crash is left out."""
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
