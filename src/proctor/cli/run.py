"""proctor run: examine an agent on a benchmark."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.run import Findings
    from proctor.workflows.evaluate import PreparedRun
    from proctor.workflows.gates import RunGates
    from proctor.workflows.workers import WorkerPlan


@click.command("run", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--agent", metavar="NAME|SPEC", help="Who is examined, such as python:my_agent:answer.")
@click.option("--agent-kind", type=click.Choice(["standard", "orchestrator", "desktop"]), help="What sort of agent.")
@click.option(
    "--type",
    "exam_type",
    type=click.Choice(["standard", "abm-static", "abm-dynamic"]),
    help="One question each, a battle by script, or a battle with an examiner [default: standard].",
)
@click.option("--examiner", metavar="NAME|SPEC", help="Who asks in abm-dynamic [default: prober].")
@click.option("--max-turns", type=int, help="Turns of a conversation, 1 to 50 [default: 50].")
@click.option("--seeds", type=int, help="Only the first so many seed questions of abm-dynamic.")
@click.option("--conversation-tokens", type=int, help="Most tokens that one conversation may take.")
@click.option(
    "--conversation-seconds", type=float, metavar="SECONDS", help="Longest that the agent may take in a conversation."
)
@click.option(
    "--condition", "conditions", multiple=True, metavar="NAME", help="A declared condition, none or all; repeatable."
)
@click.option(
    "--reviewer",
    metavar="NAME|SPEC",
    help="Who judges: embedded, exact, openai:MODEL …; embedded,openai:MODEL: the model gets what is unsure; "
    "none: the checks alone [default: embedded].",
)
@click.option("--checks", type=click.Path(path_type=Path), help="A suite whose expectations hold for FILE too.")
@click.option("--trials", type=int, help="How often each case is asked [default: 1].")
@click.option("--k", type=int, help="The k of pass@k and pass^k that is printed [default: the trials].")
@click.option("--concurrency", type=int, help="Attempts under way at once [default: 10].")
@options.workers
@click.option("--timeout", type=float, metavar="SECONDS", help="Time limit of one call [default: 60].")
@click.option("--retries", type=int, help="Further tries after an environment failure [default: 2].")
@click.option("--passing-score", type=float, help="A case passes here [default: 0.7].")
@click.option("--weights", type=options.Pairs(), help="Such as correctness=.5,reasoning=.3,context=.2.")
@click.option("--budget", type=float, metavar="AMOUNT", help="Most that may be spent, over all models together.")
@click.option("--max-tokens", type=int, help="Most tokens that may be used, over all models together.")
@click.option(
    "--cache/--no-cache", default=None, help="Keep models' replies in .proctor/cache, and take them from there."
)
@click.option("--dry-run", is_flag=True, help="Say what the run would take, and call nobody.")
@click.option("--name", help="What to call the run.")
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="Anything worth remembering; repeatable.")
@click.option(
    "--annotations/--no-annotations", default=None, help="Annotate FILE on GitHub where the agent did not pass."
)
@click.option(
    "--sync",
    "syncs",
    multiple=True,
    type=click.Choice(["langfuse", "otlp", "phoenix", "mlflow"]),
    help="Send attempts there while the run goes on; repeatable.",
)
@gate_options
@options.store
@options.as_json
def command(
    file: Path,
    agent: str | None,
    k: int | None,
    annotations: bool | None,
    cache: bool | None,
    workers: int | None,
    dry_run: bool,
    syncs: tuple[str, ...],
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **choices: Any,
) -> int:
    """Examine an agent on the benchmark FILE."""
    from proctor.cli.dry_run import foretell
    from proctor.cli.output import tell
    from proctor.config import load_config
    from proctor.running.plan import exams_of
    from proctor.settings import check_setting
    from proctor.workflows.evaluate import plan_run_workers, store_url
    from proctor.workflows.gates import read_gates, with_baselines

    config = load_config(config_path)
    default = config.run
    gating = read_gates(gates or default.gate, look=look, force=force)
    cache = default.cache if cache is None else cache
    prepared = _prepare_run(file, agent or default.agent, config, **choices)
    run, url = prepared.run, store_url(store, config)
    check_k(k, run.settings.trials)
    k = k if k is not None or default.k is None else min(default.k, run.settings.trials)
    gating = with_baselines(replace(gating, k=k), run, store=url)
    gating.check(run, exams_of(prepared.benchmark, run.settings))
    for warning in prepared.warnings:
        tell(f"warning: {warning}")
    if workers is not None:
        check_setting("workers", workers)
    if dry_run:
        return foretell(prepared, config, store=url, as_json=as_json)
    crew = plan_run_workers(prepared, config, workers, cache=cache)
    sent = syncs or default.sync
    findings = _play_run(prepared, config, store=url, cache=cache, syncs=sent, quiet=as_json, workers=crew)
    annotated = default.annotations if annotations is None else annotations
    return _told(findings, gating, file=file, store=url, k=k, as_json=as_json, annotations=annotated)


def _prepare_run(
    file: Path,
    agent: str | None,
    config: Config,
    *,
    exam_type: str | None,
    reviewer: str | None,
    examiner: str | None,
    conditions: tuple[str, ...],
    checks: Path | None,
    name: str | None,
    labels: tuple[str, ...],
    agent_kind: str | None,
    **settings: Any,
) -> PreparedRun:
    from proctor.cli.output import agents_speak_on_stderr
    from proctor.running import exits
    from proctor.workflows.evaluate import prepare
    from proctor.workflows.settings import with_run_defaults

    if agent is None:
        raise click.UsageError("no agent: give --agent, or set `agent` under [run] in proctor.toml")
    given = with_run_defaults(
        config.run,
        conditions=conditions,
        checks=checks,
        labels=options.labels(labels),
        kind=agent_kind,
        settings={"type": exam_type, **settings},
    )
    exits.install()
    with agents_speak_on_stderr():  # a module may print when it is imported
        return prepare(file, agent=agent, reviewer=reviewer, examiner=examiner, name=name, config=config, **given)


def _play_run(
    prepared: PreparedRun,
    config: Config,
    *,
    store: str,
    cache: bool,
    syncs: tuple[str, ...],
    quiet: bool,
    workers: WorkerPlan | None,
) -> Findings:
    """Play the run, and send it where it is to go meanwhile."""
    from proctor.cli.live_sync import following
    from proctor.cli.play import play
    from proctor.reports.numbers import plural
    from proctor.workflows.evaluate import start
    from proctor.workflows.run_limits import allowing

    run = prepared.run
    with allowing(run.settings, config, cache=cache), following(prepared, syncs, store=store) as trail:
        attempts = plural(run.planned, "attempt" if run.settings.type == "standard" else "conversation")
        opening = f"run {run.id}: {run.agent} on {run.benchmark}, {attempts}"
        evaluation = play(
            lambda watch: start(prepared, store=store, watch=watch, heard=trail.feed, workers=workers),
            run_id=run.id,
            planned=run.planned,
            opening="" if quiet else opening,
        )
        trail.findings = evaluation.findings
    return evaluation.findings


def _told(
    findings: Findings, gating: RunGates, *, file: Path, store: str, k: int | None, as_json: bool, annotations: bool
) -> int:
    """Show what was found, and give the exit code."""
    from proctor.cli.play import exit_code, show
    from proctor.workflows.export import annotate

    verdicts = gating.judge(findings)
    show(findings, as_json=as_json, k=k, gates=verdicts)
    if annotations:
        annotate(findings, verdicts, sys.stderr, benchmark=file, store=store)
    return exit_code(findings, verdicts, as_json=as_json)


def check_k(k: int | None, trials: int) -> None:
    """k tries cannot be judged from fewer trials."""
    if k is not None and not 1 <= k <= trials:
        raise click.UsageError(f"k={k} cannot be judged from trials={trials}; expected 1 to {trials}")
