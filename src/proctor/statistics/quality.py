"""Quality label from pass@k and pass^k, and whether it is certain."""

from __future__ import annotations

from typing import Literal

from proctor.statistics.estimate import Estimate

Quality = Literal["Reliable", "Inconsistent", "Fair", "Needs improvement"]

HIGH = 0.95
"""Threshold from which pass@k is high."""
LOW = 0.70
"""Threshold below which pass@k needs improvement, and from which pass^k is consistent."""
_ROUNDING = 1e-9


def label(at_k: float, hat_k: float) -> Quality:
    """Return Reliable, Inconsistent, Fair or Needs improvement, by the values alone."""
    if at_k >= HIGH - _ROUNDING:
        return "Reliable" if hat_k >= LOW - _ROUNDING else "Inconsistent"
    return "Fair" if at_k >= LOW - _ROUNDING else "Needs improvement"


def certain(at_k: Estimate, hat_k: Estimate) -> bool:
    """Whether the label is the same at both ends of both intervals."""
    ends = (at_k.low, at_k.high, hat_k.low, hat_k.high)
    if at_k.value is None or hat_k.value is None or None in ends:
        return False
    named = {
        label(x, y) for x in (at_k.low, at_k.high) for y in (hat_k.low, hat_k.high) if x is not None and y is not None
    }
    return named == {label(at_k.value, hat_k.value)}


def sentence(at_k: Estimate, hat_k: Estimate, *, unit: str = "conversation") -> str:
    """Format the label with its sample size, and whether it is certain."""
    if at_k.value is None or hat_k.value is None:
        return f"Not known ({at_k.note or hat_k.note or 'nothing was counted'})"
    count = f"{at_k.n} {unit}{'' if at_k.n == 1 else 's'}"
    doubt = "" if certain(at_k, hat_k) else ": not certain"
    return f"{label(at_k.value, hat_k.value)} ({count}{doubt})"
