"""What failed in a stored run, and what of it is new since another."""

from __future__ import annotations

from proctor.benchmark import Exam
from proctor.findings.failure_map import FailureCollector, RunFailures
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store


def read_failures(name: str, *, store: str, since: str | None = None) -> RunFailures:
    """Group what failed in a run; with `since`, say which groups that one does not have."""
    with open_store(store, create=False) as opened:
        return failures_of(opened, opened.archive.find(name), None if since is None else opened.archive.find(since))


def failures_of(opened: Store, run: Run, before: Run | None = None) -> RunFailures:
    """The same in a store that is open."""
    exams, collected = _collect(opened, run)
    earlier = None if before is None else _collect(opened, before)[1]
    return RunFailures(run=run, exams=exams, found=collected.map(earlier), since=before)


def _collect(opened: Store, run: Run) -> tuple[dict[str, Exam], FailureCollector]:
    exams = {exam.id: exam for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
    collected = FailureCollector(exams)
    for attempt in opened.archive.full_attempts(run.id):
        collected.add(attempt)
    return exams, collected
