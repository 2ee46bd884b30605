"""proctor list: stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, print_json
from proctor.settings import Bounds


@click.command("list", cls=Command)
@number(
    "--limit",
    bounds=Bounds(least=1, most=10**9, whole=True),
    default=20,
    show_default=True,
    help="Maximum number of runs, newest first.",
)
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=completion.stored_benchmarks,
    help="Only runs of this benchmark.",
)
@options.run_filter
@options.store
@options.as_json
def command(limit: int, store: str | None, config_path: Path | None, as_json: bool, **which: Any) -> int:
    """List stored runs, newest first."""
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    listed = workflows.read.list_runs(store=url, limit=limit, only=options.chosen_runs(**which))
    if as_json:
        print_json([reports.run.json.run_row(run, found) for run, found in listed])
        return 0
    nothing_kept = not listed and workflows.read.list_runs(store=url, limit=1)
    console().print(reports.runs.runs_table(listed, only=options.filter_words(**which) if nothing_kept else ""))
    return 0
