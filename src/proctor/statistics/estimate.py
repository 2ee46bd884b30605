"""A number that never leaves without its interval, its n and its method: Estimate."""

from __future__ import annotations

from dataclasses import dataclass


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
