"""proctor run: evaluate an agent on a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.compare import as_dict as as_comparison
from proctor.cli.compare import show_compared, side_by_side
from proctor.cli.gate_options import gate_options
from proctor.cli.output import print_json, stdout_to_stderr, tell
from proctor.cli.play import exit_code, play, show, show_gates
from proctor.settings import check_setting, settings_of

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.gates import GateVerdict
    from proctor.findings.run import Findings
    from proctor.spending.budget import Budget
    from proctor.workflows.gates import RunGates
    from proctor.workflows.prepare import PreparedRun
    from proctor.workflows.request import RunRequest
    from proctor.workflows.workers import WorkerPlan


@click.command("run", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME|SPEC",
    shell_complete=completion.agents,
    help="The agent to test, such as python:my_agent:answer; given several times, they are compared "
    "[default: agent under [run] in proctor.toml].",
)
@click.option(
    "--agent-kind",
    type=click.Choice(["standard", "orchestrator", "desktop"]),
    metavar="standard|orchestrator",
    help="The kind of agent; an orchestrator calls others to answer [default: standard].",
)
@options.settings(*settings_of("command"))
@click.option(
    "--examiner",
    metavar="NAME|SPEC",
    shell_complete=completion.examiners,
    help="The examiner that asks the questions in abm-dynamic [default: prober].",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="A condition of proctor.toml or the suite to run under; none: the plain run; all: every one and "
    "none; repeatable [default: none].",
)
@options.reviewers(
    "Who scores the replies: embedded, exact, openai:MODEL …; embedded,openai:MODEL sends only unsure replies to "
    "the model; given several times, the majority decides; none uses the checks alone "
    "[default: embedded; none for a suite of checks alone]."
)
@click.option(
    "--checks",
    type=click.Path(path_type=Path),
    metavar="SUITE",
    help="A suite whose expectations are checked too: those of a case on the rows of FILE with the same question, its "
    "own on all of them.",
)
@click.option(
    "--weights",
    type=options.Pairs(),
    help="Weights of the parts of a score [default: "
    "correctness=.5,reasoning=.3,context=.2; in battles "
    "correctness=.4,reasoning=.2,context=.1,consistency=.3].",
)
@click.option(
    "--cache/--no-cache",
    default=None,
    help="Store model replies in .proctor/cache and reuse them; each trial is asked separately.",
)
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens, cost and time, without making a call.")
@click.option("--name", help="A name for the run [default: AGENT on BENCHMARK].")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    help="A key-value label for the run; repeatable [default: commit and branch of the git repository here].",
)
@click.option(
    "--annotations/--no-annotations",
    default=None,
    help="Write GitHub annotations to standard error: lines of FILE that did not pass, and gates that are not met.",
)
@click.option(
    "--sync",
    "syncs",
    multiple=True,
    type=click.Choice(["langfuse", "otlp", "phoenix", "mlflow"]),
    help="Send attempts to this service during the run; problems there do not affect the run; repeatable.",
)
@gate_options
@click.option(
    "--stop-early/--no-stop-early",
    "stops",
    default=None,
    help="Stop as soon as the gates are decided, about half way on average; an interim look every 5 % of the cases; "
    "not with --look.",
)
@options.store
@options.as_json
def command(
    file: Path,
    agents: tuple[str, ...],
    k: int | None,
    annotations: bool | None,
    cache: bool | None,
    workers: int | None,
    ray: str | None,
    dry_run: bool,
    syncs: tuple[str, ...],
    gates: tuple[str, ...],
    stops: bool | None,
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **choices: Any,
) -> int:
    """Test an agent on the benchmark FILE, or several side by side."""
    config = options.load_config(config_path)
    default, url = config.run, workflows.store_url.store_url(store, config)
    gating = workflows.gates.read_gates(gates or default.gate, look=look, force=force)
    early = _gates_to_stop_at(gating, default.stop_early if stops is None else stops, look)
    if workers is not None:
        check_setting("workers", workers)
    request = _read_request(file, config, cache=cache, workers=workers, ray=ray, stop_early=early, **choices)
    chosen = _chosen_agents(agents, default.agent)
    jobs = _join_jobs(
        _prepare_job(_for_agent(request, agent, several=len(chosen) > 1), config, gating, k=k, store=url)
        for agent in chosen
    )
    if dry_run:
        from proctor.cli.dry_run import show_estimate

        return show_estimate([job.prepared for job in jobs], config, store=url, as_json=as_json)
    budget = _shared_budget(jobs)
    crews = [workflows.evaluate.plan_crew(request, job.prepared, config) for job in jobs]
    found = [
        _play_run(request, job.prepared, config, store=url, syncs=syncs, quiet=as_json, workers=crew, budget=budget)
        for job, crew in zip(jobs, crews, strict=True)
    ]
    annotated = default.annotations if annotations is None else annotations
    verdicts = [job.gating.judge(findings) for findings, job in zip(found, jobs, strict=True)]
    code = _show_findings(found, verdicts, jobs[0].k, as_json=as_json, force=force)
    if annotated:
        for findings, judged in zip(found, verdicts, strict=True):
            workflows.export.annotate(findings, judged, sys.stderr, benchmark=file, store=url)
    return code


@dataclass(frozen=True, kw_only=True, slots=True)
class _PlannedRun:
    """A prepared run with its gates."""

    prepared: PreparedRun
    gating: RunGates
    k: int | None


def _chosen_agents(given: tuple[str, ...], default: str | list[str] | None) -> tuple[str, ...]:
    agents = given or ((default,) if isinstance(default, str) else tuple(default or ()))
    if not agents:
        raise click.UsageError("no agent: give --agent, or set `agent` under [run] in proctor.toml")
    twice = next((agent for agent in agents if agents.count(agent) > 1), None)
    if twice is not None:
        raise click.UsageError(
            f"the agent {twice!r} is given twice; expected different agents, or more --trials of one"
        )
    return agents


def _read_request(
    file: Path,
    config: Config,
    *,
    reviewer: str | list[str] | None,
    examiner: str | None,
    conditions: tuple[str, ...],
    checks: Path | None,
    name: str | None,
    labels: tuple[str, ...],
    agent_kind: str | None,
    cache: bool | None,
    workers: int | None,
    ray: str | None,
    **settings: Any,
) -> RunRequest:
    """Build the request from the options, without the agent; unset options default to `[run]`."""
    asked = workflows.request.RunRequest(
        benchmark=file, agent=None, reviewer=reviewer, examiner=examiner, conditions=conditions, checks=checks,
        name=name, labels=options.label_pairs(labels), kind=agent_kind, cache=cache, workers=workers, ray=ray,
        settings=settings,
    )  # fmt: skip
    return asked.with_defaults(config.run)


def _for_agent(request: RunRequest, agent: str, *, several: bool) -> RunRequest:
    name = f"{request.name}, {agent}" if request.name is not None and several else request.name
    return replace(request, agent=agent, name=name)


def _prepare_job(request: RunRequest, config: Config, gating: RunGates, *, k: int | None, store: str) -> _PlannedRun:
    """Prepare one run and check its gates."""
    prepared = _prepare_run(request, config)
    run, default = prepared.run, config.run
    check_k(k, run.settings.trials)
    k = k if k is not None or default.k is None else min(default.k, run.settings.trials)
    gating = workflows.gates.with_baselines(replace(gating, k=k), run, store=store)
    gating.check(run, prepared.exams)
    for warning in prepared.warnings:
        tell(f"warning: {warning}")
    return _PlannedRun(prepared=replace(prepared, run=replace(run, gates=gating.stored_with(run))), gating=gating, k=k)


def _join_jobs(jobs: Iterable[_PlannedRun]) -> list[_PlannedRun]:
    """Return the runs, with each linked to the others."""
    each = list(jobs)
    joined = workflows.run_group.join_runs([job.prepared for job in each])
    return [replace(job, prepared=prepared) for job, prepared in zip(each, joined, strict=True)]


def _shared_budget(jobs: Sequence[_PlannedRun]) -> Budget | None:
    """Return the budget that several runs share; None for a single run, or if there is no limit."""
    from proctor.spending.budget import Budget

    settings = jobs[0].prepared.run.settings
    if len(jobs) < 2 or not workflows.run_limits.is_limited(settings):
        return None
    return Budget(cost=settings.budget, tokens=settings.max_tokens)


def _gates_to_stop_at(gating: RunGates, stops: bool, look: int) -> tuple[str, ...]:
    if not stops:
        return ()
    if look > 1:
        raise click.UsageError("--stop-early and --look both spend the error of a verdict: give one of them")
    if not gating.wanted:
        raise click.UsageError('--stop-early needs a --gate to decide, such as --gate "pass_rate>=0.9"')
    return tuple(wanted.text for wanted in gating.wanted)


def _prepare_run(request: RunRequest, config: Config) -> PreparedRun:
    from proctor.plugins import exits

    exits.install()
    with stdout_to_stderr():  # importing user modules may print
        return workflows.prepare.prepare(request, config)


def _play_run(
    request: RunRequest,
    prepared: PreparedRun,
    config: Config,
    *,
    store: str,
    syncs: tuple[str, ...],
    quiet: bool,
    workers: WorkerPlan | None,
    budget: Budget | None,
) -> Findings:
    """Play the run and send it to its destinations meanwhile."""
    from proctor.cli.play import following

    run = prepared.run
    sent = following(prepared, syncs, config.run.sync, store=store)
    with workflows.run_limits.allowing(run.settings, config, cache=request.cache or False, budget=budget), sent as live:
        attempts = reports.numbers.plural(run.planned, "attempt" if run.settings.type == "standard" else "conversation")
        early = ", stops when its gates are decided" if run.settings.stop_early else ""
        opening = f"run {run.id}: {run.agent} on {run.benchmark}, {attempts}{early}"
        opening = "\n".join([opening, *(each.describe() for each in workflows.stop_early.planned_looks(run))])
        evaluation = play(
            lambda watch: workflows.evaluate.start(
                prepared, store=store, watch=watch, heard=live.feed, workers=workers
            ),
            run_id=run.id,
            planned=run.planned,
            opening="" if quiet else opening,
        )
        live.findings = evaluation.findings
    return evaluation.findings


def _show_findings(
    found: Sequence[Findings], verdicts: Sequence[Sequence[GateVerdict]], k: int | None, *, as_json: bool, force: bool
) -> int:
    """Print the report and return the exit code."""
    if len(found) > 1:
        return _told_together(found, verdicts, as_json=as_json, force=force)
    show(found[0], as_json=as_json, k=k, gates=verdicts[0])
    return exit_code(found[0], verdicts[0], as_json=as_json)


def _told_together(
    found: Sequence[Findings], verdicts: Sequence[Sequence[GateVerdict]], *, as_json: bool, force: bool
) -> int:
    """Print several runs side by side with their gates; return the most important of their exit codes."""
    together = side_by_side(found, force=force)
    if as_json:
        runs = [reports.run.json.as_dict(findings, gates) for findings, gates in zip(found, verdicts, strict=True)]
        print_json({"runs": runs, "comparison": as_comparison(together)})
    else:
        show_compared(together)
        for findings, gates in zip(found, verdicts, strict=True):
            show_gates(findings, gates)
    codes = [exit_code(*each, as_json=as_json) for each in zip(found, verdicts, strict=True)]
    return next((code for code in (4, 1, 3) if code in codes), 0)


def check_k(k: int | None, trials: int) -> None:
    """Refuse a k larger than the number of trials."""
    if k is not None and k > trials:
        has = f"each case has {trials} trial{'s'[: trials != 1]}"
        raise click.UsageError(f"--k {k} needs --trials {k} or more, and {has}; give more trials or a smaller --k")
