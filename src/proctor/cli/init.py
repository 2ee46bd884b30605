"""proctor init: write starter files."""

from __future__ import annotations

from pathlib import Path

import click

from proctor import workflows
from proctor.cli.command import Command
from proctor.cli.output import echo


@click.command("init", cls=Command)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
def command(folder: Path, force: bool) -> int:
    """Write proctor.toml, benchmark.csv and agent.py into FOLDER (here by default)."""
    for path in workflows.init.write_starter(folder, force=force):
        echo(f"wrote {path}")
    where = "" if folder == Path() else f"cd {folder} && "
    echo(f"Now try: {where}proctor run benchmark.csv --agent sample")
    return 0
