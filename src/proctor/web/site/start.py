"""What somebody asks for in a form or by the API → a run that is stored and waits to be played."""

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
    """Runs as somebody wants them, one for each agent; what is None is left to the configuration."""

    benchmark: str
    """Its id in the library."""
    version: str | None = None
    """None: the newest."""
    agents: tuple[str, ...]
    """Those that are offered; several are examined side by side, a run each, with one budget."""
    reviewers: tuple[str, ...] = ()
    """Several are a panel; `FIRST,SECOND` is two, of whom the second gets what the first leaves unsure."""
    criteria: Mapping[str, AskedPart] = field(default_factory=dict)
    """Name → what is asked of every reply, or `{asks, weight}`, by the models among the reviewers."""
    examiner: str | None = None
    conditions: tuple[str, ...] = ()
    """Names, `none` or `all`; empty: none."""
    checks: str | None = None
    """The id of a suite in the library whose expectations hold too."""
    name: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    gates: tuple[str, ...] = ()
    """What each run is held to; empty: those of the configuration."""
    stop_early: bool | None = None
    """Whether a run ends as soon as its gates are decided."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of `proctor run`: type, trials, concurrency, timeout, retries, max_turns, seeds, passing_score, weights …"""


def prepare_runs(wanted: NewRuns, site: Site) -> list[PreparedRun]:
    """Everything found, built and checked; nothing is stored or called yet. Raises UsageError for what cannot be."""
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
    """One of the runs, for this agent."""
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
    """Who judges, as workflows take it: nobody named, one, or a panel."""
    return list(reviewers) if len(reviewers) > 1 else next(iter(reviewers), None)


def _gates_to_stop_at(wanted: NewRuns, gating: RunGates, config: Config) -> tuple[str, ...]:
    stops = config.run.stop_early if wanted.stop_early is None else wanted.stop_early
    if not stops:
        return ()
    if not gating.wanted:
        raise UsageError("stop_early=true needs a gate to decide, such as pass_rate>=0.9; give one, or leave it out")
    return tuple(each.text for each in gating.wanted)


def _held_to(gating: RunGates, ready: PreparedRun, site: Site) -> PreparedRun:
    """The run with its gates, none of which it could not meet however good the agent."""
    run = ready.run
    found = with_stored_baselines(gating, run, site.store)
    found.check(run, ready.exams)
    return replace(ready, run=replace(run, gates=found.stored_with(run)))


def _with_saved_name(ready: PreparedRun, name: str, *, run_named: bool) -> PreparedRun:
    """By the name under which the benchmark was saved, whatever its file calls itself."""
    own, run = ready.run.benchmark, ready.run
    if own == name:
        return ready
    called = run.name if run_named else run.name.removesuffix(own) + name
    return replace(ready, run=replace(run, benchmark=name, name=called), benchmark=replace(ready.benchmark, name=name))


def estimate(site: Site, wanted: NewRuns) -> RunEstimate:
    """What the runs would take: they are prepared and let go of again. Raises what starting them would raise."""
    prepared = prepare_runs(wanted, site)
    for ready in prepared:
        let_go(ready)
    return estimate_runs(prepared, site.config, site.store.archive.runs())


def start(site: Site, wanted: NewRuns) -> list[Run]:
    """Store the runs and play them, now or in turn."""
    return [start_prepared(site, ready) for ready in prepare_runs(wanted, site)]


def start_prepared(site: Site, ready: PreparedRun) -> Run:
    """The same for one that is prepared already."""
    site.store.journal.create(ready.run, ready.benchmark)
    let_go(ready)  # another process plays it, with players of its own
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
    """Have the stored replies of a run judged again, as a run of its own that asks no agent."""
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
    """Play what is missing of a run; with more trials, to the end, or with its time-outs again, more than before."""
    changed = pace_of(run.settings, site.config.run, **pace)
    if trials is not None or to_the_end or retry_timeouts:
        site.jobs.must_be_playable(run)
        store = site.settings.store
        extend_run(run.id, store=store, trials=trials, to_the_end=to_the_end, retry_timeouts=retry_timeouts)
    return site.jobs.play(run.id, **changed)


def start_demonstration(site: Site) -> list[Run]:
    """The demonstration's first two runs: thirty questions, and a suite."""
    return [start_prepared(site, ready) for ready in questions().values()]


def let_go(ready: PreparedRun) -> None:
    """Close the agent of a run that is not played here."""
    with contextlib.suppress(Exception):
        asyncio.run(ready.cast.agent.close())
