"""Counts of a stored run's attempts, from a snapshot if there is one, else by reading them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING

from proctor.benchmark import Exam
from proctor.findings.run import Accumulator
from proctor.findings.run.snapshot import pack, stamp, unpack
from proctor.run import Attempt, Run
from proctor.running.plan import exams_of
from proctor.storage import Store

if TYPE_CHECKING:  # imports SQLAlchemy
    from proctor.storage.snapshots import SnapshotClaim

LARGE = 20_000
"""Minimum number of attempts for storing counts: fewer are counted again quickly."""


def accumulate_attempts(store: Store, run: Run, exams: tuple[Exam, ...]) -> Accumulator:
    """Count all attempts of a run; those of battles and orchestrators are read with transcripts."""
    known = recall_accumulator(store, run, exams)
    if known is not None:
        return known
    counting = CountingPass(store, run, exams)
    read = store.archive.attempts if _is_plain(run) else store.archive.full_attempts
    for _ in counting.watching(read(run.id)):
        pass
    return counting.gathering


def recall_accumulator(store: Store, run: Run, exams: tuple[Exam, ...] | None = None) -> Accumulator | None:
    """Return the stored counts, or None if there are none or the run was changed since."""
    body = store.snapshots.read(run.id, stamp(run)) if _is_worth_keeping(run) else None
    if body is None:
        return None
    return unpack(body, run, exams or exams_of(store.archive.benchmark_of(run.id), run.settings))


def verdict_counts(store: Store, run: Run) -> dict[str, tuple[int, int]]:
    """Map each exam to its numbers of verdicts and of passed attempts.

    If the plain run is one of several conditions, only its attempts count, as in the run's pass rate.
    """
    if run.settings.has_plain_run:
        order = verdict_order(store, run)
        return {exam: (len(verdicts), verdicts.count("+")) for (exam, _), verdicts in order.items()}
    known = recall_accumulator(store, run)
    return store.archive.verdict_counts(run.id) if known is None else known.verdict_counts()


def verdict_order(store: Store, run: Run) -> dict[tuple[str, str], str]:
    """Map exam and condition to the verdicts in the order of trials, + for passed and - otherwise.

    If the plain run is one of several conditions, only its verdicts are included, as in the run's pass rate.
    """
    known = recall_accumulator(store, run)
    order = store.archive.verdict_order(run.id) if known is None else known.verdict_order(run)
    plain = run.settings.has_plain_run
    return {(exam, name): verdicts for (exam, name), verdicts in order.items() if not (plain and name)}


class CountingPass:
    """A pass over all attempts of a run that stores the counts of a large run at its end."""

    def __init__(self, store: Store, run: Run, exams: tuple[Exam, ...]) -> None:
        self.gathering = Accumulator(run, exams)
        self._store = store
        self._run = run

    def watching(self, attempts: Iterable[Attempt]) -> Generator[Attempt, None, None]:
        """Yield the attempts and count them; the first is not read before it is requested."""
        note = _begin(self._store, self._run)
        for attempt in attempts:
            self.gathering.add(attempt)
            yield attempt
        _keep(self._store, self._run, self.gathering, note)


def keep_played(store: Store, run: Run, gathering: Accumulator) -> None:
    """Store the counts gathered while a large run was played from the beginning; the caller holds the run's lock."""
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
