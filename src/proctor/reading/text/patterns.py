"""Users' patterns, searched in a bounded time: one that could take for ever is given up, and said to be."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from proctor.settings import compile_pattern, why_no_pattern

Span = tuple[int, int]
SECONDS = 1.0
"""Of processor time that one search may take."""
TOGETHER = 2.0
"""Seconds that all searches in one reply may take."""
_LEFT: ContextVar[list[float] | None] = ContextVar("proctor_pattern_seconds", default=None)


class Unsearchable(Exception):
    """A pattern that is none, or that takes too long on this text."""


@contextmanager
def sharing_time() -> Iterator[None]:
    """Searches from here to the end share their time: a hundred slow patterns cost as much as two."""
    token = _LEFT.set([TOGETHER])
    try:
        yield
    finally:
        _LEFT.reset(token)


def search(pattern: str, text: str) -> Span | None:
    """Where the pattern first matches the text, whatever the case; raises Unsearchable."""
    found = _apply_in_time(
        pattern, lambda made, seconds: made.search(text, timeout=seconds, concurrent=True), folded=True
    )
    return found.span() if found else None


def matches_all(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text; raises Unsearchable."""
    made = _apply_in_time(
        pattern, lambda made, seconds: made.fullmatch(text, timeout=seconds, concurrent=True), folded=False
    )
    return made is not None


def _apply_in_time(pattern: str, look: Callable[[Any, float], Any], *, folded: bool) -> Any:
    if (wrong := why_no_pattern(pattern)) is not None:
        raise Unsearchable(f"it is no regular expression ({wrong})")
    left = _LEFT.get() or [SECONDS]
    if left[0] <= 0:
        raise Unsearchable(f"the patterns before it took {TOGETHER:g} s on this reply; simplify them")
    most, began = min(SECONDS, left[0]), time.monotonic()
    try:
        return look(compile_pattern(pattern, folded=folded), most)
    except TimeoutError as error:
        raise Unsearchable(f"the pattern takes more than {most:.2g} s on this reply; simplify it") from error
    except (MemoryError, RecursionError) as error:
        raise Unsearchable("the pattern needs more memory than there is on this reply; simplify it") from error
    finally:
        left[0] -= time.monotonic() - began
