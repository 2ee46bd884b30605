"""Start runs requested in a form or by the API: store them and queue them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.benchmark import AskedPart
from proctor.config import Config
from proctor.errors import InputError, UsageError
from proctor.formats.suites.suite import is_suite
from proctor.run import Run
from proctor.web.site import choices
from proctor.web.site.jobs import WrongState
from proctor.web.site.site import Site
from proctor.workflows.criteria import with_criteria
from proctor.workflows.demo import questions
from proctor.workflows.dry_run import RunEstimate, estimate_runs
from proctor.workflows.gates import RunGates, read_gates, with_stored_baselines
from proctor.workflows.pace import pace_of
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest
from proctor.workflows.rescore import prepare_rescoring
from proctor.workflows.resume import extend_run
from proctor.workflows.run_group import join_runs


@dataclass(frozen=True, kw_only=True, slots=True)
class NewRuns:
    """Requested runs, one for each agent; None leaves a choice to the configuration."""

    benchmark: str
    """Id of the benchmark in the library."""
    version: str | None = None
    """Version, or None for the newest."""
    agents: tuple[str, ...]
    """Agents on offer; several are examined in parallel, in a run each, with a shared budget."""
    reviewers: tuple[str, ...] = ()
    """Judges; several form a panel, and `FIRST,SECOND` means that the second judges what the first leaves unsure."""
    criteria: Mapping[str, AskedPart] = field(default_factory=dict)
    """Name → question about every reply for the model judges, or `{asks, weight}`."""
    examiner: str | None = None
    conditions: tuple[str, ...] = ()
    """Names of conditions, `none` or `all`; empty means none."""
    checks: str | None = None
    """Id of a suite in the library whose expectations apply as well."""
    name: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    gates: tuple[str, ...] = ()
    """Gates of each run; empty means those of the configuration."""
    stop_early: bool | None = None
    """Whether a run ends as soon as its gates are decided."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `proctor run`: type, trials, concurrency, timeout, retries, max_turns, seeds, passing_score, weights
    …
    """


def prepare_runs(wanted: NewRuns, site: Site) -> list[PreparedRun]:
    """Resolve, build and check the runs; nothing is stored or called. Raise UsageError if they are not possible."""
    config = site.config
    _must_be_offered(wanted, config)
    if wanted.criteria:
        config = with_criteria(config, wanted.reviewers, wanted.criteria)
    gating = read_gates(wanted.gates or config.run.gate)
    return join_runs([_prepare(wanted, agent, gating, site, config) for agent in wanted.agents])


def _must_be_offered(wanted: NewRuns, config: Config) -> None:
    for agent in wanted.agents:
        choices.must_be_offered("agent", agent, choices.agents(config))
    twice = next((agent for agent in wanted.agents if wanted.agents.count(agent) > 1), None)
    if twice is not None:
        raise UsageError(f"the agent {twice!r} is named twice; expected different agents, or more trials of one")
    choices.must_be_judges(wanted.reviewers, config)
    if wanted.examiner is not None:
        choices.must_be_offered("examiner", wanted.examiner, choices.examiners(config))
    if (canaries := wanted.settings.get("canaries")) is not None:
        choices.must_be_offered("set of canaries", canaries, choices.canaries(config))


def _prepare(wanted: NewRuns, agent: str, gating: RunGates, site: Site, config: Config) -> PreparedRun:
    """Prepare the run of one agent."""
    library = site.library
    checks = library.path(wanted.checks) if wanted.checks else None
    if checks is not None and not is_suite(checks):
        raise InputError(f"the benchmark {wanted.checks!r} expects nothing that could be checked; name a suite")
    name = f"{wanted.name}, {agent}" if wanted.name and len(wanted.agents) > 1 else wanted.name
    request = RunRequest(
        benchmark=library.playable(wanted.benchmark, wanted.version),
        agent=agent,
        reviewer=judged_by(wanted.reviewers),
        examiner=wanted.examiner,
        conditions=wanted.conditions,
        checks=checks,
        name=name or None,
        labels=wanted.labels,
        settings={**wanted.settings, "stop_early": _gates_to_stop_at(wanted, gating, config)},
    )
    ready = prepare(request.with_defaults(config.run), config)
    held = _held_to(gating, ready, site)
    return _with_saved_name(held, library.find(wanted.benchmark).name, run_named=bool(wanted.name))


def judged_by(reviewers: tuple[str, ...]) -> str | list[str] | None:
    """Return the judges as workflows expect them: None, one, or a panel."""
    return list(reviewers) if len(reviewers) > 1 else next(iter(reviewers), None)


def _gates_to_stop_at(wanted: NewRuns, gating: RunGates, config: Config) -> tuple[str, ...]:
    stops = config.run.stop_early if wanted.stop_early is None else wanted.stop_early
    if not stops:
        return ()
    if not gating.wanted:
        raise UsageError("stop_early=true needs a gate to decide, such as pass_rate>=0.9; give one, or leave it out")
    return tuple(each.text for each in gating.wanted)


def _held_to(gating: RunGates, ready: PreparedRun, site: Site) -> PreparedRun:
    """Apply the gates to a run; raise an error for a gate that it could never pass."""
    run = ready.run
    found = with_stored_baselines(gating, run, site.store)
    found.check(run, ready.exams)
    return replace(ready, run=replace(run, gates=found.stored_with(run)))


def _with_saved_name(ready: PreparedRun, name: str, *, run_named: bool) -> PreparedRun:
    """Use the benchmark's saved name instead of the one in its file."""
    own, run = ready.run.benchmark, ready.run
    if own == name:
        return ready
    called = run.name if run_named else run.name.removesuffix(own) + name
    return replace(ready, run=replace(run, benchmark=name, name=called), benchmark=replace(ready.benchmark, name=name))


def estimate(site: Site, wanted: NewRuns) -> RunEstimate:
    """Estimate what the runs would take; raise the errors that starting them would raise."""
    prepared = prepare_runs(wanted, site)
    for ready in prepared:
        let_go(ready)
    return estimate_runs(prepared, site.config, site.store.archive.runs())


def start(site: Site, wanted: NewRuns) -> list[Run]:
    """Store the runs and queue them to be played."""
    return [start_prepared(site, ready) for ready in prepare_runs(wanted, site)]


def start_prepared(site: Site, ready: PreparedRun) -> Run:
    """Store and queue a prepared run."""
    site.store.journal.create(ready.run, ready.benchmark)
    let_go(ready)  # another process plays it and creates its own agent and judges
    return site.jobs.play(ready.run.id)


def start_rescore(
    site: Site,
    run: Run,
    *,
    reviewers: tuple[str, ...] = (),
    criteria: Mapping[str, AskedPart] | None = None,
    passing_score: float | None = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
) -> Run:
    """Rescore a run's stored replies as a new run, without calling the agent."""
    if run.status in ("queued", "running"):
        raise WrongState(f"run {run.id} is still running; judge its replies again when it is over, or pause it first")
    config = site.config
    choices.must_be_judges(reviewers, config)
    if criteria:
        config = with_criteria(config, reviewers, criteria)
    ready = prepare_rescoring(
        run.id,
        reviewer=judged_by(reviewers),
        passing_score=passing_score,
        weights=weights,
        name=name,
        store=site.settings.store,
        config=config,
    )
    site.store.journal.create(ready.run, ready.benchmark)
    return site.jobs.play(ready.run.id)


def go_on(
    site: Site,
    run: Run,
    *,
    trials: int | None = None,
    to_the_end: bool = False,
    retry_timeouts: bool = False,
    **pace: Any,
) -> Run:
    """Play what is missing in a run; optionally more trials, past an early stop, or timed-out attempts again."""
    changed = pace_of(run.settings, site.config.run, **pace)
    if trials is not None or to_the_end or retry_timeouts:
        site.jobs.must_be_playable(run)
        store = site.settings.store
        extend_run(run.id, store=store, trials=trials, to_the_end=to_the_end, retry_timeouts=retry_timeouts)
    return site.jobs.play(run.id, **changed)


def start_demonstration(site: Site) -> list[Run]:
    """Start the first two runs of the demonstration: thirty questions, and a suite."""
    return [start_prepared(site, ready) for ready in questions().values()]


def let_go(ready: PreparedRun) -> None:
    """Close the agent of a run that is played in another process."""
    with contextlib.suppress(Exception):
        asyncio.run(ready.cast.agent.close())
