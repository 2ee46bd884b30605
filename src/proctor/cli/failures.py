"""proctor failures: group the failures of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, print_json, stdout_to_stderr, tell
from proctor.reports import failures as said
from proctor.settings import AMOUNT
from proctor.threads import run_anywhere

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.failure_map import RunFailures


@click.command("failures", cls=Command)
@options.run_argument
@click.option(
    "--since",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Mark the groups that are new since this earlier run.",
)
@click.option(
    "--reviewer",
    metavar="NAME|MODEL",
    shell_complete=completion.declared_reviewers,
    help="A chat model that gives each of the 20 largest groups a name, from its rule and examples; the "
    "groups stay those of the rules [default: no names].",
)
@number(
    "--budget",
    bounds=AMOUNT,
    metavar="AMOUNT",
    help="With --reviewer: the most that the names may cost; groups beyond it have none.",
)
@options.form
@options.store
@options.as_json
def command(
    run: str,
    since: str | None,
    reviewer: str | None,
    budget: float | None,
    form: str,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Group what failed in RUN by what it has in common: checks, tools, calls, strategies, words, turns."""
    config = options.load_config(config_path)
    url = workflows.store_url.store_url(store, config)
    if budget is not None and reviewer is None:
        raise click.UsageError("--budget goes with --reviewer: without it no model is called, and nothing is spent")
    found = workflows.failure_map.read_failures(run, store=url, since=since)
    if reviewer is not None:
        found = _with_names(found, reviewer, url, config, budget)
    if as_json:
        print_json(said.as_dict(found))
    elif form == "markdown":
        sys.stdout.write(said.markdown(found))
    else:
        console().print(said.render(found))
    return 0


def _with_names(failures: RunFailures, reviewer: str, store: str, config: Config, budget: float | None) -> RunFailures:
    """Return the groups with names from a model, after printing its estimated cost."""
    planned = workflows.failure_names.plan_names(failures, reviewer=reviewer, store=store, config=config)
    numbers = reports.numbers
    sent, received = map(numbers.whole, planned.tokens)
    tell(
        f"{numbers.plural(len(planned.prompts), 'call')} to {reviewer} for names, about {sent} tokens in, "
        f"{received} out, cost {numbers.cost(planned.cost)}"
    )
    with stdout_to_stderr():
        return run_anywhere(lambda: workflows.failure_names.name_groups(planned, config=config, budget=budget))
