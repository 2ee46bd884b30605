"""How much longer a run takes: TimeLeft, by how fast its units came back; the same on a terminal and on a page."""

from __future__ import annotations

import math

from proctor.reports import numbers

_STRETCH = 0.5
"""Seconds that belong together: answers to calls that began at the same time come back nearly at once."""
_OVERDUE = 1.0
"""Seconds after which an estimate that has run out is no longer told: nobody knows what is being waited for."""


class TimeLeft:
    """When all will be done, estimated whenever a unit is done; in between only time goes by, so it never grows.

    The pace is what was done from the first stretch of answers to this one, over the time between the two: how long
    the first took to begin, and that answers come in waves, is no part of it.
    """

    def __init__(self, now: float, *, done: int, planned: int) -> None:
        self._began, self._done_before = now, done
        self._done, self._planned = done, planned
        self._stretch: float | None = None
        self._first = self._last = now
        self._pace = 0.0
        self._ends_at: float | None = None

    def count(self, now: float, done: int, planned: int) -> None:
        """Take the newest count; one that says nothing new changes nothing."""
        if (done, planned) == (self._done, self._planned):
            return
        if done > self._done:
            self._advance(now, done, planned)
        else:
            self._ends_at = None
            if done < self._done:  # conversations are replayed
                self._began, self._done_before, self._stretch = now, done, None
        self._done, self._planned, self._last = done, planned, now

    def seconds(self, now: float) -> float | None:
        """Seconds left; None where that is not known, or nothing is left."""
        if self._ends_at is None or self._done >= self._planned or now > self._ends_at + _OVERDUE:
            return None
        return max(0.0, self._ends_at - now)

    def _advance(self, now: float, done: int, planned: int) -> None:
        if self._stretch is None:
            self._stretch = self._first = now
        if self._first == self._stretch and now - self._first < _STRETCH:
            self._pace = (done - self._done_before) / max(now - self._began, 1e-9)
            self._ends_at = now + (planned - done) / self._pace
        elif now - self._stretch >= _STRETCH:
            self._pace = (self._done - self._done_before) / (now - self._first)
            self._ends_at = self._last + (planned - self._done) / self._pace
            self._stretch = now
        elif self._ends_at is not None:
            self._ends_at = min(self._ends_at, now + (planned - done) / self._pace)


def say_time_left(seconds: float | None) -> str:
    """`less than a second left`, `4 s left`, `1 min 05 s left`; tenths of a second would be noise."""
    if seconds is None:
        return ""
    whole = math.ceil(seconds)
    if seconds < 1:
        return "less than a second left"
    return f"{whole} s left" if whole < 60 else f"{numbers.duration(float(whole))} left"
