"""proctor check: preview, compatibility and errors of a benchmark file."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.output import console, echo, print_json
from proctor.doctor.judges import warnings_beforehand
from proctor.formats.compatibility import compatibility
from proctor.formats.csv import read_bytes, read_start
from proctor.formats.rules import COLUMNS
from proctor.formats.suites.suite import SuiteProblem, SuiteReading, check_suite, is_suite
from proctor.running.garbage import seldom_collected

if TYPE_CHECKING:
    from proctor.benchmark import Case
    from proctor.formats.csv import Table

_TITLES = {"standard": "Standard BM", "abm_static": "ABM Static", "abm_dynamic": "ABM Dynamic"}


@click.command("check", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@options.judge
@options.config
@options.as_json
@click.pass_context
def command(ctx: click.Context, file: Path, reviewer: str | None, config_path: Path | None, as_json: bool) -> None:
    """Check the benchmark or suite FILE: preview, compatibility, every error.

    Exit 0: the file is valid; 1: it is not; 2: it cannot be read.
    """
    with seldom_collected():
        table = _read(file)
    warnings = _warnings(table, options.reviewer_in_force(reviewer, config_path))
    if as_json:
        print_json(_as_json(table, warnings))
    else:
        _show(file, table)
        for warning in warnings:
            echo(f"\nwarning: {warning}")
        if drafts := _drafts(table):
            needed = "draft needs" if drafts == 1 else "drafts need"
            echo(f"\n{drafts:,} {needed} review: accept with `review: done`, edit or delete, here or in the web app")
    ctx.exit(1 if table.errors else 0)


def _read(file: Path) -> Table | SuiteReading:
    return _with_unknown_checks(check_suite(file)) if is_suite(file) else read_bytes(read_start(file))


def _with_unknown_checks(reading: SuiteReading) -> SuiteReading:
    """Add an error for each unknown check that a case names, since a run would be refused."""
    found = [
        SuiteProblem(line=case.line or 1, column=1, path="expect.checks", message=message)
        for message, cases in workflows.checks.unknown_checks(reading.cases).items()
        for case in cases
    ]
    return replace(reading, errors=tuple(sorted((*reading.errors, *found)))) if found else reading


def _warnings(table: Table | SuiteReading, reviewer: str | None) -> list[str]:
    """Return warnings about content that no judge will score with this reviewer."""
    benchmark = table.benchmark if isinstance(table, SuiteReading) else None
    passing_score = None if benchmark is None else benchmark.passing_score
    return list(warnings_beforehand(table.cases, reviewer=reviewer, passing_score=passing_score))


def _drafts(table: Table | SuiteReading) -> int:
    """Return the number of unreviewed drafts."""
    return sum(case.review == "needed" for case in table.cases)


def _as_json(table: Table | SuiteReading, warnings: list[str]) -> dict[str, Any]:
    found = {
        "rows": table.rows,
        "errors": [asdict(problem) for problem in table.errors],
        "preview": [_row(case) for case in table.preview],
        "compatibility": {kind: asdict(indicator) for kind, indicator in compatibility(table.rows).items()},
    }
    if table.more:
        found["more_errors"] = table.more
    if drafts := _drafts(table):
        found["review_needed"] = drafts
    return {**found, "warnings": warnings} if warnings else found


def _row(case: Case) -> dict[str, Any]:
    """Return a case as a CSV row, with id and categories if it has categories."""
    row = {name: getattr(case, name) for name in COLUMNS}
    return {"id": case.id, **row, "categories": case.categories} if case.categories else row


def _show(file: Path, table: Table | SuiteReading) -> None:
    errors = len(table.errors) + table.more
    echo(f"{file}: {_count(table.rows, 'valid row')}, {_count(errors, 'error') if errors else 'no errors'}\n")
    if table.rows:
        console().print(reports.terminal.Page(lambda _: [_preview(table), ""]))
    for kind, found in compatibility(table.rows).items():
        echo(f"{found.indicator} {_TITLES[kind]:<13}{found.reason}")
    if table.errors:
        echo("\nFix these errors before you run the file:")
    for problem in table.errors:
        echo(f"{file}:{problem.line}:{problem.column}: {problem.message}")
    if table.more:
        echo(f"and {_count(table.more, 'more error')}")


def _preview(table: Table | SuiteReading) -> Any:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, expand=True, header_style="bold")
    grid.add_column("line", justify="right", no_wrap=True)
    shown = [name for name in COLUMNS if any(getattr(case, name) for case in table.preview)]
    for name in shown:
        grid.add_column(name, no_wrap=True, overflow="ellipsis", ratio=2 if name == "question" else 1)
    for case in table.preview:
        grid.add_row(str(case.line), *(Text(_one_line(getattr(case, name) or "")) for name in shown))
    return grid


def _one_line(text: str) -> str:
    """Return the start of a text on one line, without control characters."""
    start = text[:200].replace("\r\n", "⏎").replace("\n", "⏎")
    return reports.words.printable(start)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
