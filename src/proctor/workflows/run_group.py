"""Runs that are started together on the same cases, one for each agent: they share one budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from proctor.errors import NoSuchRun, RunBusy
from proctor.run import Run
from proctor.storage import Store
from proctor.workflows.prepare import PreparedRun


def join_runs(prepared: Sequence[PreparedRun]) -> list[PreparedRun]:
    """The same runs, each knowing the others; one alone stays as it is."""
    together = tuple(each.run.id for each in prepared)
    if len(together) < 2:
        return list(prepared)
    return [replace(each, run=replace(each.run, together=together)) for each in prepared]


def group_of(store: Store, run: Run) -> Iterator[Run]:
    """The run and those that share its budget, as far as they are still stored."""
    for name in run.together or (run.id,):
        try:
            yield store.archive.find(name)
        except NoSuchRun:
            continue


def refuse_beside(store: Store, run: Run) -> None:
    """Refuse to spend a budget while another run spends it too: neither could know what is left."""
    if (other := companion_at_play(store, run)) is not None:
        raise RunBusy(
            f"run {run.id} shares its budget with run {other.id}, which is running; continue when that is over"
        )


def companion_at_play(store: Store, run: Run) -> Run | None:
    """Another run with the same budget that a process plays at this moment."""
    others = (each for each in group_of(store, run) if each.id != run.id)
    return next((each for each in others if store.archive.alive(each.id)), None)
