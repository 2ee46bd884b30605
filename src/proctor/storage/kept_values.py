"""File cache of computed values next to a store, for values faster to read than to compute."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from proctor.codec import decode, encode
from proctor.redaction import private

T = TypeVar("T")


class KeptValues:
    """A folder of values by key; errors of reading or writing count as a cache miss."""

    def __init__(self, folder: Path, *, form: int) -> None:
        """`form` is the format version: increase it whenever the values change, to invalidate earlier ones."""
        self._folder = folder
        self._form = form

    def read(self, key: Hashable, kind: type[T]) -> T | None:
        """Return a value, or None on a cache miss."""
        try:
            return decode(self._path(key).read_bytes(), kind)
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, key: Hashable, value: object) -> None:
        """Store a value atomically."""
        with suppress(OSError):  # an optimisation only: errors do not matter
            path = self._path(key)
            private.make_folder(path.parent)
            unfinished = path.with_suffix(f".{threading.get_ident()}")
            private.write(unfinished, encode(value).encode())
            unfinished.replace(path)

    def _path(self, key: Hashable) -> Path:
        return self._folder / f"{hashlib.sha256(repr((self._form, key)).encode()).hexdigest()[:32]}.json"
