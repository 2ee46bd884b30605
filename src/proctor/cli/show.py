"""proctor show: what a run found."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options


@click.command("show", cls=Command)
@options.run_argument
@click.option("--k", type=int, help="The k shown for pass@k and pass^k [default: the number of trials].")
@options.form
@click.option(
    "--case",
    metavar="ID|WORDS",
    help="Show the conversations of one case instead: its id, the beginning of one, or words of its "
    "question; several that have them are listed.",
)
@click.option("--trial", type=int, help="Only this trial of the case [default: all].")
@click.option(
    "--where",
    "wanted",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only cases whose metadata, or category, is this, as if there were no others; repeatable, and all must hold.",
)
@click.option("--all", "every", is_flag=True, help="Show every case, check and reason, not only the first few.")
@gate_options
@options.store
@options.as_json
def command(
    run: str,
    k: int | None,
    form: str,
    case: str | None,
    trial: int | None,
    wanted: tuple[str, ...],
    every: bool,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Show what RUN (an id, a unique prefix, a unique name, or `last`) found."""
    from proctor.cli.play import exit_code, show
    from proctor.cli.run import check_k
    from proctor.config import load_config
    from proctor.workflows.gates import read_gates, with_baselines
    from proctor.workflows.read import read_findings
    from proctor.workflows.store_url import store_url

    gating = read_gates(gates, k=k, look=look, force=force)
    url = store_url(store, load_config(config_path))
    if case is not None:
        return _read_out(run, case, trial, store=url, as_json=as_json)
    if trial is not None:
        raise click.UsageError("--trial picks a trial of a case; give --case too")
    if wanted:
        from proctor.workflows.case_slice import read_slice

        findings = read_slice(run, options.label_pairs(wanted, option="--where"), store=url)
    else:
        findings = read_findings(run, store=url)
    check_k(k, findings.run.settings.trials)
    verdicts = with_baselines(gating, findings.run, store=url).judge(findings)
    show(findings, as_json=as_json, k=k, gates=verdicts, form=form, every=every)
    return exit_code(findings, verdicts, as_json=as_json) if gates else 0


def _read_out(run: str, case: str, trial: int | None, *, store: str, as_json: bool) -> int:
    """Print the conversations about one case."""
    import json

    from proctor.cli.case_choice import chosen
    from proctor.cli.output import console, print_json
    from proctor.codec import encode
    from proctor.reports.battle.dialogue import dialogue
    from proctor.reports.people import label_dict
    from proctor.workflows.people import read_labels
    from proctor.workflows.read import read_case

    found = read_case(run, chosen(run, case, store=store), trial=trial, store=store)
    said = read_labels(run, store=store)
    if as_json:
        print_json(
            [
                {**json.loads(encode(attempt)), "labels": [label_dict(label) for label in said.get(attempt.key, ())]}
                for _, attempt in found
            ]
        )
        return 0
    for exam, attempt in found:
        console().print(dialogue(exam, attempt, labels=said.get(attempt.key, ()), folded=False))
    return 0
