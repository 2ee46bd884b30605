"""proctor show: what a run found."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli import options


@click.command("show")
@options.run_argument
@click.option("--k", type=int, help="The k of pass@k and pass^k that is printed [default: the trials].")
@options.store
@options.as_json
def command(run: str, k: int | None, store: str | None, config_path: Path | None, as_json: bool) -> int:
    """Show what RUN (an id, a unique prefix, a unique name, or `last`) found."""
    from proctor.cli.playing import show
    from proctor.cli.run import check_k
    from proctor.config import load_config
    from proctor.workflows.evaluate import store_url
    from proctor.workflows.reading import read_findings

    findings = read_findings(run, store=store_url(store, load_config(config_path)))
    check_k(k, findings.run.settings.trials)
    show(findings, as_json=as_json, k=k)
    return 0
