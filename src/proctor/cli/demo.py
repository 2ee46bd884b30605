"""proctor demo: the embedded agent on the embedded benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from proctor.cli import options


@click.command("demo")
@click.option(
    "--trials", type=click.IntRange(min=1), default=3, show_default=True, help="How often each case is asked."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The HTML report [default: .proctor/demo.html].")
@options.store
@options.as_json
def command(trials: int, output: Path | None, store: str | None, config_path: Path | None, as_json: bool) -> int:
    """Examine the embedded librarian on 30 questions about a small handbook.

    No key, no network, no server: the agent, the reviewer and the store are all embedded.
    """
    from proctor.cli.playing import exit_code, play, show
    from proctor.config import load_config
    from proctor.demo import benchmark_path
    from proctor.workflows.evaluate import prepare, start, store_url
    from proctor.workflows.export import export_run

    config = load_config(config_path)
    url = store_url(store, config)
    prepared = prepare(
        benchmark_path(),
        agent="demo:librarian",
        reviewer="embedded",
        name=None,
        labels={"demo": "yes"},
        kind=None,
        config=config,
        settings={"trials": trials},
    )
    run = prepared.run
    if not as_json:
        sys.stderr.write(f"Asking {run.agent} {run.planned // trials} questions, {trials} times each.\n")
    evaluation = play(lambda watch: start(prepared, store=url, watch=watch), run_id=run.id, planned=run.planned)
    report = output or Path(".proctor") / "demo.html"
    report.parent.mkdir(parents=True, exist_ok=True)
    export_run(run.id, form="html", output=report, store=url)
    show(evaluation.findings, as_json=as_json, html=report)
    return exit_code(evaluation.findings)
