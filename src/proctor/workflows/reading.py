"""Reading what is stored: one run's findings, all runs."""

from __future__ import annotations

from proctor.findings import Findings
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.statistics.estimate import Estimate
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


def list_runs(*, store: str, limit: int) -> list[tuple[Run, Estimate]]:
    """The newest runs, each with its pass rate."""
    with open_store(store, create=False) as opened:
        runs = opened.archive.runs()[:limit]
        return [(run, findings_of_run(opened, run).pass_rate) for run in runs]
