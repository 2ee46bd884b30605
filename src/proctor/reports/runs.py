"""Render the table of runs for the terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.run import Summary
from proctor.reports import numbers
from proctor.reports.headline import noun_of
from proctor.reports.run_names import under_faults
from proctor.reports.terminal import Page, page_table
from proctor.reports.words import one_line
from proctor.run import Run


def runs_table(
    listed: Sequence[tuple[Run, Summary | None]], *, now: float | None = None, only: str = ""
) -> RenderableType:
    """Render runs with their results (None if unknown), one per row; `only` is the filter, if no run matches it."""
    if only:
        return Text(f"No stored run matches {only}; `proctor list` shows all.")
    moment = time.time() if now is None else now
    return Page(lambda width: [_runs(listed, width, moment)])


_SIGNS = {"completed": "✓", "failed": "!", "cancelled": "!"}
_WITH_AGENT = 70
"""Minimum terminal width in columns for showing the agent."""
_LEAST = 8
"""Minimum width of a text column."""


def _runs(listed: Sequence[tuple[Run, Summary | None]], width: int, now: float) -> RenderableType:
    if not listed:
        return Text("No runs yet. Try: proctor demo")
    cells = [_run_cells(run, found, now) for run, found in listed]
    if not any(row["judged"] for row in cells):
        cells = [{name: cell for name, cell in row.items() if name != "judged"} for row in cells]
    one_line = sum(_column_width(cells, header) for header in cells[0]) + 2 * (len(cells[0]) - 1)
    if one_line <= width:
        return _runs_in_one_line(cells, width)
    return _runs_in_two_lines(cells, width) if _fits_in_two_lines(cells, width) else _runs_in_blocks(cells)


def _run_cells(run: Run, found: Summary | None, now: float) -> dict[str, str]:
    rate = None if found is None else found.rate
    rate_text = None if rate is None else numbers.say(rate, noun=noun_of(run))
    cases = rate.n if rate is not None else run.exams
    return {
        "run": run.id,
        "name": one_line(run.name),
        "benchmark": one_line(f"{run.benchmark} {under_faults(run)}".rstrip()),
        "agent": one_line(run.agent),
        "status": _status(run, found),
        "pass rate": "no test" if found and found.no_test else rate_text.value if rate_text else numbers.NOTHING,
        "interval": rate_text.interval if rate_text and rate and rate.n else "",
        "cases": numbers.whole(cases),
        "judged": _judged_cell(found),
        "when": numbers.ago(run.created, now),
    }


def _status(run: Run, found: Summary | None) -> str:
    """Format the status of a run; the tick requires that the agent answered at least once."""
    if found is not None and found.never_answered:
        return "✗ agent failed"
    return f"{_SIGNS.get(run.status, '·')} {run.status}"


def _judged_cell(found: Summary | None) -> str:
    """Format the replies judged among those asked for; empty except in battles."""
    if found is None or not found.asked:
        return ""
    return f"{numbers.whole(found.judged or 0)}/{numbers.whole(found.asked)}"


def _runs_in_one_line(rows: Sequence[Mapping[str, str]], width: int) -> Table:
    return _table(rows, [(header, "") for header in rows[0]], width)


def _runs_in_two_lines(rows: Sequence[Mapping[str, str]], width: int) -> Table:
    """Render two lines per run, with cells stacked in pairs, to fit into 80 columns."""
    pairs = [("name", "run"), ("agent", "benchmark"), ("status", "when"), ("pass rate", "interval")]
    pairs.append(("cases", "judged" if "judged" in rows[0] else ""))
    return _table(rows, [pair for pair in pairs if width >= _WITH_AGENT or pair[0] != "agent"], width)


def _fits_in_two_lines(rows: Sequence[Mapping[str, str]], width: int) -> bool:
    """Whether there is room for the ids beside all numbers."""
    pairs = [
        ("run", ""),
        ("status", "when"),
        ("pass rate", "interval"),
        ("cases", "judged" if "judged" in rows[0] else ""),
    ]
    taken = sum(max(_column_width(rows, upper), _column_width(rows, lower)) for upper, lower in pairs)
    return taken + 2 * (len(pairs) - 1) <= width


def _runs_in_blocks(rows: Sequence[Mapping[str, str]]) -> Group:
    """Render each run as a block with its id on a line of its own, so that it can be copied at any width."""
    lines: list[RenderableType] = []
    for row in rows:
        cases = f"{row['cases']} cases" if row["cases"] != "1" else "1 case"
        details = (
            row["name"],
            f"{row['status']}, {row['when']}",
            f"{row['pass rate']} {row['interval']}".strip(),
            cases,
        )
        lines.append(Text(row["run"], no_wrap=True, overflow="ignore"))
        lines += [Padding(Text(each, style="dim"), (0, 0, 0, 2)) for each in details]
    return Group(*lines)


def _table(rows: Sequence[Mapping[str, str]], pairs: Sequence[tuple[str, str]], width: int) -> Table:
    table, rooms = page_table(width), _rooms(rows, dict(pairs), width)
    for upper, lower in pairs:
        right = upper in ("pass rate", "cases", "judged") or (not lower and upper in ("interval", "when"))
        table.add_column(
            f"{upper}\n{lower}" if any(dict(pairs).values()) else upper, width=rooms[upper], no_wrap=True,
            overflow="ellipsis", justify="right" if right else "left",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(_stack_cells(row[upper], row[lower] if lower else "") for upper, lower in pairs))
    return table


def _rooms(rows: Sequence[Mapping[str, str]], pairs: Mapping[str, str], width: int) -> dict[str, int]:
    """Return the column widths: numbers and ids in full, then agents and benchmarks before names."""
    rooms = {upper: max(_column_width(rows, upper), _column_width(rows, lower)) for upper, lower in pairs.items()}
    yielding = [upper for upper in ("agent", "benchmark", "name") if upper in pairs]
    least = {upper: _column_width(rows, "run") if pairs[upper] == "run" else _LEAST for upper in yielding}
    left = width - 2 * (len(pairs) - 1) - sum(rooms[upper] for upper in pairs if upper not in yielding)
    left -= sum(least.values())
    for upper in yielding:
        more = min(rooms[upper] - least[upper], left)
        rooms[upper] = max(1, least[upper] + more)
        left = max(0, left - more)
    return rooms


def _column_width(rows: Sequence[Mapping[str, str]], column: str) -> int:
    """Return the width of a column's longest cell, including its header."""
    return max(cell_len(column), *(cell_len(row[column]) for row in rows)) if column else 0


def _stack_cells(upper: str, lower: str) -> Text:
    return Text(upper).append(f"\n{lower}" if lower else "", style="dim")
