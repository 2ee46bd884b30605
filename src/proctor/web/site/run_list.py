"""Filtering and sorting of the list of runs; all options are in the URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from proctor.errors import UsageError
from proctor.findings.run import Summary
from proctor.run import Run
from proctor.web.site.site import Site
from proctor.workflows.run_filter import moment, says

_QUICK = 1000
"""Maximum attempts of a run for which a list sorted by a computed value waits until the run is summarised."""
AGES = {"1d": "last 24 hours", "7d": "last 7 days", "30d": "last 30 days", "90d": "last 90 days"}
"""Options of the age filter; any other value of `proctor runs --since` is valid too."""


COMPLETED = "completed"
AGENT_FAILED = "agent failed"
"""Status shown for a completed run in which the agent itself failed in every attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """A row of the list."""

    run: Run
    found: Summary | None
    """Summary, or None if not available (yet)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsWanted:
    """Filters and sort order from the URL; empty values do not filter."""

    status: str = ""
    type: str = ""
    benchmark: str = ""
    agent: str = ""
    label: str = ""
    """Label as `name=value`."""
    since: str = ""
    """Age or date."""
    until: str = ""
    """Last day, inclusive."""
    q: str = ""
    sort: str = ""
    """Column to sort by, prefixed with - for descending; empty for the newest first."""

    def of(self, runs: Iterable[Run]) -> list[Run]:
        """Return the matching runs; raise UsageError if a date is invalid."""
        first = moment(self.since) if self.since else None
        last = _end_of(self.until) if self.until else None
        return [run for run in runs if self._fits(run) and _between(run, first, last)]

    def _fits(self, run: Run) -> bool:
        if any(value and value not in values_of(run, name) for name, value in self.chosen.items()):
            return False
        run_text = " ".join((run.name, run.benchmark, run.agent, *run.labels.values()))
        return all(says(word, run_text, id=run.id) for word in self.q.split())

    @property
    def chosen(self) -> dict[str, str]:
        """Filters with a fixed list of options."""
        return {name: getattr(self, name) for name in CHOICES}


CHOICES = ("status", "type", "benchmark", "agent", "label")


def values_of(run: Run, name: str) -> list[str]:
    """Return a run's values for a filter."""
    if name == "label":
        return [f"{label}={value}" for label, value in run.labels.items()]
    return [str(run.settings.type if name == "type" else getattr(run, name))]


def choices(runs: Iterable[Run], wanted: RunsWanted) -> dict[str, list[str]]:
    """Return the options of each filter, including a chosen value that matches no run; labels only if there are any."""
    known = list(runs)
    offered = {
        name: sorted({value for run in known for value in values_of(run, name)} | ({chosen} if chosen else set()))
        for name, chosen in wanted.chosen.items()
    }
    if COMPLETED in offered["status"]:
        offered["status"] = sorted({*offered["status"], AGENT_FAILED})
    return {name: values for name, values in offered.items() if values or name != "label"}


def shown_runs(site: Site, runs: Iterable[Run], wanted: RunsWanted) -> list[Run]:
    """Return the matching runs by displayed status, which depends on their summaries."""
    if wanted.status not in (COMPLETED, AGENT_FAILED):
        return wanted.of(runs)
    over = replace(wanted, status=COMPLETED).of(runs)
    return [run for run in over if _never_answered(site, run) == (wanted.status == AGENT_FAILED)]


def _never_answered(site: Site, run: Run) -> bool:
    known = _summary_of(site, run)
    return known is not None and known.never_answered


def _end_of(day: str) -> float:
    try:
        return datetime.combine(date.fromisoformat(day) + timedelta(days=1), time()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"until={day[:40]!r} is not a date; expected one such as 2026-11-01") from None


def _between(run: Run, first: float | None, last: float | None) -> bool:
    at = run.started or run.created
    return (first is None or at >= first) and (last is None or at < last)


def in_order(site: Site, runs: list[Run], sort: str) -> list[Run]:
    """Sort runs by a column; runs without a value come last in either direction."""
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if not column:
        return runs
    keys = {run.id: SORTS[column](site, run) for run in runs}
    known = sorted((run for run in runs if keys[run.id] is not None), key=lambda run: keys[run.id], reverse=descending)
    return [*known, *(run for run in runs if keys[run.id] is None)]


def _summary_of(site: Site, run: Run) -> Summary | None:
    """Return the summary; for a large run only if cached, else schedule it for the next request."""
    known = site.summaries.known(run) if run.planned > _QUICK else site.summaries.of(run)
    if known is None:
        site.summaries.count_soon([run])
    return known


def _rate(site: Site, run: Run) -> float | None:
    known = _summary_of(site, run)
    return None if known is None else known.rate.value


def _cost(site: Site, run: Run) -> float | None:
    known = _summary_of(site, run)
    return known.usage.cost if known is not None else None


def _tokens(site: Site, run: Run) -> int | None:
    known = _summary_of(site, run)
    return known.usage.input_tokens + known.usage.output_tokens or None if known is not None else None


SORTS: dict[str, Callable[[Site, Run], Any]] = {
    "name": lambda site, run: run.name.casefold(),
    "agent": lambda site, run: run.agent.casefold(),
    "benchmark": lambda site, run: run.benchmark.casefold(),
    "type": lambda site, run: run.settings.type,
    "rate": _rate,
    "cost": _cost,
    "tokens": _tokens,
    "attempts": lambda site, run: run.planned,
    "time": lambda site, run: run.seconds or None,
    "started": lambda site, run: run.started or run.created,
}
"""Column → sort key."""


def with_rates(site: Site, runs: Iterable[Run]) -> list[RunRow]:
    """Return rows of runs with their summaries."""
    return [RunRow(run=run, found=site.summaries.of(run)) for run in runs]
