"""Moments said as shortly as tells them apart: `3 Nov`, `3 Nov 14:02`, `14:02`, `3 Nov 2025`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime


class Calendar:
    """Says the moments of one history in one form, in UTC."""

    def __init__(self, moments: Iterable[float]) -> None:
        days = [_utc(moment).date() for moment in set(moments)]
        self._year = len({day.year for day in days}) > 1
        self._clock = len(set(days)) < len(days)
        self._day = len(set(days)) > 1 or not self._clock

    def __call__(self, moment: float) -> str:
        """The moment in that form."""
        time = _utc(moment)
        pieces = [f"{time.day} {time:%b}"] if self._day else []
        pieces += [f"{time:%Y}"] if self._year else []
        pieces += [f"{time:%H:%M}"] if self._clock else []
        return " ".join(pieces)

    def say_when(self, moment: float) -> str:
        """`on 3 Nov`, `at 14:02`."""
        return f"{'on' if self._day or self._year else 'at'} {self(moment)}"


def _utc(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, UTC)
