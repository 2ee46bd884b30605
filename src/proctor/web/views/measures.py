"""Other measures of runs over time: mean score, cost, categories, checks, judges; their changes are not tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from proctor.findings.history import Entry, History, Series
from proctor.findings.run import Findings
from proctor.reports import numbers
from proctor.run import Run
from proctor.statistics.estimate import Estimate
from proctor.web.site.site import Site
from proctor.web.views.findings_cache import FindingsCache

SCORE, COST = "score", "cost"
_AT_ONCE = 4000
"""Maximum attempts of uncached runs that are read while a request waits; the rest is read in the background."""
_PATIENCE = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class RunMeasures:
    """Values of one run by name of the measure."""

    values: dict[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRun:
    """A run with its value in one measure."""

    entry: Entry
    value: str
    interval: str
    estimate: Estimate | None
    """Share or score for the chart, or None if it is neither or not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredSeries:
    """Values of one agent's runs, the newest first."""

    history: History
    series: Series
    runs: list[MeasuredRun]
    unread: int
    """Number of runs that are still being read."""

    @property
    def now(self) -> MeasuredRun | None:
        """Newest run that represents the agent's current state, or None if no run counts."""
        latest = self.series.latest
        return next((run for run in self.runs if latest is not None and run.entry.run.id == latest.run.id), None)

    @property
    def is_known(self) -> bool:
        """Whether any run has the measure, or may have it once it is read."""
        return bool(self.unread) or any(run.value != numbers.NOTHING for run in self.runs)


def is_measure(name: str) -> bool:
    """Whether the name is a valid measure, even if no run has it."""
    return name in (SCORE, COST) or name.startswith(("category:", "check:", "judge:"))


def offered_measures(site: Site, cache: FindingsCache, runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return the (measure, label) pairs of the newest run that has been read."""
    found = next((known for run in runs[:3] if (known := _measures(site, cache, run)) is not None), None)
    names = [(SCORE, "mean score"), (COST, "cost")]
    return names + [(name, name.replace(":", " ", 1)) for name in (found.values if found else {}) if name != SCORE]


def series_of(site: Site, cache: FindingsCache, histories: Sequence[History], measure: str) -> list[MeasuredSeries]:
    """Return one series per history; runs that take long to read are added in later requests."""
    shown = [entry.run for history in histories for entry in history.entries]
    quick = _quick(site, shown) if measure != COST else {run.id for run in shown}
    return [
        _one_series(site, cache, history, series, measure, quick) for history in histories for series in history.series
    ]


def _one_series(
    site: Site, cache: FindingsCache, history: History, series: Series, measure: str, quick: set[str]
) -> MeasuredSeries:
    runs, unread = [], 0
    for entry in sorted(series.entries, key=lambda each: (each.when, each.run.created), reverse=True):
        if measure == COST:
            runs.append(_cost(site, entry))
            continue
        known = _measures(site, cache, entry.run) if entry.run.id in quick else None
        unread += known is None
        runs.append(_measure(entry, known.values.get(measure) if known is not None else None, measure))
    return MeasuredSeries(history=history, series=series, runs=runs, unread=unread)


def _measure(entry: Entry, estimate: Estimate | None, measure: str) -> MeasuredRun:
    if estimate is None or estimate.value is None:
        return MeasuredRun(entry=entry, value=numbers.NOTHING, interval="", estimate=None)
    value_text = numbers.say(estimate, "score" if measure == SCORE else "percent")
    return MeasuredRun(entry=entry, value=value_text.value, interval=value_text.interval, estimate=estimate)


def _cost(site: Site, entry: Entry) -> MeasuredRun:
    found = site.summaries.of(entry.run)
    usage = found.usage if found is not None else None
    cost_text = numbers.cost(usage.cost) if usage else numbers.NOTHING
    return MeasuredRun(entry=entry, value=cost_text, interval="", estimate=None)


def _quick(site: Site, runs: Sequence[Run]) -> set[str]:
    """Return the runs small enough to be read now, plus one that is read for the next request."""
    known = {run.id for run in runs if site.summaries.kept("measures", run, RunMeasures, lambda: None) is not None}
    unknown = sorted((run for run in runs if run.id not in known), key=lambda run: run.planned)
    spent = accumulate(run.planned for run in unknown)
    small = [run.id for run, sum_so_far in zip(unknown, spent, strict=True) if sum_so_far <= _AT_ONCE]
    return known | set(small) | {run.id for run in unknown[len(small) : len(small) + 1]}


def _measures(site: Site, cache: FindingsCache, run: Run) -> RunMeasures | None:
    def read() -> RunMeasures | None:
        found = cache.findings(run, patience=_PATIENCE) if run.planned else None
        return None if found is None else RunMeasures(values=dict(_values(found.findings)))

    return site.summaries.kept("measures", run, RunMeasures, read)


def _values(findings: Findings) -> Iterator[tuple[str, Estimate]]:
    if findings.mean_score.value is not None:
        yield SCORE, findings.mean_score
    for name, category in findings.categories.items():
        yield f"category:{name}", category.pass_rate
    for check in findings.checks:
        yield f"check:{check.name}", check.rate
    for judge in findings.judges:
        yield f"judge:{judge.name}", judge.pass_rate
