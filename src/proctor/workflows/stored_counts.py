"""What the attempts of a stored run come to: as it was counted before, where that is kept, else by reading them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING

from proctor.benchmark import Exam
from proctor.findings.run import Accumulator
from proctor.findings.run.snapshot import pack, stamp, unpack
from proctor.run import Attempt, Run
from proctor.running.plan import exams_of
from proctor.storage import Store

if TYPE_CHECKING:  # it imports SQLAlchemy
    from proctor.storage.snapshots import SnapshotClaim

LARGE = 20_000
"""Attempts as from which what was counted is kept: fewer are counted again in no time."""


def accumulate_attempts(store: Store, run: Run, exams: tuple[Exam, ...]) -> Accumulator:
    """Every attempt of a run, counted; those of battles and of orchestrators are read with transcripts."""
    known = recall_accumulator(store, run, exams)
    if known is not None:
        return known
    counting = CountingPass(store, run, exams)
    read = store.archive.attempts if _is_plain(run) else store.archive.full_attempts
    for _ in counting.watching(read(run.id)):
        pass
    return counting.gathering


def recall_accumulator(store: Store, run: Run, exams: tuple[Exam, ...] | None = None) -> Accumulator | None:
    """The same as it was counted before; None: it was not, or has been written since."""
    body = store.snapshots.read(run.id, stamp(run)) if _is_worth_keeping(run) else None
    if body is None:
        return None
    return unpack(body, run, exams or exams_of(store.archive.benchmark_of(run.id), run.settings))


def verdict_counts(store: Store, run: Run) -> dict[str, tuple[int, int]]:
    """Exam → how many of its attempts have a verdict, and how many of those passed; of the plain run, if there is one.

    That is one of several conditions, and its numbers are the run's.
    """
    if run.settings.has_plain_run:
        order = verdict_order(store, run)
        return {exam: (len(verdicts), verdicts.count("+")) for (exam, _), verdicts in order.items()}
    known = recall_accumulator(store, run)
    return store.archive.verdict_counts(run.id) if known is None else known.verdict_counts()


def verdict_order(store: Store, run: Run) -> dict[tuple[str, str], str]:
    """Exam and condition → the verdicts of its trials in their order, + passed and - not, where there is any.

    Where the plain run is one of several conditions, its alone: they are the run's.
    """
    known = recall_accumulator(store, run)
    order = store.archive.verdict_order(run.id) if known is None else known.verdict_order(run)
    plain = run.settings.has_plain_run
    return {(exam, name): verdicts for (exam, name), verdicts in order.items() if not (plain and name)}


class CountingPass:
    """A pass over all attempts of a run; what a large one came to is kept when it ends."""

    def __init__(self, store: Store, run: Run, exams: tuple[Exam, ...]) -> None:
        self.gathering = Accumulator(run, exams)
        self._store = store
        self._run = run

    def watching(self, attempts: Iterable[Attempt]) -> Generator[Attempt, None, None]:
        """The same attempts, counted as they go by; the first is not read before it is asked for."""
        note = _begin(self._store, self._run)
        for attempt in attempts:
            self.gathering.add(attempt)
            yield attempt
        _keep(self._store, self._run, self.gathering, note)


def keep_played(store: Store, run: Run, gathering: Accumulator) -> None:
    """Keep what was counted of a large run while it was played from its beginning; the caller holds it still."""
    _keep(store, run, gathering, _begin(store, run))


def _begin(store: Store, run: Run) -> SnapshotClaim | None:
    return store.snapshots.begin(run.id, writer=store.journal.number(run.id)) if _is_worth_keeping(run) else None


def _keep(store: Store, run: Run, gathering: Accumulator, note: SnapshotClaim | None) -> None:
    body = pack(gathering) if note is not None else None
    if note is not None and body is not None:
        store.snapshots.keep(note, stamp=stamp(run), body=body)


def _is_worth_keeping(run: Run) -> bool:
    return _is_plain(run) and run.planned >= LARGE


def _is_plain(run: Run) -> bool:
    return run.settings.type == "standard" and run.kind == "standard"
