"""Adjust the garbage collector while attempts are played."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 10_000
"""Allocation threshold between collections; Python's default of 700 is reached after a handful of attempts."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect garbage less often: the objects of a run live until stored or to the end, and form no cycles.

    A threshold that was set higher, or to 0, is kept.
    """
    young, *older = gc.get_threshold()
    raised = 0 < young < _SELDOM
    if raised:
        gc.set_threshold(_SELDOM, *older)
    try:
        yield
    finally:
        if raised:
            gc.set_threshold(young, *older)
