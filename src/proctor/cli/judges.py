"""proctor judges: compare judges by their agreement with human labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, print_json, tell_error
from proctor.cli.play import drive
from proctor.redaction import without_secrets
from proctor.settings import AMOUNT


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
@number("--budget", bounds=AMOUNT, metavar="AMOUNT", help="The most that judging may cost, all judges together.")
@options.judging_pace()
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

    The run's own judge and the embedded reviewer are always among them. What a judge says is stored with the run, and
    not asked again.
    """
    config = options.load_config(config_path)
    url = workflows.store_url.store_url(store, config)
    found = drive(
        lambda watch: workflows.judges.acompare_judges(
            run, reviewers=reviewers, store=url, config=config, watch=watch, **limits
        ),
        go_on="Continue with the same command: what was judged is not asked again.",
    )
    if as_json:
        print_json(reports.judges.as_dict(found))
    elif form == "markdown":
        sys.stdout.write(reports.judges.in_markdown(found))
    else:
        console().print(reports.judges.render(found))
    if not any(judge.pending for judge in found.judges):
        return 0
    tell_error(without_secrets(reports.judges.say_unfinished(found)))
    return 4
