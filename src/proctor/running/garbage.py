"""The garbage collector while attempts are played."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 10_000
"""Objects between two looks; Python's own 700 are a handful of attempts."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have it look less often: what a run makes lives until it is stored or to the end, and holds no cycles.

    A threshold that somebody has set higher, or to nothing, stays.
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
