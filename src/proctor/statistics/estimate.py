"""A number with its interval, sample size and method: Estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class MissingBounds(TypedDict, total=False):
    """Fields of an Estimate that bound the effect of missing scores."""

    worst: float
    best: float
    gate_low: float
    gate_high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A value with its interval and sample sizes."""

    value: float | None
    """The estimate, or None if it cannot be computed, and `note` says why."""
    low: float | None
    """Lower end of the interval."""
    high: float | None
    """Upper end of the interval."""
    n: int
    """Number of counted cases; in battles, of conversations."""
    method: str
    """Method of the interval."""
    attempts: int = 0
    """Number of attempts behind the value."""
    level: float = 0.95
    """Confidence level of the interval."""
    missing: int = 0
    """Number of attempts that should have counted but could not."""
    worst: float | None = None
    """The value if every missing attempt had failed; None if nothing is missing."""
    best: float | None = None
    """The value if every missing attempt had passed."""
    gate_low: float | None = None
    """Lower end of the interval around `worst`, for gates."""
    gate_high: float | None = None
    """Upper end of the interval around `best`, for gates."""
    note: str = ""
    """Remark to be shown with the value."""
    clusters: int | None = None
    """Number of seed questions of the n conversations, if the interval is clustered by them; None if it is based on n.
    """

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The interval to rely on: from the ends around worst and best if scores are missing (Imbens & Manski 2004)."""
        if not self.missing:
            return self.low, self.high
        lows = [end for end in (self.low, self.gate_low) if end is not None]
        highs = [end for end in (self.high, self.gate_high) if end is not None]
        # Without bounds for the missing scores, no interval is reliable.
        return (
            min(lows) if self.gate_low is not None else None,
            max(highs) if self.gate_high is not None else None,
        )

    @property
    def side(self) -> int:
        """Sign of a difference: 1 or −1 if the interval to rely on excludes 0, else 0, also if it is unknown."""
        low, high = self.ends
        return int(low is not None and low > 0) - int(high is not None and high < 0)
