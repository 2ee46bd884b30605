"""What a passed case costs, side by side."""

from __future__ import annotations

from proctor.findings.comparison import Compared
from proctor.reports import numbers
from proctor.run import Run
from proctor.statistics.estimate import Estimate


def passed_unit(run: Run) -> str:
    """What a cost is told of."""
    return "passed case" if run.settings.type == "standard" else "held conversation"


def division(run: Run) -> str:
    """What is divided by what."""
    if run.settings.type == "standard":
        return "the mean cost of an attempt ÷ the pass rate"
    return "the mean cost of a conversation ÷ the held rate"


def per_pass(estimate: Estimate) -> str:
    """`0.0021 (0.0018 – 0.0025)`, or why it is not known."""
    if estimate.value is None:
        return f"unknown: {estimate.note}"
    if estimate.low is None:
        return f"{numbers.cost(estimate.value)} ({estimate.note})"
    upper = "…" if estimate.high is None else numbers.cost(estimate.high)
    return f"{numbers.cost(estimate.value)} ({numbers.cost(estimate.low)} – {upper})"


def beside(compared: Compared) -> str:
    """`per passed case A 0.0021 (0.0018 – 0.0025), B …: the mean cost …`; empty where neither run used anything."""
    if not compared.a.usage and not compared.b.usage:
        return ""
    (a, b), run = compared.cost_per_pass, compared.b.run
    return f"per {passed_unit(run)} A {per_pass(a)}, B {per_pass(b)}: {division(run)}"
