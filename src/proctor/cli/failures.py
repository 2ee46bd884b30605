"""proctor failures: what failed in a run, in groups."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli import completion, options
from proctor.cli.command import Command

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
    "groups stay those of the rules [default: nobody is asked].",
)
@click.option(
    "--budget", type=float, help="With --reviewer: the most that the names may cost; groups beyond it have none."
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
    from proctor.cli.output import console, print_json
    from proctor.config import load_config
    from proctor.reports import failures as said
    from proctor.workflows.failure_map import read_failures
    from proctor.workflows.store_url import store_url

    config = load_config(config_path)
    url = store_url(store, config)
    if budget is not None and reviewer is None:
        raise click.UsageError("--budget goes with --reviewer: without, nobody is asked, and nothing is spent")
    found = read_failures(run, store=url, since=since)
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
    """The groups with names, with what that takes told before."""
    from proctor.cli.output import agents_speak_on_stderr, tell
    from proctor.reports.numbers import cost, plural, whole
    from proctor.threads import run_anywhere
    from proctor.workflows.failure_names import name_groups, plan_names

    planned = plan_names(failures, reviewer=reviewer, store=store, config=config)
    sent, received = planned.tokens
    tell(
        f"{plural(len(planned.prompts), 'call')} to {reviewer} for names, about {whole(sent)} tokens in, "
        f"{whole(received)} out, cost {cost(planned.cost)}"
    )
    with agents_speak_on_stderr():
        return run_anywhere(lambda: name_groups(planned, config=config, budget=budget))
