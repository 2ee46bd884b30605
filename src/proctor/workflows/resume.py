"""Resume a run where it stopped: nothing is lost, and nothing is paid twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Exam
from proctor.config import Config, RunConfig, load_config
from proctor.errors import UsageError
from proctor.findings.run import Findings
from proctor.run import Attempt, Finished, Run, Stop
from proctor.running.plan import exams_of, pending_attempts
from proctor.running.play import paid_for
from proctor.settings import check_setting, given
from proctor.storage import Store, open_store
from proctor.usage import Usage
from proctor.workflows import stop_early
from proctor.workflows.conduct import conduct
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.ledger import Watch
from proctor.workflows.pace import RETRIED, pace_of
from proctor.workflows.parts import Cast, recast
from proctor.workflows.read import findings_of
from proctor.workflows.replies import KEPT, place
from proctor.workflows.rescore import changed_pace, plan_judging, play_rescored, rescoring_cast
from proctor.workflows.run_group import group_of, refuse_beside
from proctor.workflows.run_limits import allowing, check_prices, is_limited
from proctor.workflows.settings import make_settings
from proctor.workflows.store_url import store_url
from proctor.workflows.tally import RunTally
from proctor.workflows.workers import WorkerPlan, WorkersWanted, plan_workers, rebuild_run


def timed_out(attempt: Attempt) -> bool:
    """Whether an attempt failed because the agent timed out."""
    failure = attempt.failure
    return attempt.finished and failure is not None and failure.owner == "agent" and failure.kind == "timeout"


def reopen_timeouts(store: Store, run: str) -> None:
    """Reset timed-out attempts to be played again, after unmarking the run as completed. The caller holds its lock."""
    again = [Finished(attempt=_afresh(attempt)) for attempt in store.archive.attempts(run) if timed_out(attempt)]
    if again:
        store.journal.mark(
            run, "paused", reason="attempts that had timed out are to be played again", stop=Stop(kind="unplayed")
        )
        store.journal.write(again)


def _afresh(attempt: Attempt) -> Attempt:
    """Return the attempt without its conversation, but with the usage so far."""
    times = attempt.changed.get(RETRIED, 0) + 1
    return Attempt(
        key=attempt.key,
        place=attempt.place,
        resumed="replayed",
        usage=attempt.usage,
        lost=attempt.usage,
        changed={**attempt.changed, RETRIED: times},
    )


async def aresume(
    run: str,
    *,
    agent: Any = None,
    reviewer: Any = None,
    examiner: Any = None,
    trials: int | None = None,
    budget: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - of the calls that the run makes, not of this one
    concurrency: int | None = None,
    retries: int | None = None,
    retry_timeouts: bool = False,
    cache: bool | str | Path = False,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    workers: int | None = None,
    ray: str | None = None,
    to_the_end: bool = False,
) -> Evaluation:
    """Finish a run with its stored benchmark and settings; a completed one is returned as it is.

    Live objects that the run was started with must be passed in again. More `trials` than before extend the run,
    completed or not; a later verdict on it spends some of its level (`Settings.look`). A larger `budget` or
    `max_tokens` continues where the old one was spent. `timeout`, `concurrency` and `retries` apply to what is played
    now: as given, else from `[run]`, else the run's own; each attempt records what it was played with. With
    `retry_timeouts`, timed-out attempts are played again, also in a completed run, which is then not comparable to a
    run without. `workers` processes play instead of this one, whatever played before, with `ray` on that cluster.
    `to_the_end` plays the rest of a run that stopped early; the verdict of its gates stays.
    """
    config = config or load_config()
    url = store_url(store, config)
    pace = {"timeout": timeout, "concurrency": concurrency, "retries": retries}
    with open_store(url, create=False) as opened:
        stored = opened.archive.find(run)
        found = _with_means(_extend(stored, trials, to_the_end=to_the_end), budget, max_tokens)
        found = _with_timeouts(opened, found) if retry_timeouts else found
        benchmark = opened.archive.benchmark_of(found.id)
        if found.status == "completed":
            findings = findings_of(opened, found.id, exams_of(benchmark, found.settings))
        else:
            live = {"agent": agent, "reviewer": reviewer, "examiner": examiner}
            resumption = _Resumption(
                store=opened, stored=stored, run=found, benchmark=benchmark, config=config, live=live, pace=pace,
                cache=cache, watch=watch, workers=WorkersWanted(workers, ray),
            )  # fmt: skip
            findings = await (_play_on if found.rescored_from is None else _judge_on)(resumption)
    return Evaluation(run=findings.run, findings=findings, store=url)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Resumption:
    """A run to be resumed, with all options."""

    store: Store
    stored: Run
    """The run as stored."""
    run: Run
    """The run as resumed."""
    benchmark: Benchmark
    config: Config
    live: Mapping[str, Any]
    pace: Mapping[str, Any]
    cache: bool | str | Path
    watch: Watch | None
    workers: WorkersWanted


async def _play_on(given: _Resumption) -> Findings:
    """Play what is left of a run."""
    store, run, config = given.store, given.run, given.config
    check_prices(run.settings, config)
    changed = pace_of(run.settings, config.run, **given.pace)
    cast = recast(run, given.benchmark, config, given.live)
    crew = plan_workers(
        given.workers, run, given.benchmark, config,
        build=rebuild_run, live=given.live, changed=changed, cache=given.cache,
    )  # fmt: skip
    with store.journal.writing(run.id):
        run = _under_rubric(store, run, cast)
        spent = _take_up(store, given.stored, run)
        with allowing(run.settings, config, cache=given.cache, spent=spent):
            exams = exams_of(given.benchmark, run.settings)
            return await _go_on(store, run, exams, cast, changed=changed, watch=given.watch, workers=crew)


async def _judge_on(given: _Resumption) -> Findings:
    """Judge what is left of a rescored run."""
    store, run, config, reviewer = given.store, given.run, given.config, given.live["reviewer"]
    judges = rescoring_cast(run, given.benchmark, config, reviewer)
    changed = changed_pace(run, config, **given.pace)
    crew = plan_judging(
        given.workers, run, given.benchmark, config, reviewer=reviewer, changed=changed, cache=given.cache
    )
    with store.journal.writing(run.id), allowing(run.settings, config, cache=given.cache):
        run = _under_rubric(store, run, judges)
        if run != given.stored:
            store.journal.amend(run)
        done = store.archive.finished(run.id)
        return await play_rescored(store, run, judges, finished=done, changed=changed, watch=given.watch, workers=crew)


def _under_rubric(store: Store, run: Run, cast: Cast) -> Run:
    """Return the run with the current reviewers' rubric; scores by an earlier version's rubric are kept."""
    before = run.settings.rubric
    if cast.rubric == before or KEPT in run.settings.built:
        return run
    judged = any(attempt.finished and attempt.failure is None for attempt in store.archive.attempts(run.id)) or any(
        reviews for _, reviews in store.archive.pending_attempts(run.id)
    )
    earlier = dict.fromkeys([*run.earlier_rubrics, before] if judged else run.earlier_rubrics)
    return replace(run, settings=replace(run.settings, rubric=cast.rubric), earlier_rubrics=tuple(earlier))


def _take_up(store: Store, stored: Run, run: Run) -> Usage | None:
    """Store changes to a resumed run; return its usage so far, if that is limited. The caller holds its lock."""
    _count_killed(store, run.id)
    if run != stored:
        store.journal.amend(run)
    if run.settings.retried_timeouts > stored.settings.retried_timeouts:
        reopen_timeouts(store, run.id)
    if not is_limited(run.settings):
        return None
    refuse_beside(store, run)
    return sum((_spent(store, each) for each in group_of(store, run)), Usage())


def run_to_resume(
    name: str, *, store: str, trials: int | None = None, retry_timeouts: bool = False, to_the_end: bool = False
) -> Run:
    """Return the run as it would be resumed; if it is completed, nothing is left to play."""
    with open_store(store, create=False) as opened:
        found = _extend(opened.archive.find(name), trials, to_the_end=to_the_end)
        return _with_timeouts(opened, found) if retry_timeouts else found


def extend_run(
    name: str, *, store: str, trials: int | None = None, to_the_end: bool = False, retry_timeouts: bool = False
) -> Run:
    """Plan more of a run that nobody plays: trials, the rest of an early stop, or timed-out attempts again.

    `resume` plays them; a run without any of these stays as it is.
    """
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        with opened.journal.writing(run.id):
            stored = opened.archive.find(run.id)
            longer = _extend(stored, trials, to_the_end=to_the_end)
            longer = _with_timeouts(opened, longer) if retry_timeouts else longer
            if longer == stored:
                return stored
            opened.journal.mark(run.id, "paused", reason="more of it is to be played", stop=Stop(kind="unplayed"))
            opened.journal.amend(longer)
            if longer.settings.retried_timeouts > stored.settings.retried_timeouts:
                reopen_timeouts(opened, run.id)
        return opened.archive.find(run.id)


def _with_timeouts(store: Store, run: Run) -> Run:
    """Return the run with its timed-out attempts planned again, or unchanged if there are none."""
    if run.rescored_from is not None:
        raise UsageError(
            f"run {run.id} only judges the replies of run {run.rescored_from}; play the time-outs of that one again"
        )
    if not any(map(timed_out, store.archive.attempts(run.id))):
        return run
    stop_early.refuse_cut(run, "retry_timeouts")
    again = run.settings.retried_timeouts + 1
    return replace(run, settings=replace(run.settings, retried_timeouts=again), status="paused")


def _extend(run: Run, trials: int | None, *, to_the_end: bool) -> Run:
    if run.imported is not None and run.rescored_from is None:
        raise UsageError(
            f"run {run.id} was run in {run.imported.tool} and only imported, so it cannot be continued here; "
            "judge its replies",
            terminal=f" with `proctor rescore {run.id} --reviewer NAME`, or run an agent on its cases",
            page=" again, or run an agent on its cases",
        )
    return with_trials(stop_early.to_the_end(run) if to_the_end else run, trials)


def with_trials(run: Run, trials: int | None) -> Run:
    """Return the run with more trials planned, as a further look; unchanged for None."""
    settings = run.settings
    if trials is None:
        return run
    if run.rescored_from is not None:
        raise UsageError(f"run {run.id} only judges the replies of run {run.rescored_from}; extend that one")
    check_setting("trials", trials)
    stop_early.refuse_cut(run, f"trials={trials}")
    if trials <= settings.trials:
        raise UsageError(given("trials", trials), f" extends nothing: run {run.id} has {settings.trials} already")
    extended = replace(settings, trials=trials, look=settings.look + 1)
    planned = extended.planned_trials(run.exams) * len(settings.conditions)
    return replace(run, settings=extended, planned=planned, status="paused")


def _with_means(run: Run, budget: float | None, max_tokens: int | None) -> Run:
    """Return the run with other spending limits, or unchanged if none are given."""
    if budget is None and max_tokens is None:
        return run
    if run.rescored_from is not None:
        raise UsageError(
            f"run {run.id} only judges the replies of run {run.rescored_from} and has no budget; give none"
        )
    make_settings({"budget": budget, "max_tokens": max_tokens}, RunConfig())  # raises if a limit is invalid
    settings = replace(
        run.settings,
        budget=run.settings.budget if budget is None else budget,
        max_tokens=run.settings.max_tokens if max_tokens is None else max_tokens,
    )
    return replace(run, settings=settings)


def _count_killed(store: Store, run: str) -> None:
    """Add the playing time of a session that was killed, which could not store it itself."""
    stored = store.archive.find(run)
    if stored.status != "running":  # we hold the lock, so nobody plays it
        return
    before = stored.ended or 0.0
    times = [(attempt.started, attempt.ended) for attempt in store.archive.attempts(run) if attempt.started > before]
    worked = max(ended for _, ended in times) - min(started for started, _ in times) if times else 0.0
    store.journal.mark(run, "paused", reason="it was killed", stop=Stop(kind="killed"), seconds=max(0.0, worked))


def _spent(store: Store, run: Run) -> Usage:
    """Return the usage of all attempts so far, including failed and interrupted ones."""
    total, finished = run.canaries.usage if run.canaries else Usage(), store.archive.finished(run.id)
    for attempt in store.archive.attempts(run.id):
        if place(attempt) in finished:
            total += attempt.usage
    for attempt, reviews in store.archive.pending_attempts(run.id):
        total += paid_for(attempt, reviews)
    return total


async def _go_on(
    store: Store,
    run: Run,
    exams: tuple[Exam, ...],
    cast: Cast,
    *,
    changed: Mapping[str, Any],
    watch: Watch | None,
    workers: WorkerPlan | None,
) -> Findings:
    under_way = {
        (attempt.key.exam, attempt.key.condition, attempt.key.trial): (attempt, reviews)
        for attempt, reviews in store.archive.pending_attempts(run.id)
    }
    tally = _tally_so_far(store, run, exams)
    tally.under_way = {attempt.key: max(reviews) for attempt, reviews in under_way.values() if reviews}
    return await conduct(
        store,
        run,
        exams,
        cast=cast,
        pending_attempts=pending_attempts(run, exams, finished=store.archive.finished(run.id), under_way=under_way),
        tally=tally,
        changed=changed,
        watch=watch,
        workers=workers,
        looks=stop_early.begin_looks(store, run, exams),
    )


def _tally_so_far(store: Store, run: Run, exams: tuple[Exam, ...]) -> RunTally:
    """Return the tally of attempts that are not played again."""
    tally = RunTally.of(run, exams)
    for attempt in store.archive.attempts(run.id):
        if attempt.finished and (attempt.failure is None or attempt.failure.owner == "agent"):
            tally.count(attempt)
    return tally
