"""One scale for all rates of a history: as much of 0 to 100 % as their intervals need, at round ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

from proctor.findings.history import Entry

_STEP = 0.1
_NARROWEST = 0.2
_MOST_STEPS = 6
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """From where to where rates are drawn, as shares of 1."""

    low: float
    high: float

    def place(self, rate: float) -> float:
        """0 at the low end, 1 at the high end."""
        return min(1.0, max(0.0, (rate - self.low) / (self.high - self.low)))

    def ticks(self) -> list[float]:
        """Round rates from end to end, three to seven of them."""
        steps = round((self.high - self.low) / _STEP)
        stride = 2 if steps > _MOST_STEPS else 1
        return [round(self.low + _STEP * step, 9) for step in range(0, steps + 1, stride)]


def scale_of(entries: Iterable[Entry]) -> Scale:
    """The narrowest that shows every interval, whole tens of percents wide, and never less than 20."""
    rates = [entry.rate for entry in entries if entry.rate is not None and entry.rate.value is not None]
    low = min((rate.low for rate in rates if rate.low is not None), default=0.0)
    high = max((rate.high for rate in rates if rate.high is not None), default=1.0)
    bottom, top = floor(low / _STEP + _NEGLIGIBLE), ceil(high / _STEP - _NEGLIGIBLE)
    fewest = round(_NARROWEST / _STEP)
    bottom = max(0, min(bottom, top - fewest))
    top = min(round(1 / _STEP), max(top, bottom + fewest))
    if top - bottom > _MOST_STEPS and (top - bottom) % 2:  # every other ten has a tick, and both ends have one
        bottom, top = (bottom - 1, top) if bottom else (bottom, top + 1)
    return Scale(low=round(bottom * _STEP, 9), high=round(top * _STEP, 9))
