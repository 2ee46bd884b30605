"""proctor sync: send a run to Langfuse, Phoenix, MLflow, or any OpenTelemetry backend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor import workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.output import console, print_json
from proctor.errors import UsageError
from proctor.exporters.summary import as_dict, render
from proctor.reports import terminal
from proctor.threads import run_anywhere

if TYPE_CHECKING:
    from proctor.exporters.outcome import Report


@click.command("sync", cls=Command)
@click.argument("destination", metavar="langfuse|otlp|phoenix|mlflow", shell_complete=completion.destinations)
@click.argument("run", metavar="RUN", required=False, shell_complete=completion.runs)
@click.option(
    "--endpoint",
    metavar="URL",
    help="The address of the backend [default: as the environment says]; not for langfuse, whose address "
    "is set with its keys.",
)
@click.option(
    "--redact",
    metavar="PATTERN",
    multiple=True,
    help="A regular expression: nothing that matches is sent; repeatable. Secrets from the environment are never sent.",
)
@click.option("--resume", is_flag=True, help="Send what is missing where RUN was sent before, with the same options.")
@click.option(
    "--again", is_flag=True, help="Send everything, also what was sent before; ids are the same, so nothing is doubled."
)
@options.store
@options.as_json
def command(
    destination: str,
    run: str | None,
    endpoint: str | None,
    redact: tuple[str, ...],
    resume: bool,
    again: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Send RUN, with traces and scores, to Langfuse, Phoenix, MLflow, or any OpenTelemetry backend.

    What was sent before and has not changed is not sent again. Keys come from the environment alone.
    """
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    if resume:
        if endpoint or redact:
            raise click.UsageError("--resume takes --endpoint and --redact from the last time")
        name, to = (destination, None) if run is None else (run, destination)
        reports = run_anywhere(lambda: workflows.destination.resume_sync(name, store=url, to=to, again=again))
    else:
        if run is None:
            raise click.UsageError("expected a destination and a run, such as `proctor sync langfuse last`")
        wanted, target = run, workflows.destination.Destination(to=destination, endpoint=endpoint, redact=redact)
        try:
            reports = [run_anywhere(lambda: workflows.destination.sync_run(wanted, target, store=url, again=again))]
        except workflows.destination.NoAddress as error:
            raise UsageError(f"{error}, or name it with --endpoint") from error
    if as_json:
        print_json({"run": reports[0].run, "destinations": [as_dict(report) for report in reports]})
    else:
        console().print(terminal.Page(lambda _: map(render, reports)), end="")
    return _exit_code(reports)


def _exit_code(reports: list[Report]) -> int:
    """Return 0 if everything was delivered, else 4; the reasons are already printed."""
    return 0 if all(report.complete for report in reports) else 4
