"""proctor delete: delete a run."""

from __future__ import annotations

from pathlib import Path

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.output import echo


@click.command("delete", cls=Command)
@options.run_argument
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@options.store
def command(run: str, yes: bool, store: str | None, config_path: Path | None) -> int:
    """Delete RUN with its attempts; runs that `proctor rescore` made of it are kept."""
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    found = workflows.read.find_run(run, store=url)
    attempts = reports.numbers.plural(found.planned, "attempt")
    if not yes and not _confirm(f"Delete run {found.id} ({found.name}, {attempts})?"):
        raise click.UsageError(
            f"run {found.id} is kept: it was not confirmed; use --yes where no question can be asked"
        )
    workflows.change.delete_run(found.id, store=url)
    echo(f"run {found.id} is deleted")
    return 0


def _confirm(question: str) -> bool:
    try:
        return click.confirm(question, err=True)
    except click.Abort:  # no input, or Ctrl-C
        echo(err=True)
        return False
