"""proctor schema: the JSON Schema of suite files."""

from __future__ import annotations

import click

from proctor.cli.command import Command


@click.command("schema", cls=Command)
def command() -> None:
    """Print the JSON Schema of suite files, for editors that complete and check while one writes."""
    from proctor.cli.output import print_json
    from proctor.formats.suites.suite import suite_schema

    print_json(suite_schema())
