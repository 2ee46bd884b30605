"""How long a run will take, by the last stored one of the same agent on the same benchmark: PastSpeed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proctor.errors import StoreError
from proctor.run import Run
from proctor.storage import open_store


@dataclass(frozen=True, kw_only=True, slots=True)
class PastSpeed:
    """How fast a stored run was played."""

    run: str
    """Its id."""
    seconds: float
    """That it took."""
    attempts: int
    """That it had."""
    at_once: int
    """How many of them were under way at once."""

    def seconds_for(self, attempts: int, *, concurrency: int) -> float:
        """How long so many attempts take at that speed, so many of them at once."""
        at_once = max(1, min(concurrency, attempts))
        return self.seconds / self.attempts * attempts * self.at_once / at_once


def stored_runs(store: str) -> list[Run]:
    """The runs of a store, the newest first; none where it is not there or cannot be read."""
    try:
        with open_store(store, create=False) as opened:
            return list(opened.archive.runs())
    except StoreError:
        return []


def speed_of_last(run: Run, stored: Iterable[Run]) -> PastSpeed | None:
    """How fast the last run of this agent on this benchmark went; None: there is none."""
    found = _last_like(run, stored)
    return None if found is None else speed_of(found)


def speed_of(run: Run) -> PastSpeed | None:
    """How fast a run was played; None: it was not, or only its stored replies were judged again."""
    if not run.planned or not run.seconds or run.status != "completed" or run.rescored_from is not None:
        return None
    at_once = max(1, min(run.settings.concurrency, run.planned))
    return PastSpeed(run=run.id, seconds=run.seconds, attempts=run.planned, at_once=at_once)


def _last_like(run: Run, stored: Iterable[Run]) -> Run | None:
    """The newest of the same agent, benchmark and type that was played to its end, by the same judges if there is one.

    Stored runs come newest first.
    """
    alike = [each for each in stored if _is_like(each, run) and speed_of(each) is not None]
    judged = (each for each in alike if _judges(each) == _judges(run))
    return next(judged, alike[0] if alike else None)


def _is_like(stored: Run, run: Run) -> bool:
    return (stored.agent, stored.benchmark, stored.settings.type) == (run.agent, run.benchmark, run.settings.type)


def _judges(run: Run) -> tuple[str | None, str | None]:
    return run.settings.reviewer, run.settings.examiner
