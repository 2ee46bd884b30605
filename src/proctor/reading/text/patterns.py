"""Search user-defined patterns with a time limit, and report those that exceed it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from proctor.settings import compile_pattern, why_no_pattern

Span = tuple[int, int]
SECONDS = 1.0
"""Time limit of one search, in seconds."""
TOGETHER = 2.0
"""Time limit of all searches in one reply, in seconds."""
_LEFT: ContextVar[list[float] | None] = ContextVar("proctor_pattern_seconds", default=None)


class Unsearchable(Exception):
    """Raised for an invalid pattern, or one that takes too long on this text."""


@contextmanager
def sharing_time() -> Iterator[None]:
    """Apply one common time limit to all searches in this context, however many patterns there are."""
    token = _LEFT.set([TOGETHER])
    try:
        yield
    finally:
        _LEFT.reset(token)


def search(pattern: str, text: str) -> Span | None:
    """Return the first match of the pattern, ignoring case, or None; raise Unsearchable."""
    found = _apply_in_time(
        pattern, lambda made, seconds: made.search(text, timeout=seconds, concurrent=True), folded=True
    )
    return found.span() if found else None


def matches_all(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text; raise Unsearchable."""
    made = _apply_in_time(
        pattern, lambda made, seconds: made.fullmatch(text, timeout=seconds, concurrent=True), folded=False
    )
    return made is not None


def _apply_in_time(pattern: str, look: Callable[[Any, float], Any], *, folded: bool) -> Any:
    if (wrong := why_no_pattern(pattern)) is not None:
        raise Unsearchable(f"it is not a regular expression ({wrong})")
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
