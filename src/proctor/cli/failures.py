"""proctor failures: what failed in a run, in groups."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from proctor.cli import options
from proctor.cli.command import Command


@click.command("failures", cls=Command)
@options.run_argument
@click.option("--since", metavar="RUN", help="Mark what did not fail like that in this earlier run.")
@options.form
@options.store
@options.as_json
def command(run: str, since: str | None, form: str, store: str | None, config_path: Path | None, as_json: bool) -> int:
    """Group what failed in RUN by what it has in common: checks, tools, strategies, words. No model is asked."""
    from proctor.cli.output import console, print_json
    from proctor.config import load_config
    from proctor.reports import failures as said
    from proctor.workflows.evaluate import store_url
    from proctor.workflows.failure_map import read_failures

    found = read_failures(run, store=store_url(store, load_config(config_path)), since=since)
    if as_json:
        print_json(said.as_dict(found))
    elif form == "markdown":
        sys.stdout.write(said.markdown(found))
    else:
        console().print(said.render(found))
    return 0
