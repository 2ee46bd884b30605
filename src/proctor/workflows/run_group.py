"""Groups of runs started together on the same cases, one for each agent, with a shared budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from proctor.errors import NoSuchRun, RunBusy
from proctor.run import Run
from proctor.storage import Store
from proctor.workflows.prepare import PreparedRun


def join_runs(prepared: Sequence[PreparedRun]) -> list[PreparedRun]:
    """Link the runs with each other; a single one stays as it is."""
    together = tuple(each.run.id for each in prepared)
    if len(together) < 2:
        return list(prepared)
    return [replace(each, run=replace(each.run, together=together)) for each in prepared]


def group_of(store: Store, run: Run) -> Iterator[Run]:
    """Yield the stored runs that share this run's budget, including itself."""
    for name in run.together or (run.id,):
        try:
            yield store.archive.find(name)
        except NoSuchRun:
            continue


def refuse_beside(store: Store, run: Run) -> None:
    """Raise an error if another run is spending the same budget: neither could know what is left."""
    if (other := companion_at_play(store, run)) is not None:
        raise RunBusy(
            f"run {run.id} shares its budget with run {other.id}, which is running; continue when that is over"
        )


def companion_at_play(store: Store, run: Run) -> Run | None:
    """Return another run with the same budget that is being played now, or None."""
    others = (each for each in group_of(store, run) if each.id != run.id)
    return next((each for each in others if store.archive.alive(each.id)), None)
