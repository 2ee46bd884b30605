"""Regular expressions that are compiled when they are first used: there are hundreds, and most runs need a few."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

_METHODS = ("search", "match", "fullmatch", "sub", "subn", "finditer", "findall", "split")


class LazyPattern:
    """Has the methods of a compiled pattern; the first one that is asked for makes it one."""

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """A method that is not set yet."""
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, later."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))


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
