"""proctor convert: convert other tables to a benchmark file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli.command import Command
from proctor.cli.output import echo
from proctor.formats.convert import convert

if TYPE_CHECKING:
    from proctor.formats.convert import ConversionReport


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--no-header",
    is_flag=True,
    help="IN has no header: its columns are question, answer, reasoning, context and category, in this order.",
)
@click.option(
    "--categories",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Give rows the categories that FILE lists by question or case id; OUT must keep them, as .jsonl does.",
)
@click.pass_context
def command(ctx: click.Context, source: Path, target: Path, no_header: bool, categories: Path | None) -> None:
    """Turn the table IN into the benchmark file OUT.

    IN is a CSV with a header (commas, semicolons or tabs), .tsv, .xlsx or .jsonl. A benchmark file is turned into a
    comma CSV, .tsv or .jsonl. A .jsonl keeps categories, and can be run. OUT is overwritten if it exists. Exit 1: rows
    that no benchmark file may hold; nothing is written.
    """
    report = convert(source, target, header=not no_header, categories=categories)
    if report.problems:
        _refuse(source, report)
        ctx.exit(1)
    echo(f"wrote {target}: {report.rows:,} {'row' if report.rows == 1 else 'rows'}, {report.kind}")
    for name, column in report.columns.items():
        if name != column:
            echo(f"  {name:<9} ← {column!r}")
    if report.dropped:
        echo(f"not taken: {', '.join(map(repr, report.dropped))}")
    for note in report.notes:
        echo(f"note: {note}")


def _refuse(source: Path, report: ConversionReport) -> None:
    for problem in report.problems:
        echo(f"{source}:{problem.line}: {problem.message}", err=True)
    if report.more:
        echo(f"and {report.more:,} more", err=True)
    echo("Error: nothing was written; fix these rows and try again", err=True)
