"""What the attempts of a stored run come to: as it was counted before, where that is kept, else by reading them."""

from __future__ import annotations

from proctor.benchmark import Exam
from proctor.findings import Gathering
from proctor.findings.snapshot import pack, stamp, unpack
from proctor.run import Run
from proctor.storage import Store

LARGE = 20_000
"""Attempts as from which what was counted is kept: fewer are counted again in no time."""


def gathered(store: Store, run: Run, exams: tuple[Exam, ...]) -> Gathering:
    """Every attempt of a run, counted; those of battles and of orchestrators are read with transcripts."""
    known = store.snapshots.read(run.id, stamp(run)) if _is_worth_keeping(run) else None
    gathering = unpack(known, run, exams) if known is not None else None
    if gathering is not None:
        return gathering
    writer = store.snapshots.writer(run.id)
    gathering = Gathering(run, exams)
    read = store.archive.attempts if _is_plain(run) else store.archive.full_attempts
    for attempt in read(run.id):
        gathering.add(attempt)
    keep(store, run, gathering, writer=writer)
    return gathering


def keep(store: Store, run: Run, gathering: Gathering, *, writer: int | None) -> None:
    """Keep what was counted of a large run, unless it was written since `writer` was asked for."""
    if writer is None or not _is_worth_keeping(run):
        return
    body = pack(gathering)
    if body is not None:
        store.snapshots.keep(run.id, stamp=stamp(run), writer=writer, body=body)


def _is_worth_keeping(run: Run) -> bool:
    return _is_plain(run) and run.planned >= LARGE


def _is_plain(run: Run) -> bool:
    return run.settings.type == "standard" and run.kind == "standard"
