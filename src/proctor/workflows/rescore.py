"""Rescore stored transcripts without calling the agent: another threshold, other weights, another reviewer."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Case, Exam
from proctor.config import Config, RunConfig, load_config
from proctor.errors import EnvironmentFault, UsageError
from proctor.findings.run import Findings
from proctor.findings.run.deciders import judge_decides
from proctor.roles import Reviewer
from proctor.run import Run, Settings, Spec, judge_roles
from proctor.running.plan import Place, exams_of
from proctor.running.workers.messages import Parts
from proctor.score import Review
from proctor.settings import check_name, given
from proctor.spending.budget import Budget
from proctor.storage import Store, open_store
from proctor.transcript import Reply, Request, Turn
from proctor.workflows.conduct import conduct
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.ledger import Watch
from proctor.workflows.pace import pace_of
from proctor.workflows.parts import (
    Cast,
    build_reviewers,
    choose_reviewer,
    criteria_in,
    marks_by_criteria,
    reviewer_again,
    specs_of,
)
from proctor.workflows.prepare import new_id
from proctor.workflows.replies import KEPT, ReplySource, pending_attempts, place, take_over
from proctor.workflows.run_limits import allowing
from proctor.workflows.settings import make_settings
from proctor.workflows.store_url import store_url
from proctor.workflows.tally import RunTally
from proctor.workflows.workers import RunData, WorkerPlan, WorkersWanted, enforce_limits, parts_of, plan_workers


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRescore:
    """A rescoring that is ready to start: everything was resolved, built and checked, and nothing was called yet."""

    run: Run
    benchmark: Benchmark
    cast: Cast
    reviewer: object = None
    """The reviewer as passed in: a Python object, which workers need too, or its name."""
    changed: dict[str, float] = field(default_factory=dict)
    """Timeout, concurrency and retries of reviewers that differ from the run's own."""


class NoAgent:
    """Placeholder for the agent of a rescored run, which is never called."""

    takes_request = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, request: Request) -> Reply:
        """Raise an error: it must never be called."""
        raise EnvironmentFault("a rescored run does not ask its agent")

    async def forget(self, conversation: str) -> None:
        """Do nothing: there is no conversation state."""

    async def close(self) -> None:
        """Do nothing: there are no resources."""


class _StoredReviewer:
    """Placeholder for a reviewer whose reviews are all stored; provides its name."""

    asks_nobody = True

    def __init__(self, name: str, rubric: str) -> None:
        self.name = name
        self.rubric = rubric

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        raise EnvironmentFault(f"this reply was never reviewed by {self.name}")

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


async def arescore(
    run: str,
    *,
    reviewer: object = None,
    passing_score: float | None = None,
    weights: Mapping[str, float] | None = None,
    name: str | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - of the calls that the run makes, not of this one
    concurrency: int | None = None,
    retries: int | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    workers: int | None = None,
    ray: str | None = None,
) -> Evaluation:
    """Judge the stored replies of a run again, as a new run that shares its transcripts, as `proctor rescore` does.

    `reviewer` is a name from `proctor.toml`, a spec string, a live object or a list of them; without one the stored
    scores of the parts are weighed and compared with the passing score again, and no judge is called. `timeout`,
    `concurrency` and `retries` are for calling it: as given, else from `[run]`, else the run's own; `workers` processes
    judge instead of this one, with `ray` on that cluster.
    """
    config = config or load_config()
    url = store_url(store, config)
    prepared = prepare_rescoring(
        run,
        reviewer=reviewer,
        passing_score=passing_score,
        weights=weights,
        name=name,
        store=url,
        config=config,
        timeout=timeout,
        concurrency=concurrency,
        retries=retries,
    )
    crew = plan_judges(prepared, config, WorkersWanted(workers, ray))
    with allowing(prepared.run.settings, config):
        return await start_rescoring(prepared, store=url, watch=watch, workers=crew)


def plan_judges(prepared: PreparedRescore, config: Config, workers: WorkersWanted) -> WorkerPlan | None:
    """Return the plan of workers for rescoring, as requested or as in `[run]`, or None if this process judges."""
    return plan_judging(
        workers, prepared.run, prepared.benchmark, config, reviewer=prepared.reviewer, changed=prepared.changed
    )


def plan_judging(
    workers: WorkersWanted,
    run: Run,
    benchmark: Benchmark,
    config: Config,
    *,
    reviewer: object,
    changed: Mapping[str, Any],
    cache: bool | str | Path = False,
) -> WorkerPlan | None:
    """Return the plan of workers for a rescored run; None if stored reviews are kept, which leaves nothing to
    distribute."""
    if KEPT in run.settings.built:
        return None
    live = {"reviewer": reviewer}
    return plan_workers(workers, run, benchmark, config, build=rebuild_judges, live=live, changed=changed, cache=cache)


@contextmanager
def rebuild_judges(data: RunData, budget: Budget | None) -> Iterator[Parts]:
    """Rebuild the judges of a rescored run in a worker, within its limits."""
    with enforce_limits(data, budget):
        yield parts_of(data, rescoring_cast(data.run, data.benchmark, data.config, data.live.get("reviewer")))


def prepare_rescoring(
    run: str,
    *,
    reviewer: object,
    passing_score: float | None,
    weights: Mapping[str, float] | None,
    name: str | None,
    store: str,
    config: Config,
    **pace: Any,
) -> PreparedRescore:
    """Resolve, build and check everything before the first call."""
    if reviewer is None and passing_score is None and not weights:
        raise UsageError(
            "nothing would change: give another reviewer, passing score or weights",
            terminal=" (--reviewer, --passing-score, --weights)",
        )
    if name is not None:
        check_name("the run's name", name)
    with open_store(store, create=False) as opened:
        source = opened.archive.find(run)
        benchmark = opened.archive.benchmark_of(source.id)
    if source.imported is not None and reviewer is not None:
        source = _judged_here(source)
    cast, settings = _recast(source, benchmark, reviewer, config)
    settings = _with_changes(settings, passing_score, weights, parts=criteria_in(benchmark))
    made = _new_run(source, settings, name or f"{source.name}, {_changes(source.settings, settings, reviewer)}")
    made = replace(made, judge_decides=judge_decides(exams_of(benchmark, settings), settings))
    changed = changed_pace(made, config, **pace)
    return PreparedRescore(run=made, benchmark=benchmark, cast=cast, reviewer=reviewer, changed=changed)


def _judged_here(source: Run) -> Run:
    """Return an imported run without its judge's settings: weights, passing score, and imported verdicts."""
    return replace(source, imported=None, settings=replace(source.settings, weights={}, passing_score=None))


def changed_pace(run: Run, config: Config, **given: Any) -> dict[str, Any]:
    """Return the pace settings that differ for a rescored run's reviewers; empty if none is called."""
    changed = pace_of(run.settings, config.run, **given)
    return {} if KEPT in run.settings.built else changed


async def start_rescoring(
    prepared: PreparedRescore, *, store: str, watch: Watch | None = None, workers: WorkerPlan | None = None
) -> Evaluation:
    """Store the new run and judge the replies of the old one."""
    with open_store(store, create=False) as opened:
        opened.journal.create(prepared.run, prepared.benchmark)
        with opened.journal.writing(prepared.run.id):
            findings = await play_rescored(
                opened, prepared.run, prepared.cast, changed=prepared.changed, watch=watch, workers=workers
            )
    return Evaluation(run=findings.run, findings=findings, store=store)


def _with_changes(
    settings: Settings, passing_score: float | None, weights: Mapping[str, float] | None, *, parts: Sequence[str]
) -> Settings:
    given = {"passing_score": passing_score, "weights": weights or None}
    checked = make_settings(given, RunConfig(), parts=parts, built=settings.built)
    return replace(
        settings,
        passing_score=settings.passing_score if passing_score is None else checked.passing_score,
        weights=checked.weights if weights else settings.weights,
    )


def _changes(before: Settings, after: Settings, reviewer: object) -> str:
    """Return a name for the rescored run that describes what was changed."""
    changes = [] if reviewer is None else [f"reviewed by {after.reviewer or 'checks alone'}"]
    if after.passing_score != before.passing_score:
        changes.append(f"passing at {after.passing_score:g}")
    if after.weights != before.weights:
        changes.append("weighed " + ",".join(f"{part}={weight:g}" for part, weight in after.weights.items()))
    return " and ".join(changes) or "rescored"


def _recast(source: Run, benchmark: Benchmark, reviewer: object, config: Config) -> tuple[Cast, Settings]:
    """Return the judges, and the settings from which they can be rebuilt."""
    settings, agent = source.settings, NoAgent(source.agent)
    judged = {KEPT, *(role for pair in judge_roles(len(settings.panel)) for role in pair)}
    built = {role: spec for role, spec in settings.built.items() if role not in judged}
    if reviewer is None:
        kept = settings.built | {KEPT: Spec(spec="stored")}
        return Cast(agent=agent, reviewers=_stored_reviewers(settings)), replace(settings, built=kept)
    if reviewer == "none" and settings.type != "standard":
        raise UsageError(given("reviewer", "none"), " cannot judge a battle; name another one")
    chosen = None if reviewer == "none" else choose_reviewer(reviewer, config)
    judges = build_reviewers(chosen, benchmark, config, exam_type=settings.type, checks=settings.checks)
    cast = Cast(agent=agent, reviewers=judges)
    if chosen is not None:
        built |= specs_of("reviewer", chosen)
    settings = replace(
        settings,
        reviewer=None if chosen is None else chosen.name,
        panel=() if chosen is None else tuple(judge.name for judge in chosen.panel),
        rubric=cast.rubric,
        built=built,
    )
    if settings.passing_score is None and marks_by_criteria(settings.rubric):
        settings = replace(settings, passing_score=Settings().passing_score)
    return cast, settings


def _stored_reviewers(settings: Settings) -> tuple[Reviewer, ...]:
    """Return a placeholder for all judges: stored reviews are kept as one or, for a panel, by judge."""
    if settings.reviewer is None and settings.checks is None:
        return ()
    if settings.panel:
        return tuple(_StoredReviewer(name, settings.rubric) for name in settings.panel)
    return (_StoredReviewer(settings.reviewer or "checks", settings.rubric),)


def rescoring_cast(run: Run, benchmark: Benchmark, config: Config, reviewer: object) -> Cast:
    """Return the judges of a rescored run to be resumed."""
    settings = run.settings
    if KEPT in settings.built:
        return _recast(run, benchmark, None, config)[0]
    if settings.reviewer is None:
        return _recast(run, benchmark, "none", config)[0]
    chosen = reviewer_again(run, config, reviewer)
    judges = build_reviewers(chosen, benchmark, config, exam_type=settings.type, checks=settings.checks)
    return Cast(agent=NoAgent(run.agent), reviewers=judges)


def _new_run(source: Run, settings: Settings, name: str) -> Run:
    return replace(
        source,
        id=new_id(),
        name=name,
        settings=replace(settings, budget=None, max_tokens=None, stop_early=()),  # these were for calling the agent
        status="queued",
        reason="",
        stop=None,
        interim=None,
        canaries=None,
        earlier_rubrics=source.earlier_rubrics if KEPT in settings.built else (),
        sent={},
        gates=(),
        together=(),
        workers=None,
        rescored_from=source.id,
        created=time.time(),
        started=None,
        ended=None,
        seconds=0.0,
    )


async def play_rescored(
    store: Store,
    run: Run,
    cast: Cast,
    *,
    finished: Container[Place] = frozenset(),
    changed: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
    workers: WorkerPlan | None = None,
) -> Findings:
    """Judge the replies of the source run and copy attempts without a reply to judge. The caller holds the run's
    lock."""
    exams = exams_of(store.archive.benchmark_of(run.id), run.settings)
    source = ReplySource(store=store, run=run, exams={exam.id: exam for exam in exams}, finished=finished)
    tally = _tally_so_far(store, run, exams, finished)
    take_over(source, tally)
    return await conduct(
        store,
        run,
        exams,
        cast=cast,
        pending_attempts=pending_attempts(source),
        tally=tally,
        changed=changed,
        watch=watch,
        workers=workers,
    )


def _tally_so_far(store: Store, run: Run, exams: tuple[Exam, ...], finished: Container[Place]) -> RunTally:
    tally = RunTally.of(run, exams)
    for attempt in store.archive.attempts(run.id):
        if place(attempt) in finished:
            tally.count(attempt)
    return tally
