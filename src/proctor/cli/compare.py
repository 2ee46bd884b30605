"""proctor compare: is run B better than run A?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from proctor.cli import options
from proctor.cli.command import Command


@click.command("compare", cls=Command)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--k", type=int, help="The k of pass@k and pass^k [default: the number of trials that both runs have].")
@click.option("--force", is_flag=True, help="Compare runs that are not comparable, and say how they differ.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown"]),
    default="text",
    help="The output format [default: text].",
)
@options.store
@options.as_json
def command(
    a: str,
    b: str,
    k: int | None,
    force: bool,
    form: str,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Is run B better than run A? Each is an id, a unique prefix, a unique name, or `last`.

    Cases are compared with themselves. Runs with other cases, another reviewer, rubric, passing score or weights are
    refused with exit 2.
    """
    from proctor.cli.output import console, print_json
    from proctor.config import load_config
    from proctor.workflows.compare import compare
    from proctor.workflows.evaluate import store_url

    config = load_config(config_path)
    _refuse_one_run(a, b, store=store_url(store, config))
    compared = compare(a, b, k=k, force=force, store=store, config=config)
    if as_json:
        from proctor.reports.comparison.json import as_dict

        print_json(as_dict(compared))
    elif form == "markdown":
        from proctor.reports.comparison.markdown import render as in_markdown

        sys.stdout.write(in_markdown(compared))
    else:
        from proctor.reports.comparison.text import render

        console().print(render(compared))
    return 0


def _refuse_one_run(a: str, b: str, *, store: str) -> None:
    from proctor.workflows.read import find_run

    run = find_run(a, store=store)
    if find_run(b, store=store).id == run.id:
        raise click.UsageError(
            f"A={a!r} and B={b!r} are the same run {run.id}; expected two: `proctor list` shows those that are stored"
        )
