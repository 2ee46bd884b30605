"""proctor list: stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli import options

if TYPE_CHECKING:
    from proctor.run import Run


@click.command("list")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many, newest first."
)
@options.store
@options.as_json
def command(limit: int, store: str | None, config_path: Path | None, as_json: bool) -> int:
    """List stored runs, newest first."""
    from proctor.cli.output import console, print_json
    from proctor.config import load_config
    from proctor.workflows.evaluate import store_url
    from proctor.workflows.reading import list_runs

    url = store_url(store, load_config(config_path))
    listed = [(run, None if _is_no_test(run, url) else rate) for run, rate in list_runs(store=url, limit=limit)]
    if as_json:
        from proctor.reports.json import run_row

        print_json([run_row(run, rate) for run, rate in listed])
        return 0
    from proctor.reports.runs import runs_table

    console().print(runs_table(listed))
    return 0


def _is_no_test(run: Run, store: str) -> bool:
    """Whether the verdicts of a battle tell nothing, as its examiner asked no fair question."""
    if run.settings.type != "abm-dynamic":
        return False
    from proctor.errors import StoreError
    from proctor.findings import rests_on_seeds_alone
    from proctor.storage import open_store

    try:
        with open_store(store, create=False) as opened:
            return rests_on_seeds_alone(run, opened.archive.attempts(run.id))
    except StoreError:  # it was deleted meanwhile
        return False
