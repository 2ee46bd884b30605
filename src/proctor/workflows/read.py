"""Read stored runs and findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from proctor.benchmark import Exam
from proctor.errors import InputError, NoSuchRun, StoreError
from proctor.findings.run import Findings, Summary
from proctor.run import PLACES, Attempt, Key, Run
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store
from proctor.usage import Usage
from proctor.workflows.people import with_people
from proctor.workflows.run_filter import RunFilter
from proctor.workflows.stored_counts import accumulate_attempts, verdict_counts
from proctor.workflows.tally import RunTally

_TOLD = 5
"""Maximum number of cases listed in an error message."""


def find_run(name: str, *, store: str) -> Run:
    """Return the stored run with this name."""
    with open_store(store, create=False) as opened:
        return opened.archive.find(name)


def findings_of(store: Store, run_id: str, exams: tuple[Exam, ...]) -> Findings:
    """Return the findings of a run's stored attempts, with human labels."""
    run = store.archive.find(run_id)
    return with_people(store, run, accumulate_attempts(store, run, exams).findings(run))


def read_findings(name: str, *, store: str) -> Findings:
    """Return the findings of a stored run so far."""
    with open_store(store, create=False) as opened:
        return findings_of_run(opened, opened.archive.find(name))


def findings_of_run(opened: Store, run: Run) -> Findings:
    """Return the findings of a run in an open store."""
    exams = stored_exams(opened, run)
    return findings_of(opened, run.id, exams)


def read_case(name: str, case: str, *, trial: int | None, store: str) -> list[tuple[Exam, Attempt]]:
    """Return the attempts at one case, named by its id or a prefix: every trial, or one, under each condition."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exam = _exam(stored_exams(opened, run), case, run)
        keys = (
            Key(run=run.id, exam=exam.id, condition=condition, trial=number)
            for condition in run.settings.conditions
            for number in range(1, run.settings.trials_of(exam.id) + 1)
            if trial in (None, number)
        )
        found = [attempt for key in keys if (attempt := opened.archive.attempt(key)) is not None]
    if not found:
        which = f"trial {trial}" if trial is not None else "attempt"
        raise InputError(f"no {which} of case {exam.id} has been run in run {run.id}")
    return [(exam, attempt) for attempt in found]


def stored_exams(opened: Store, run: Run) -> tuple[Exam, ...]:
    """Return the exams of a stored run."""
    return exams_of(opened.archive.benchmark_of(run.id), run.settings)


def _exam(exams: Sequence[Exam], case: str, run: Run) -> Exam:
    """Return the exam with this name, or the only conversation that contains a row with it."""
    named = {exam.id: exam for exam in exams} | {row.id: exam for exam in exams for row in exam.cases}
    if case in named:
        return named[case]
    meant = {name: exam for name, exam in named.items() if name.startswith(case)}
    if len({exam.id for exam in meant.values()}) == 1:
        return next(iter(meant.values()))
    known = [*(meant or named)]
    listing = ", ".join(known[:_TOLD]) + (f" and {len(known) - _TOLD} more" if len(known) > _TOLD else "")
    raise InputError(
        f"{'several cases begin' if meant else 'no case begins'} with {case!r} in run {run.id}: "
        f"{listing if meant else f'its cases are {listing}'}"
    )


def list_runs(*, store: str, limit: int, only: RunFilter | None = None) -> list[tuple[Run, Summary | None]]:
    """Return the newest runs with their summaries, or None where it is not available."""
    with open_store(store, create=False) as opened:
        runs = (only or RunFilter()).of(opened.archive.runs())[:limit]
        return [(run, summarise(opened, run)) for run in runs]


def summarise(opened: Store, run: Run) -> Summary | None:
    """Return the summary, consistent with the run's findings: a battle's from its outcomes, others without reading
    attempts."""
    if not run.planned:  # it cannot be read
        return None
    try:
        found = _summary(run, _tally(opened, run))
        return replace(found, usage=_usage(opened, run), never_answered=_never_answered(opened, run, found))
    except NoSuchRun:  # it has just been deleted
        return None
    except StoreError:
        if run.settings.type == "standard":
            raise
        return None


def _never_answered(opened: Store, run: Run, found: Summary) -> bool:
    if run.status != "completed" or found.rate.value != 0 or found.judged:
        return False
    return opened.archive.count(run.id, verdicts=("agent",)) == run.planned


def _usage(opened: Store, run: Run) -> Usage:
    used = opened.archive.usage(run.id)
    return used if run.canaries is None else used + run.canaries.usage


def _tally(opened: Store, run: Run) -> RunTally:
    if run.settings.type == "standard":
        tally = RunTally.of(run, ())
        for exam, (counted, passed) in verdict_counts(opened, run).items():
            tally.count_case(exam, counted, passed)
        return tally
    tally = RunTally.of(run, stored_exams(opened, run))
    for attempt in opened.archive.attempts(run.id):
        tally.count(attempt)
    return tally


def _summary(run: Run, tally: RunTally) -> Summary:
    if tally.is_battle:
        return Summary(rate=tally.estimate(), asked=tally.asked, judged=tally.judged, no_test=tally.no_test)
    return Summary(rate=tally.estimate(), no_test=run.status == "completed" and not tally.counted)


def spans(run: Run, rows: Iterable[int]) -> list[tuple[int, int]]:
    """Return the ranges of places (first, last) of these rows of the plan, for `Archive.page`."""
    size = len(run.settings.conditions) * PLACES
    return [(row * size, (row + 1) * size - 1) for row in rows]
