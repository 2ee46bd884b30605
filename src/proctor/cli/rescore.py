"""proctor rescore: score stored replies again, without calling the agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.run import Findings
    from proctor.workflows.rescore import PreparedRescore
    from proctor.workflows.workers import WorkersWanted


@click.command("rescore", cls=Command)
@options.run_argument
@options.reviewers(
    "Who scores the replies now; given several times, the majority decides [default: keep the stored marks]."
)
@click.option("--passing-score", type=float, help="The score from which a case passes [default: as it was].")
@click.option(
    "--weights",
    type=options.Pairs(),
    help="Weights of the parts of a score, such as correctness=.5,reasoning=.3,context=.2 [default: as they were].",
)
@click.option("--name", help="A name for the new run [default: the old name, and what changed].")
@click.option(
    "--repeats",
    type=int,
    help="Judge the same replies this many more times, 2 to 100, to measure the judge's own noise.",
)
@click.option(
    "--sample",
    type=int,
    help="With --repeats: judge only this many cases, drawn at random, with all their trials; a larger sample "
    "includes a smaller one [default: all].",
)
@click.option("--budget", type=float, help="With --repeats: the most that judging again may cost.")
@options.pace
@options.settings("workers", "ray")
@click.option("--k", type=int, help="The k shown for pass@k and pass^k [default: the number of trials].")
@gate_options
@options.store
@options.as_json
def command(
    run: str,
    k: int | None,
    workers: int | None,
    ray: str | None,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    repeats: int | None,
    sample: int | None,
    budget: float | None,
    **changes: Any,
) -> int:
    """Score the stored replies of RUN again, as a new run with the same transcripts. The agent is not called.

    With --repeats no new run is made: the judgements are stored beside RUN, whose report then shows the
    judge's noise.
    """
    from proctor.cli.output import agents_speak_on_stderr
    from proctor.cli.play import conclude
    from proctor.cli.repeats import judge_again, refuse_others
    from proctor.cli.run import check_k
    from proctor.config import load_config
    from proctor.running.plan import exams_of
    from proctor.workflows.gates import read_gates, with_baselines
    from proctor.workflows.rescore import prepare_rescoring
    from proctor.workflows.store_url import store_url
    from proctor.workflows.workers import WorkersWanted

    new_run = {"--passing-score": changes["passing_score"], "--weights": changes["weights"], "--name": changes["name"]}
    elsewhere = {"--workers": workers, "--ray": ray, "--gate": gates, "--k": k}
    refuse_others(repeats, {"--sample": sample, "--budget": budget}, new_run | elsewhere)
    gating = read_gates(gates, k=k, look=look, force=force)
    config = load_config(config_path)
    url = store_url(store, config)
    if repeats is not None:
        pace = {name: changes[name] for name in ("reviewer", "timeout", "concurrency", "retries")}
        return judge_again(
            run, store=url, config=config, as_json=as_json, repeats=repeats, sample=sample, budget=budget, **pace
        )
    with agents_speak_on_stderr():  # a module may print when it is imported
        prepared = prepare_rescoring(run, store=url, config=config, **changes)
    made = prepared.run
    check_k(k, made.settings.trials)
    gating = with_baselines(gating, made, store=url)
    gating.check(made, exams_of(prepared.benchmark, made.settings))
    findings = _judge_replies(prepared, config, store=url, quiet=as_json, workers=WorkersWanted(workers, ray))
    return conclude(findings, gating, k=k, as_json=as_json)


def _judge_replies(
    prepared: PreparedRescore, config: Config, *, store: str, quiet: bool, workers: WorkersWanted
) -> Findings:
    """Have the stored replies judged, with the progress shown."""
    from proctor.cli.play import play
    from proctor.reports.numbers import plural
    from proctor.workflows.rescore import plan_judges, start_rescoring
    from proctor.workflows.run_limits import allowing

    made = prepared.run
    opening = f"run {made.id}: the replies of run {made.rescored_from}, {plural(made.planned, 'attempt')}"
    crew = plan_judges(prepared, config, workers)
    with allowing(made.settings, config):
        evaluation = play(
            lambda watch: start_rescoring(prepared, store=store, watch=watch, workers=crew),
            run_id=made.id,
            planned=made.planned,
            opening="" if quiet else opening,
        )
    return evaluation.findings
