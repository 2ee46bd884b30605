"""Render the judges of a panel side by side, for the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.run.panel import JudgeFinding
from proctor.reports import numbers
from proctor.reports.markup import plain
from proctor.reports.terminal import page_table
from proctor.reports.words import one_line

_HEADERS = ("pass rate", "", "score", "is the verdict", "no score", "cost")


def _cells(judge: JudgeFinding) -> tuple[str, ...]:
    """Return a judge's pass rate with interval, mean score, agreement with the panel, missing scores and cost."""
    rate = numbers.say(judge.pass_rate)
    return (
        rate.value,
        rate.interval if judge.pass_rate.n else "",
        numbers.say(judge.mean_score, "score").value,
        numbers.say(judge.agreement).value,
        numbers.whole(judge.missing),
        numbers.cost(judge.usage.cost) if judge.usage else "–",
    )


def by_judge(judges: Sequence[JudgeFinding], width: int) -> Iterator[RenderableType]:
    """Render a table with one row per judge; empty without a panel."""
    if not judges:
        return
    table = page_table(width)
    table.add_column("By judge", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for header in _HEADERS:
        table.add_column(header, justify="right", no_wrap=True)
    for judge in judges:
        table.add_row(Text(one_line(judge.name)), *_cells(judge))
    yield table
    yield Text()


def judge_table(judges: Sequence[JudgeFinding]) -> Iterator[str]:
    """Yield the rows of the same table in Markdown."""
    if not judges:
        return
    yield f"| judge | {' | '.join(header or '95 % interval' for header in _HEADERS)} |"
    yield f"|:--|{'--:|' * len(_HEADERS)}"
    for judge in judges:
        yield f"| {plain(judge.name, 60)} | {' | '.join(_cells(judge))} |"
