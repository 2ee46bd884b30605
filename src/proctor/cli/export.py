"""proctor export: a run as a file for somebody else."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli import options


@click.command("export")
@options.run_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "json", "csv", "junit", "markdown"]),
    required=True,
    help="Which form.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file to write; - for stdout.")
@options.store
def command(run: str, form: str, output: Path, store: str | None, config_path: Path | None) -> int:
    """Write RUN as html, json, csv, junit or markdown."""
    from proctor.cli.output import nobody_listens
    from proctor.config import load_config
    from proctor.workflows.evaluate import store_url
    from proctor.workflows.export import export_run

    try:
        export_run(run, form=form, output=output, store=store_url(store, load_config(config_path)))
    except BrokenPipeError:
        nobody_listens()
    if str(output) != "-":
        click.echo(f"wrote {output}", err=True)
    return 0
