"""proctor resume: go on with a run where it stopped."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from proctor.cli import options
from proctor.cli.gating import gate_options


@click.command("resume")
@options.run_argument
@click.option("--trials", type=int, help="Extend the run to so many trials, completed or not.")
@click.option("--budget", type=float, metavar="AMOUNT", help="Most that may be spent, what was spent before included.")
@click.option("--max-tokens", type=int, help="Most tokens that may be used, those before included.")
@click.option("--cache", is_flag=True, help="Keep models' replies in .proctor/cache, and take them from there.")
@click.option("--k", type=int, help="The k of pass@k and pass^k that is printed [default: the trials].")
@gate_options
@options.store
@options.as_json
def command(
    run: str,
    trials: int | None,
    budget: float | None,
    max_tokens: int | None,
    cache: bool,
    k: int | None,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Go on with RUN (an id, a unique prefix, a unique name, or `last`) where it stopped."""
    from proctor.cli.playing import exit_code, play, show
    from proctor.cli.run import check_k
    from proctor.config import load_config
    from proctor.workflows.evaluate import store_url
    from proctor.workflows.gating import check_stored, read_gates, with_baselines
    from proctor.workflows.reading import find_run
    from proctor.workflows.resume import aresume, with_trials

    gating = read_gates(gates, k=k, look=look, force=force)
    config = load_config(config_path)
    url = store_url(store, config)
    found = with_trials(find_run(run, store=url), trials)
    check_k(k, found.settings.trials)
    gating = with_baselines(gating, found, store=url)
    if found.status == "completed":
        sys.stderr.write(f"run {found.id} is completed already; nothing was played\n")
    else:
        check_stored(gating, found, store=url)
    evaluation = play(
        lambda watch: aresume(
            found.id,
            trials=trials,
            budget=budget,
            max_tokens=max_tokens,
            cache=cache,
            store=url,
            config=config,
            watch=watch,
        ),
        run_id=found.id,
        planned=found.planned,
    )
    verdicts = gating.judge(evaluation.findings)
    show(evaluation.findings, as_json=as_json, k=k, gates=verdicts)
    return exit_code(evaluation.findings, verdicts, as_json=as_json)
