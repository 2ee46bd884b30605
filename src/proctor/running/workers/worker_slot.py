"""One worker's place in a crew, which successive workers may occupy: WorkerSlot."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

_AHEAD = 0.1
"""Seconds of work that a worker holds in reserve."""
_NEWEST = 0.3
"""Weight of the latest report in the moving average of the rate."""


@dataclass(slots=True, eq=False)
class WorkerSlot:
    """The worker that occupies a slot, and how far its reports have come."""

    places: int
    """Maximum number of concurrent attempts."""
    news: threading.Condition
    """Notified when there may be something to send to the worker."""
    worker: int = 0
    """Number of the current worker."""
    reported: int = 0
    """Number of the last batch received."""
    stored: int = 0
    """Number of the last batch that is on disk."""
    asks: bool = False
    """Whether the worker, or the budget, needs an order immediately."""
    greeted: bool = False
    """Whether any worker in this slot has said hello, or has been found to lack room."""
    is_new: bool = True
    """Whether the current worker has not said hello yet."""
    since: float = 0.0
    """Monotonic time at which the worker's current activity began."""
    _rate: float = 0.0
    _seen: float = field(default_factory=time.monotonic)

    def take(self, worker: int) -> None:
        """Assign another worker to the slot."""
        self.worker, self.reported, self.stored, self.asks, self.is_new = worker, 0, 0, False, True
        self._rate, self._seen = 0.0, time.monotonic()
        self.since = self._seen

    def note(self, batch: int, finished: int) -> None:
        """Record a report, with the number of attempts that it finished."""
        now = time.monotonic()
        self._rate += _NEWEST * (finished / max(now - self._seen, 1e-3) - self._rate)
        self._seen, self.reported = now, batch

    @property
    def is_stored(self) -> bool:
        """Whether everything reported is on disk."""
        return self.stored >= self.reported

    @property
    def spare(self) -> int:
        """Number of attempts that it would finish before the next order reaches it."""
        return math.ceil(self._rate * _AHEAD)
