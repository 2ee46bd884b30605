"""An orchestrator for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.reports import numbers
from proctor.reports.headline import HeadlineLine
from proctor.reports.orchestration import words
from proctor.reports.terminal import INDENT, WIDE_LABEL, estimates, facts


def section(found: OrchestrationFindings, width: int, *, conditions: int) -> Iterator[RenderableType]:
    """Shares one above the other, then what is counted."""
    yield Text(words.heading(conditions), style="dim")
    lines = [
        HeadlineLine(
            label=each.label,
            estimate=each.estimate,
            unit="percent",
            said=numbers.say(each.estimate, conditions=conditions),
        )
        for each in words.shares(found)
    ]
    if lines:
        yield from estimates(lines, width, label=WIDE_LABEL)
        yield Padding(Text(words.legend(found), style="dim"), INDENT)
    yield from facts({label: said for label, said in words.facts(found).items() if label != "Time"}, label=WIDE_LABEL)
    yield Text()
