"""Where every so many-th row of a sorted choice stands, remembered: a deep page goes on from the nearest mark."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

Values = tuple[Any, ...]
"""What a row is sorted by; its own number is the last of them."""
EVERY = 10_000
"""Rows from one mark to the next."""
_KEPT = 200
"""Choices whose marks are kept; each has a hundred in a run of a million attempts."""


class PageCursors:
    """Marks by choice. Only what no longer changes may be marked."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[Values, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def before(
        self, choice: Hashable, offset: int, step: Callable[[Values | None], Values | None]
    ) -> tuple[int, Values | None]:
        """How many rows the last mark at or before `offset` skips, and the last of those; None: it skips none.

        `step` finds the row so many after another, None where there are not so many: what is not marked yet is walked.
        """
        known = self._recall(choice)
        wanted = offset // EVERY
        while len(known) < wanted:
            mark = step(known[-1] if known else None)
            if mark is None:
                break
            known = (*known, mark)
        self._remember(choice, known)
        reached = min(wanted, len(known))
        return reached * EVERY, known[reached - 1] if reached else None

    def _recall(self, choice: Hashable) -> tuple[Values, ...]:
        with self._lock:
            return self._known.get(choice, ())

    def _remember(self, choice: Hashable, known: tuple[Values, ...]) -> None:
        with self._lock:
            if len(known) >= len(self._known.get(choice, ())):
                self._known[choice] = known
            self._known.move_to_end(choice)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
