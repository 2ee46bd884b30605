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
    from proctor.config import Config, load_config
    from proctor.demo import benchmark_path
    from proctor.errors import InputError
    from proctor.workflows.evaluate import prepare, start, store_url
    from proctor.workflows.export import export_run

    url = store_url(store, load_config(config_path))
    report = output or Path(".proctor") / "demo.html"
    _make_room_for(report)
    prepared = prepare(
        benchmark_path(),
        agent="demo:librarian",
        reviewer="embedded",
        name=None,
        labels={"demo": "yes"},
        kind=None,
        config=Config(),  # what a project has set for its own runs does not change the demonstration
        settings={"trials": trials},
    )
    run = prepared.run
    if not as_json:
        sys.stderr.write(f"Asking {run.agent} {run.planned // trials} questions, {trials} times each.\n")
    evaluation = play(lambda watch: start(prepared, store=url, watch=watch), run_id=run.id, planned=run.planned)
    try:
        export_run(run.id, form="html", output=report, store=url)
    except InputError:
        show(evaluation.findings, as_json=as_json)
        raise
    show(evaluation.findings, as_json=as_json, html=report)
    return exit_code(evaluation.findings)


def _make_room_for(report: Path) -> None:
    """Refuse, before the first question, a place where no report can lie."""
    from proctor.errors import InputError

    if report.is_dir():
        raise InputError(f"{str(report)!r} is a folder; name a file in it with -o")
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {str(report)!r}: {error.strerror}; choose another place with -o") from error
