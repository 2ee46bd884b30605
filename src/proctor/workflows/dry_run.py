"""Estimate what runs would take before anything is called: RunEstimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from proctor.config import Config
from proctor.errors import StoreError
from proctor.run import Run
from proctor.spending.estimate import CostEstimate, together
from proctor.storage import open_store
from proctor.workflows.prepare import PreparedRun
from proctor.workflows.run_limits import called_gently, estimate_cost, unreported_spenders


@dataclass(frozen=True, kw_only=True, slots=True)
class PastSpeed:
    """How fast a stored run was played."""

    run: str
    """Id of the run."""
    seconds: float
    """Duration in seconds."""
    attempts: int
    """Number of attempts."""
    at_once: int
    """Number of concurrent attempts."""

    def seconds_for(self, attempts: int, *, concurrency: int) -> float:
        """Return the seconds that so many attempts take at this speed and concurrency."""
        at_once = max(1, min(concurrency, attempts))
        return self.seconds / self.attempts * attempts * self.at_once / at_once


def stored_runs(store: str) -> list[Run]:
    """Return the runs of a store, the newest first; empty if it does not exist or cannot be read."""
    try:
        with open_store(store, create=False) as opened:
            return list(opened.archive.runs())
    except StoreError:
        return []


def speed_of_last(run: Run, stored: Iterable[Run]) -> PastSpeed | None:
    """Return the speed of the last run of this agent on this benchmark, or None if there is none."""
    found = _last_like(run, stored)
    return None if found is None else speed_of(found)


def speed_of(run: Run) -> PastSpeed | None:
    """Return the speed of a run, or None if it was not played or only rescored."""
    if not run.planned or not run.seconds or run.status != "completed" or run.rescored_from is not None:
        return None
    at_once = max(1, min(run.settings.concurrency, run.planned))
    return PastSpeed(run=run.id, seconds=run.seconds, attempts=run.planned, at_once=at_once)


def _last_like(run: Run, stored: Iterable[Run]) -> Run | None:
    """Return the newest completed run of the same agent, benchmark and type, preferably with the same judges.

    Stored runs come newest first.
    """
    alike = [each for each in stored if _is_like(each, run) and speed_of(each) is not None]
    judged = (each for each in alike if _judges(each) == _judges(run))
    return next(judged, alike[0] if alike else None)


def _is_like(stored: Run, run: Run) -> bool:
    return (stored.agent, stored.benchmark, stored.settings.type) == (run.agent, run.benchmark, run.settings.type)


def _judges(run: Run) -> tuple[str | None, str | None]:
    return run.settings.reviewer, run.settings.examiner


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    """Estimate for a run, or for several that are started together."""

    run: Run
    """The run as it would be started; the first of several."""
    runs: int
    """Number of runs, one for each agent."""
    exams: int
    models: CostEstimate
    """Cost of chat models in all runs."""
    warnings: tuple[str, ...]
    unreported: tuple[str, ...]
    """Parts whose spending is known only as far as they report it."""
    called_gently: Mapping[str, int]
    """Local models without a configured limit → default number of concurrent calls."""
    past: PastSpeed | None
    """Speed of the agent's last run on the benchmark; None if there is none or there are several agents."""

    @property
    def seconds(self) -> float | None:
        """Expected duration in seconds, or None if unknown."""
        if self.past is None:
            return None
        return self.past.seconds_for(self.run.planned, concurrency=self.run.settings.concurrency)


def estimate_runs(prepared: Sequence[PreparedRun], config: Config, stored: Iterable[Run]) -> RunEstimate:
    """Estimate these runs together; `stored` are the runs of the store, the newest first."""
    first = prepared[0]
    return RunEstimate(
        run=first.run,
        runs=len(prepared),
        exams=len(first.exams),
        models=reduce(together, [estimate_cost(each.run, each.exams, config) for each in prepared]),
        warnings=tuple(dict.fromkeys(warning for each in prepared for warning in each.warnings)),
        unreported=tuple(dict.fromkeys(name for each in prepared for name in unreported_spenders(each.run))),
        called_gently={host: calls for each in prepared for host, calls in called_gently(each.run, config).items()},
        past=speed_of_last(first.run, stored) if len(prepared) == 1 else None,
    )
