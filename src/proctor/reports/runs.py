"""The table of runs, for the terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from proctor.reports import numbers
from proctor.reports.headline import noun_of
from proctor.reports.terminal import Page, page_table
from proctor.reports.words import one_line
from proctor.run import Run
from proctor.statistics.estimate import Estimate


def runs_table(listed: Sequence[tuple[Run, Estimate | None]], *, now: float | None = None) -> RenderableType:
    """Runs with their pass rates (None: not known), one a row."""
    moment = time.time() if now is None else now
    return Page(lambda width: [_runs(listed, width, moment)])


_SIGNS = {"completed": "✓", "failed": "!", "cancelled": "!"}
_ONE_LINE_A_RUN = 112


def _runs(listed: Sequence[tuple[Run, Estimate | None]], width: int, now: float) -> RenderableType:
    if not listed:
        return Text("No runs yet. Try: proctor demo")
    cells = [_run_cells(run, rate, now) for run, rate in listed]
    return _runs_in_one_line(cells, width) if width >= _ONE_LINE_A_RUN else _runs_in_two_lines(cells, width)


def _run_cells(run: Run, rate: Estimate | None, now: float) -> dict[str, str]:
    said = None if rate is None else numbers.say(rate, noun=noun_of(run))
    cases = rate.n if rate is not None else run.planned // max(1, run.settings.repeats)
    return {
        "run": run.id,
        "name": one_line(run.name),
        "benchmark": one_line(run.benchmark),
        "agent": one_line(run.agent),
        "status": f"{_SIGNS.get(run.status, '·')} {run.status}",
        "pass rate": said.value if said else numbers.NOTHING,
        "interval": said.interval if said and rate and rate.n else "",
        "cases": numbers.whole(cases),
        "when": numbers.ago(run.created, now),
    }


def _runs_in_one_line(rows: Sequence[Mapping[str, str]], width: int) -> Table:
    table = page_table(width)
    for header in rows[0]:
        flexible = header in ("name", "benchmark", "agent")
        table.add_column(
            header, ratio=1 if flexible else None, no_wrap=True, overflow="ellipsis",
            justify="right" if header in ("pass rate", "interval", "cases", "when") else "left",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(cell) for cell in row.values()))
    return table


def _runs_in_two_lines(rows: Sequence[Mapping[str, str]], width: int) -> Table:
    """Pairs of cells, one above the other, so that nothing is lost at 80 columns."""
    pairs = [("name", "run"), ("agent", "benchmark"), ("status", ""), ("pass rate", "interval"), ("cases", "when")]
    if width < 70:
        pairs.remove(("agent", "benchmark"))
    table = page_table(width)
    for upper, lower in pairs:
        flexible = upper in ("name", "agent")
        table.add_column(
            f"{upper}\n{lower}".rstrip(), ratio=1 if flexible else None, no_wrap=True, overflow="ellipsis",
            justify="right" if upper in ("pass rate", "cases") else "left",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(_stacked(row[upper], row.get(lower, "")) for upper, lower in pairs))
    return table


def _stacked(upper: str, lower: str) -> Text:
    return Text(upper).append(f"\n{lower}", style="dim")
