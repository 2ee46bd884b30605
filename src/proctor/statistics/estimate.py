"""A number that never leaves without its interval, its n and its method: Estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class MissingBounds(TypedDict, total=False):
    """Those fields of an Estimate that tell what missing marks could have made of it."""

    worst: float
    best: float
    gate_low: float
    gate_high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A value, how sure it is, and what it rests on."""

    value: float | None
    """The estimate; None: it cannot be had, and `note` says why."""
    low: float | None
    """Lower end of the interval."""
    high: float | None
    """Upper end of the interval."""
    n: int
    """Counted cases; in battles, conversations."""
    method: str
    """How the interval was made."""
    attempts: int = 0
    """Attempts behind it."""
    level: float = 0.95
    """The interval's level."""
    missing: int = 0
    """Attempts that should have counted and could not."""
    worst: float | None = None
    """The value had every missing one failed; None: nothing is missing."""
    best: float | None = None
    """The value had every missing one passed."""
    gate_low: float | None = None
    """Lower end of the interval around `worst`: what a gate may rely on."""
    gate_high: float | None = None
    """Upper end of the interval around `best`."""
    note: str = ""
    """Anything that must be said beside it."""
    clusters: int | None = None
    """Of how many seed questions the n conversations are, where the interval rests on those; None: it rests on n."""

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The interval to rely on: around the worst and the best where marks are missing (Imbens & Manski 2004)."""
        if not self.missing:
            return self.low, self.high
        lows = [end for end in (self.low, self.gate_low) if end is not None]
        highs = [end for end in (self.high, self.gate_high) if end is not None]
        # Without bounds around the missing marks, nothing can be relied on.
        return (
            min(lows) if self.gate_low is not None else None,
            max(highs) if self.gate_high is not None else None,
        )

    @property
    def side(self) -> int:
        """Of a difference: 1 or −1 where that whole interval lies on one side of 0; 0: it holds 0, or is not known."""
        low, high = self.ends
        return int(low is not None and low > 0) - int(high is not None and high < 0)
