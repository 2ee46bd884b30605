"""proctor cancel: stop a run, which can be resumed."""

from __future__ import annotations

from pathlib import Path

import click

from proctor import workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.output import echo, print_json
from proctor.run import Run


@click.command("cancel", cls=Command)
@options.run_argument
@options.store
@options.as_json
def command(run: str, store: str | None, config_path: Path | None, as_json: bool) -> int:
    """Stop RUN within a second, even if another terminal or the web app runs it. It can be resumed."""
    cancelled = workflows.change.cancel_run(
        run, store=workflows.store_url.store_url(store, options.load_config(config_path))
    )
    if as_json:
        print_json({"run": cancelled.id, "status": cancelled.status})
    else:
        echo(describe_outcome(cancelled))
    return 0


def describe_outcome(run: Run) -> str:
    """Describe the outcome of a cancellation."""
    if run.status == "completed":
        return f"run {run.id} was completed before it could be stopped."
    return f"run {run.id} is {run.status}.\nContinue with: proctor resume {run.id}"
