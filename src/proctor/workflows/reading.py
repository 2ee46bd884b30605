"""Reading what is stored: one run's findings, all runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from proctor.benchmark import Exam
from proctor.errors import InputError, NoSuchRun, StoreError
from proctor.findings import Findings, rests_on_seeds_alone
from proctor.run import Attempt, Key, Run
from proctor.running.plan import exams_of
from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import over_cases, pass_at_k
from proctor.storage import Store, open_store
from proctor.workflows.conduct import findings_of

_TOLD = 5
"""Cases that an error names."""


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


def read_case(name: str, case: str, *, trial: int | None, store: str) -> list[tuple[Exam, Attempt]]:
    """What was said about one case, named by its id or the start of it: every trial, or one, under each condition."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exam = _exam(exams_of(opened.archive.benchmark_of(run.id), run.settings), case, run)
        keys = (
            Key(run=run.id, exam=exam.id, condition=condition, trial=number)
            for condition in run.settings.conditions
            for number in range(1, run.settings.trials + 1)
            if trial in (None, number)
        )
        found = [attempt for key in keys if (attempt := opened.archive.attempt(key)) is not None]
    if not found:
        which = f"trial {trial}" if trial is not None else "attempt"
        raise InputError(f"no {which} of case {exam.id} has been played in run {run.id}")
    return [(exam, attempt) for attempt in found]


def _exam(exams: Sequence[Exam], case: str, run: Run) -> Exam:
    """The exam of that name, or the one conversation in which a row of that name is asked."""
    named = {exam.id: exam for exam in exams} | {row.id: exam for exam in exams for row in exam.cases}
    if case in named:
        return named[case]
    meant = {name: exam for name, exam in named.items() if name.startswith(case)}
    if len({exam.id for exam in meant.values()}) == 1:
        return next(iter(meant.values()))
    known = [*(meant or named)]
    told = ", ".join(known[:_TOLD]) + (f" and {len(known) - _TOLD} more" if len(known) > _TOLD else "")
    raise InputError(
        f"{'several cases begin' if meant else 'no case begins'} with {case!r} in run {run.id}: "
        f"{told if meant else f'its cases are {told}'}"
    )


def list_runs(*, store: str, limit: int) -> list[tuple[Run, Estimate | None]]:
    """The newest runs, each with its pass rate; None: it cannot be told."""
    with open_store(store, create=False) as opened:
        runs = opened.archive.runs()[:limit]
        return [(run, pass_rate(opened, run)) for run in runs]


def pass_rate(opened: Store, run: Run) -> Estimate | None:
    """The same number as in the run's findings, without reading its attempts."""
    if not run.planned:  # it cannot be read
        return None
    repeats = run.settings.repeats
    if run.settings.type != "standard":
        return _share_of_replies(opened, run)
    try:
        counts = opened.archive.verdict_counts(run.id)
    except NoSuchRun:  # it was deleted meanwhile
        return None
    unplayed = repeat((0, 0), run.planned // repeats - len(counts))
    return over_cases(pass_at_k, chain(counts.values(), unplayed), 1, planned=repeats)


def _share_of_replies(opened: Store, run: Run) -> Estimate | None:
    """A battle's pass rate, from the verdicts of its replies; None: no fair question was asked."""
    from proctor.battle.conversation import verdicts
    from proctor.battle.units import Units

    repeats = run.settings.repeats
    units, missing = Units(seeds=run.settings.type == "abm-dynamic", repeats=repeats), run.planned
    try:
        if rests_on_seeds_alone(run, opened.archive.attempts(run.id)):
            return None
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
