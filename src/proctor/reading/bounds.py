"""On which side of a value an answer stands: before or after a date, under or over an amount, or at it."""

from __future__ import annotations

from typing import Literal

from proctor.reading.text.lazy import lazy

Side = Literal["", "under", "over"]
"""under: before, until, less than; over: after, from, more than; empty: at it."""
_UNDER = lazy(
    r"\b(?:before|until|till|by|prior to|up to|within|no later than|not later than|at the latest by|earlier than"
    r"|less than|fewer than|under|below|at most|no more than|not more than)\s(?:the\s)?$"
)
_OVER = lazy(
    r"\b(?:after|from|since|following|not before|not until|no earlier than|starting(?: on| from)?|later than"
    r"|more than|over|above|beyond|exceeding|at least|no less than|not less than)\s(?:the\s)?$"
)
_STRICT = lazy(
    r"(?<!no )(?<!not )(?<!just )(?<!slightly )(?<!bit )(?<!little )(?<!barely )"
    r"\b(?:less than|fewer than|more than|under|below|over|above|exceeding|beyond)\s$"
)
_LOOK_BACK = 30
_ROUND = 100
"""Of so round a number `over 300` says much the same as 300."""


def side_of(folded: str, start: int) -> Side:
    """On which side of the value that starts here a text stands."""
    near = max(0, start - _LOOK_BACK)
    if _UNDER.search(folded, near, start):
        return "under"
    return "over" if _OVER.search(folded, near, start) else ""


def leaves_out(folded: str, start: int, value: float) -> bool:
    """Whether a text says more or less than the number that starts here, and so not that number."""
    near = max(0, start - _LOOK_BACK)
    return bool(value % _ROUND) and _STRICT.search(folded, near, start) is not None
