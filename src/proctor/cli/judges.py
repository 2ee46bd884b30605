"""proctor judges: which judge can be believed, on the attempts that people have labelled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from proctor.cli import completion, options
from proctor.cli.command import Command


@click.command("judges", cls=Command)
@options.run_argument
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME|SPEC",
    shell_complete=completion.reviewers,
    help="A further judge; may be given several times. Two with a comma, as in embedded,openai:MODEL, are a cascade: "
    "the second gets what the first is unsure of.",
)
@click.option("--budget", type=float, help="The most that judging may cost, all judges together.")
@options.pace
@options.form
@options.store
@options.as_json
def command(
    run: str,
    reviewers: tuple[str, ...],
    form: str,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **limits: Any,
) -> int:
    """Which judge agrees with people? Judges side by side on the attempts of RUN that people have labelled.

    The run's own judge and the embedded reviewer are always among them. What a judge says is kept beside the run, and
    not asked again.
    """
    from proctor.cli.output import console, print_json, tell_error
    from proctor.cli.play import drive
    from proctor.config import load_config
    from proctor.redaction import without_secrets
    from proctor.reports.judges import as_dict, in_markdown, render, say_unfinished
    from proctor.workflows.judges import acompare_judges
    from proctor.workflows.store_url import store_url

    config = load_config(config_path)
    url = store_url(store, config)
    found = drive(
        lambda watch: acompare_judges(run, reviewers=reviewers, store=url, config=config, watch=watch, **limits),
        go_on="Go on with the same command: what was judged is not asked again.",
    )
    if as_json:
        print_json(as_dict(found))
    elif form == "markdown":
        sys.stdout.write(in_markdown(found))
    else:
        console().print(render(found))
    if not any(judge.pending for judge in found.judges):
        return 0
    tell_error(without_secrets(say_unfinished(found)))
    return 4
