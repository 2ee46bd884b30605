"""proctor export: write a run to a file in another format."""

from __future__ import annotations

from pathlib import Path

import click

from proctor import workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options
from proctor.cli.output import echo
from proctor.cli.play import exit_code
from proctor.cli.streams import raising

_ENDINGS = {"html": ".html", "json": ".json", "csv": ".csv", "parquet": ".parquet", "junit": ".xml", "markdown": ".md"}
_FORMATS = (*_ENDINGS, "annotations")


@click.command("export", cls=Command)
@options.run_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="The file format [default: by the ending of the output file, such as .html].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The output file, replaced only once all of it is written; - for standard output (not for parquet).",
)
@gate_options
@options.store
def command(
    run: str,
    form: str | None,
    output: Path,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
) -> int:
    """Write RUN as html, json, csv, parquet, junit, markdown, or annotations for GitHub."""
    form = _format_of(output) if form is None else form
    _must_fit(output, form)
    gating = workflows.gates.read_gates(gates, look=look, force=force)
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    with raising():
        findings, verdicts = workflows.export.export_run(run, form=form, output=output, store=url, gating=gating)
    if str(output) != "-":
        echo(f"wrote {output}", err=True)
    return 0 if findings is None else exit_code(findings, verdicts)


def _format_of(output: Path) -> str:
    """Return the format that the file extension stands for."""
    form = next((form for form, ending in _ENDINGS.items() if ending == output.suffix.lower()), None)
    if form is None:
        raise click.UsageError(
            f"-o {str(output)!r} does not say which format; add --format with one of {', '.join(_FORMATS)}"
        )
    return form


def _must_fit(output: Path, form: str) -> None:
    """Refuse a file extension that belongs to another format."""
    ending = output.suffix.lower()
    if ending in _ENDINGS.values() and ending != _ENDINGS.get(form):
        wanted = f"a name that ends in {_ENDINGS[form]}" if form in _ENDINGS else "another name, such as one in .txt"
        raise click.UsageError(f"-o {str(output)!r} is not a name for --format {form}; expected {wanted}")
