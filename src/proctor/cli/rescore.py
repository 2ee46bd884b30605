"""proctor rescore: score stored replies again without calling the agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options
from proctor.cli.options import number
from proctor.cli.output import echo, print_json, stdout_to_stderr, tell, wrap_text
from proctor.cli.play import conclude, drive, play
from proctor.cli.run import check_k
from proctor.running.plan import exams_of
from proctor.settings import AMOUNT, BOUNDS, Bounds
from proctor.workflows.noise import MOST_REPEATS

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.run import Findings
    from proctor.workflows.noise import RepeatedRun
    from proctor.workflows.rescore import PreparedRescore
    from proctor.workflows.workers import WorkersWanted


def refuse_others(repeats: int | None, alone: dict[str, Any], others: dict[str, Any]) -> None:
    """Refuse options that need --repeats without it, and options of a new run together with it."""
    if repeats is None:
        for option, given in alone.items():
            if given is not None:
                raise click.UsageError(f"{option} goes with --repeats: it is about judging the same replies again")
        return
    for option, given in others.items():
        if given:
            raise click.UsageError(
                f"{option} is for a new run, and --repeats makes none: it only judges the replies of RUN again; "
                "give one of them"
            )


def judge_again(run: str, *, store: str, config: Config, as_json: bool, **options: Any) -> int:
    """Judge the replies repeatedly with a progress bar, then print how much of the uncertainty is judge noise."""
    result = drive(
        lambda watch: workflows.noise.arepeat_judging(run, store=store, config=config, watch=watch, **options),
        go_on="Continue with the same command: what was judged is not asked again.",
    )
    if as_json:
        print_json(reports.run.json.as_dict(result.findings))
    else:
        _print_noise(result)
    if not result.open:
        return 0
    why = f": {result.reason}" if result.reason else ""
    left = reports.numbers.plural(result.open, "judgement")
    tell(f"{left} by {result.judge} still to be given{why}. Continue with the same command.")
    return 4


def _print_noise(repeated: RepeatedRun) -> None:
    findings = repeated.findings
    for noise in findings.noise:
        if noise.judge == repeated.judge:
            for sentence in reports.noise.noise_sentences(noise):
                echo(wrap_text(sentence))


@click.command("rescore", cls=Command)
@options.run_argument
@options.reviewers(
    "Who scores the replies now; given several times, the majority decides [default: keep the stored scores]."
)
@number(
    "--passing-score", bounds=BOUNDS["passing_score"], help="The score from which a case passes [default: as it was]."
)
@click.option(
    "--weights",
    type=options.Pairs(),
    help="Weights of the parts of a score, such as correctness=.5,reasoning=.3,context=.2 [default: as they were].",
)
@click.option("--name", help="A name for the new run [default: the old name, and what changed].")
@number(
    "--repeats",
    bounds=Bounds(least=2, most=MOST_REPEATS, whole=True),
    help="Judge the same replies this many more times, 2 to 100, to measure the judge's own noise.",
)
@number(
    "--sample",
    bounds=Bounds(least=3, most=10**9, whole=True),
    help="With --repeats: judge only this many cases, drawn at random, with all their trials; a larger sample "
    "includes a smaller one [default: all].",
)
@number("--budget", bounds=AMOUNT, metavar="AMOUNT", help="With --repeats: the most that judging again may cost.")
@options.judging_pace()
@options.settings("workers", "ray")
@number("--k", bounds=BOUNDS["k"], help="The k shown for pass@k and pass^k [default: the number of trials].")
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
    new_run = {"--passing-score": changes["passing_score"], "--weights": changes["weights"], "--name": changes["name"]}
    elsewhere = {"--workers": workers, "--ray": ray, "--gate": gates, "--k": k}
    refuse_others(repeats, {"--sample": sample, "--budget": budget}, new_run | elsewhere)
    gating = workflows.gates.read_gates(gates, k=k, look=look, force=force)
    config = options.load_config(config_path)
    url = workflows.store_url.store_url(store, config)
    if repeats is not None:
        pace = {name: changes[name] for name in ("reviewer", "timeout", "concurrency", "retries")}
        return judge_again(
            run, store=url, config=config, as_json=as_json, repeats=repeats, sample=sample, budget=budget, **pace
        )
    with stdout_to_stderr():  # importing user modules may print
        prepared = workflows.rescore.prepare_rescoring(run, store=url, config=config, **changes)
    made = prepared.run
    check_k(k, made.settings.trials)
    gating = workflows.gates.with_baselines(gating, made, store=url)
    gating.check(made, exams_of(prepared.benchmark, made.settings))
    findings = _judge_replies(
        prepared, config, store=url, quiet=as_json, workers=workflows.workers.WorkersWanted(workers, ray)
    )
    return conclude(findings, gating, k=k, as_json=as_json)


def _judge_replies(
    prepared: PreparedRescore, config: Config, *, store: str, quiet: bool, workers: WorkersWanted
) -> Findings:
    """Score the stored replies with a progress bar."""
    made = prepared.run
    opening = (
        f"run {made.id}: the replies of run {made.rescored_from}, {reports.numbers.plural(made.planned, 'attempt')}"
    )
    crew = workflows.rescore.plan_judges(prepared, config, workers)
    with workflows.run_limits.allowing(made.settings, config):
        evaluation = play(
            lambda watch: workflows.rescore.start_rescoring(prepared, store=store, watch=watch, workers=crew),
            run_id=made.id,
            planned=made.planned,
            opening="" if quiet else opening,
        )
    return evaluation.findings
