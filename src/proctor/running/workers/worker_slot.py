"""One worker's place in a crew; who sits there may change: WorkerSlot."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

_AHEAD = 0.1
"""Seconds of work that a worker holds beyond what it plays."""
_NEWEST = 0.3
"""How much the last report counts in the rate."""


@dataclass(slots=True, eq=False)
class WorkerSlot:
    """Who sits there, and how far its reports have come."""

    places: int
    """Attempts that it may have under way at once."""
    news: threading.Condition
    """Woken when there may be something to say to its worker."""
    worker: int = 0
    """The number of who sits there."""
    reported: int = 0
    """The last batch that has come."""
    stored: int = 0
    """The last batch that is on disk."""
    asks: bool = False
    """Whether its worker, or the budget, waits for a word at once."""
    greeted: bool = False
    """Whether anybody who sat there has said that they can play."""
    is_new: bool = True
    """Whether who sits there has not said anything yet."""
    since: float = 0.0
    """When what its worker does now began; on the monotonic clock."""
    _rate: float = 0.0
    _seen: float = field(default_factory=time.monotonic)

    def take(self, worker: int) -> None:
        """Another worker sits down."""
        self.worker, self.reported, self.stored, self.asks, self.is_new = worker, 0, 0, False, True
        self._rate, self._seen = 0.0, time.monotonic()
        self.since = self._seen

    def note(self, batch: int, finished: int) -> None:
        """A report has come, with so many attempts that are over."""
        now = time.monotonic()
        self._rate += _NEWEST * (finished / max(now - self._seen, 1e-3) - self._rate)
        self._seen, self.reported = now, batch

    @property
    def is_stored(self) -> bool:
        """Whether all that was reported is on disk."""
        return self.stored >= self.reported

    @property
    def spare(self) -> int:
        """Attempts that it would have played before the next word reaches it."""
        return math.ceil(self._rate * _AHEAD)
