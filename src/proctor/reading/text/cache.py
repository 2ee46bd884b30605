"""Readers that remember: examiner, judge and contradiction finder look at the same short reply one after another."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
_KEPT = 256
_LONGEST = 2_000
"""Characters: what is longer is read again, so that memory stays small."""


def remembered(read: Callable[[str], T]) -> Callable[[str], T]:
    """The same reader, which hands out again what it made of the latest texts: nobody may change it."""
    kept = lru_cache(maxsize=_KEPT)(read)

    def reader(text: str) -> T:
        return kept(text) if len(text) <= _LONGEST else read(text)

    return reader
