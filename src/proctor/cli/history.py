"""proctor history: quality of a benchmark's runs over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, echo, print_json
from proctor.settings import Bounds

if TYPE_CHECKING:
    from proctor.findings.history import History


@click.command("history", cls=Command)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=completion.stored_benchmarks)
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=completion.stored_benchmarks,
    help="The same as NAME: which benchmark; its versions are shown separately [default: that of the newest run].",
)
@options.run_filter
@click.option(
    "--by",
    metavar="agent|model|LABEL",
    help="A separate series for each agent, model, or value of a label [default: one series].",
)
@number(
    "--last",
    bounds=Bounds(least=1, most=10**9, whole=True),
    default=20,
    show_default=True,
    help="Show only the newest N runs of each series; older ones still count.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="At most 5 % of marked changes are false (LOND) [default: one false alarm in 200 comparisons].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the chart to this .svg file, or .png with the extra charts.",
)
@click.option("--html", type=click.Path(path_type=Path), help="Write the chart and all runs to this HTML file.")
@options.store
@options.as_json
def command(
    name: str | None,
    benchmark: str | None,
    by: str | None,
    last: int,
    strict: bool,
    output: Path | None,
    html: Path | None,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **which: Any,
) -> int:
    """Quality over time: the runs of the benchmark NAME, and which changes are real.

    Each run is compared, case by case, with the current baseline; a run with a real difference is marked and becomes
    the next baseline. Runs that were examined differently are not compared.
    """
    if None not in (name, benchmark) and name != benchmark:
        raise click.UsageError(f"NAME={name!r} and --benchmark {benchmark!r} are two benchmarks; expected one")
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    only = options.chosen_runs(**which)
    found = workflows.history.read_history(
        store=url, benchmark=benchmark or name, by=by, last=last, strict=strict, only=only
    )
    nothing_kept = _nothing_kept(found, options.filter_words(**which))
    if nothing_kept and (output or html):
        raise click.UsageError(nothing_kept)
    for path, save in ((output, workflows.history.save_chart), (html, workflows.history.save_page)):
        if path is not None:
            save(found, path)
            echo(f"wrote {path}", err=True)
    if as_json:
        print_json(reports.history.json.as_list(found))
    elif nothing_kept:
        echo(nothing_kept)
    else:
        console().print(reports.history.text.render(found))
    return 0


def _nothing_kept(found: History | None, only: str) -> str:
    """Explain that no run matches the filters; empty if some match, no filter is given, or nothing is stored."""
    if found is None or found.entries or not only:
        return ""
    return f"No run of {found.benchmark} matches {only}; `proctor history {found.benchmark}` shows all."
