"""Failure groups of a stored run, and which of them are new since another run."""

from __future__ import annotations

from proctor.benchmark import Exam
from proctor.findings.battle.conversation import right_from_of
from proctor.findings.comparison import unlike
from proctor.findings.failure_map import FailureCollector, RunFailures
from proctor.findings.run.circumstances import origin_of, runs_of_same_replies
from proctor.roles import Archive
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store

READ_ALONG = 5_000
"""Maximum attempts of a run whose failures are grouped whenever it is shown, not only on request."""


def read_failures(name: str, *, store: str, since: str | None = None) -> RunFailures:
    """Group the failures of a run; with `since`, also report which groups that run does not have."""
    with open_store(store, create=False) as opened:
        return failures_of(opened, opened.archive.find(name), None if since is None else opened.archive.find(since))


def failures_of(opened: Store, run: Run, before: Run | None = None) -> RunFailures:
    """Group the failures of a run in an open store."""
    exams, collected = _collect(opened, run)
    earlier = {} if before is None else _collect(opened, before)[1]
    found = {name: each.map(earlier.get(name)) for name, each in collected.items()}
    return RunFailures(run=run, exams=exams, found=found.pop(""), conditions=found, since=before)


def _collect(opened: Store, run: Run) -> tuple[dict[str, Exam], dict[str, FailureCollector]]:
    """Collect the failures of a run by condition if the plain run is one of several, else all under "", with its
    exams.
    """
    exams = {exam.id: exam for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
    apart = run.settings.conditions if run.settings.has_plain_run else ()
    collected = {
        name: FailureCollector(exams, right_from=right_from_of(run.settings)) for name in dict.fromkeys(("", *apart))
    }
    for attempt in opened.archive.full_attempts(run.id):
        collected[attempt.key.condition if apart else ""].add(attempt)
    return exams, collected


def failures_shown_with(opened: Store, run: Run) -> RunFailures | None:
    """Return the failure groups shown with the results, compared with the previous run on the same cases.

    None if nothing failed or there are too many attempts to read.
    """
    if run.planned > READ_ALONG:
        return None
    before = run_before(opened.archive, run)
    found = failures_of(opened, run, before if before is not None and before.planned <= READ_ALONG else None)
    return found if found.failed_maps else None


def run_before(archive: Archive, run: Run) -> Run | None:
    """Return the agent's last comparable run before this one, excluding runs of the same replies."""
    known = {each.id: each for each in archive.runs()}

    def origin(each: Run) -> str:
        return origin_of(runs_of_same_replies(each, known.get))

    before = (each for each in known.values() if each.created < run.created and each.planned)
    own = (each for each in before if each.agent == run.agent and origin(each) != origin(run))
    return next((each for each in own if each.digest == run.digest and not unlike(each, run)), None)
