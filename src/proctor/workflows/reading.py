"""Reading what is stored: one run's findings, all runs."""

from __future__ import annotations

from itertools import chain, repeat

from proctor.errors import NoSuchRun, StoreError
from proctor.findings import Findings
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import over_cases, pass_at_k
from proctor.storage import Store, open_store
from proctor.workflows.conduct import findings_of


def find_run(name: str, *, store: str) -> Run:
    """The stored run that was meant."""
    with open_store(store, create=False) as opened:
        return opened.archive.find(name)


def read_findings(name: str, *, store: str) -> Findings:
    """What a stored run found, as far as it got."""
    with open_store(store, create=False) as opened:
        return findings_of_run(opened, opened.archive.find(name))


def findings_of_run(opened: Store, run: Run) -> Findings:
    """The same in a store that is open already."""
    exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
    return findings_of(opened, run.id, exams)


def list_runs(*, store: str, limit: int) -> list[tuple[Run, Estimate | None]]:
    """The newest runs, each with its pass rate; None: it cannot be told."""
    with open_store(store, create=False) as opened:
        runs = opened.archive.runs()[:limit]
        return [(run, _pass_rate(opened, run)) for run in runs]


def _pass_rate(opened: Store, run: Run) -> Estimate | None:
    """The same number as in the run's findings, without reading its attempts."""
    if not run.planned:  # it cannot be read
        return None
    repeats = run.settings.trials * len(run.settings.conditions)
    if run.settings.type != "standard":
        return _share_of_replies(opened, run)
    try:
        counts = opened.archive.verdict_counts(run.id)
    except NoSuchRun:  # it was deleted meanwhile
        return None
    unplayed = repeat((0, 0), run.planned // repeats - len(counts))
    return over_cases(pass_at_k, chain(counts.values(), unplayed), 1, planned=repeats)


def _share_of_replies(opened: Store, run: Run) -> Estimate | None:
    """A battle's pass rate, from the verdicts of its replies."""
    from proctor.battle.conversation import verdicts
    from proctor.battle.units import Units

    units, missing = Units(seeds=run.settings.type == "abm-dynamic"), run.planned
    try:
        exams = {exam.id: exam for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
        for attempt in opened.archive.attempts(run.id):
            replies, passed = verdicts(exams[attempt.key.exam], attempt)
            lost = attempt.failure is not None and attempt.failure.owner == "environment"
            if attempt.finished and replies and not lost:
                units.add(attempt.key.exam, passed / replies)
                missing -= 1
    except (NoSuchRun, StoreError):  # it was deleted meanwhile
        return None
    return units.estimate(missing=missing)
