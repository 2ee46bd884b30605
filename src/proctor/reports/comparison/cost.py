"""What a pass cost, side by side."""

from __future__ import annotations

from proctor.findings.comparison import Compared
from proctor.reports import numbers
from proctor.statistics.estimate import Estimate


def per_pass(estimate: Estimate) -> str:
    """`0.0021 (0.0018 – 0.0025)`, or why it is not known."""
    if estimate.value is None:
        return f"unknown: {estimate.note}"
    if estimate.low is None:
        return f"{numbers.cost(estimate.value)} ({estimate.note})"
    upper = "…" if estimate.high is None else numbers.cost(estimate.high)
    return f"{numbers.cost(estimate.value)} ({numbers.cost(estimate.low)} – {upper})"


def beside(compared: Compared) -> str:
    """`A 0.0021 (0.0018 – 0.0025), B 0.0040 (0.0035 – 0.0047)`; empty where neither run used anything."""
    if not compared.a.usage and not compared.b.usage:
        return ""
    a, b = compared.cost_per_pass
    return f"A {per_pass(a)}, B {per_pass(b)}"
