"""Regular expressions compiled on first use: there are hundreds, and most runs need few."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

_METHODS = ("search", "match", "fullmatch", "sub", "subn", "finditer", "findall", "split")


class LazyPattern:
    """A pattern compiled on first use, with the methods of `re.Pattern`."""

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern and cache its methods, on first access to any of them."""
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern like `re.compile`, compiled on first use."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))


T = TypeVar("T")
_KEPT = 256
_LONGEST = 2_000
"""Maximum number of characters of a cached text, to limit memory."""


def remembered(read: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the results of a reader for the latest texts; the results must not be modified."""
    kept = lru_cache(maxsize=_KEPT)(read)

    def reader(text: str) -> T:
        return kept(text) if len(text) <= _LONGEST else read(text)

    return reader
