"""Values that are kept in files of their own beside a store, because they are quicker read than found again."""

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
    """A folder of them, each under its key; what cannot be read or written counts as not kept."""

    def __init__(self, folder: Path, *, form: int) -> None:
        """`form` is one higher whenever what is kept changes, so that what was kept before is not read."""
        self._folder = folder
        self._form = form

    def read(self, key: Hashable, kind: type[T]) -> T | None:
        """None: it is not kept."""
        try:
            return decode(self._path(key).read_bytes(), kind)
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, key: Hashable, value: object) -> None:
        """Keep it, whole or not at all."""
        with suppress(OSError):  # it is only quicker with it
            path = self._path(key)
            private.make_folder(path.parent)
            unfinished = path.with_suffix(f".{threading.get_ident()}")
            private.write(unfinished, encode(value).encode())
            unfinished.replace(path)

    def _path(self, key: Hashable) -> Path:
        return self._folder / f"{hashlib.sha256(repr((self._form, key)).encode()).hexdigest()[:32]}.json"
