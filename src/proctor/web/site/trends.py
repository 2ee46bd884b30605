"""Pass rates over time by benchmark, from cached summaries, without reading attempts."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from markupsafe import Markup

from proctor.findings.comparison import unlike
from proctor.findings.history import Counts, rate_of
from proctor.findings.run import Summary
from proctor.reports import numbers
from proctor.run import ExamType, Run
from proctor.web.site.site import Site

if TYPE_CHECKING:
    from proctor.statistics.estimate import Estimate

BENCHMARKS = 5
RUNS = 20
AT_ONCE = 4000
"""Maximum attempts of uncached runs that are counted while a request waits; the rest is counted in the background."""
_EACH = 50
"""Overhead of looking up a run, as an equivalent number of attempts."""
_FEWEST = 8
"""Minimum number of columns, so that two runs are not drawn at opposite ends."""
_TOP, _HEIGHT = 4, 48


@dataclass(frozen=True, kw_only=True, slots=True)
class Trend:
    """Recent runs of one agent on one benchmark in one type, as one page of the history shows."""

    benchmark: str
    type: ExamType
    agent: str
    runs: int
    """Number of all runs, including those not drawn."""
    known: Sequence[tuple[Run, Estimate]]
    """Runs with their rates, oldest first."""
    floor: float
    """Rate at the lower edge of the chart, the same for all charts below each other."""

    @property
    def newest(self) -> tuple[Run, Estimate]:
        """Newest run with its rate."""
        return self.known[-1]

    @property
    def drawn(self) -> Markup:
        """Chart with one column per run: the rate, its interval, and lines between comparable runs."""
        columns = max(_FEWEST, len(self.known))
        places = [f"{100 * (place + 0.5) / columns:.2f}%" for place in range(len(self.known))]
        marks = [*self._grid(), *self._lines(places), *self._points(places)]
        return Markup('<svg class="trend" width="100%" height="{}" role="img" aria-label="{}">{}</svg>').format(
            _HEIGHT + 2 * _TOP, self._summary_label, Markup("").join(marks)
        )

    @property
    def _summary_label(self) -> str:
        rates = ", ".join(numbers.say(rate).value for _, rate in self.known)
        rate = "held" if self.type != "standard" else "pass"
        return f"{rate} rates of the last {numbers.plural(len(self.known), 'run')}, oldest first: {rates}"

    def _lines(self, places: Sequence[str]) -> Iterator[Markup]:
        for place in range(1, len(self.known)):
            (before, old), (after, new) = self.known[place - 1], self.known[place]
            if not unlike(before, after):
                yield self._line("course", places[place - 1], places[place], old.value, new.value)

    def _points(self, places: Sequence[str]) -> Iterator[Markup]:
        for x, (run, rate) in zip(places, self.known, strict=True):
            title = f"{numbers.say(rate).full}: {run.name}, {numbers.exact(run.started or run.created)}"
            yield Markup('<g><title>{}</title>{}<circle class="value" cx="{}" cy="{}" r="3.5"/></g>').format(
                title, self._line("range", x, x, rate.low, rate.high), x, self._y(rate.value)
            )

    def _grid(self) -> Iterator[Markup]:
        for share in (self.floor, (self.floor + 1) / 2, 1.0):
            yield self._line("axis", "0", "100%", share, share)

    def _line(self, style: str, x: str, further: str, start: float | None, end: float | None) -> Markup:
        return Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            style, x, further, self._y(start), self._y(end)
        )

    def _y(self, share: float | None) -> str:
        above = ((share or 0.0) - self.floor) / (1 - self.floor)
        return f"{_TOP + _HEIGHT * (1 - min(1.0, max(0.0, above))):.1f}"


def trends(site: Site, runs: Iterable[Run], verdicts_of: Callable[[Run], Counts]) -> list[Trend]:
    """Return the trends of the most recently examined benchmarks; `runs` are the newest first.

    A battle's rate is that of its history, which looks up its verdicts. A rescored run is left out: it says nothing new
    about the agent.
    """
    completed = {run.id: run for run in runs if run.status == "completed"}
    groups: dict[tuple[str, ExamType, str], list[Run]] = {}
    for run in completed.values():
        if run.rescored_from not in completed:
            groups.setdefault((run.benchmark, run.settings.type, run.agent), []).append(run)
    last = {key: groups[key][:RUNS] for key in [*groups][:BENCHMARKS]}
    rates = _rates(site, [run for each in last.values() for run in each], verdicts_of)
    known = {key: [(run, rates[run.id]) for run in each[::-1] if run.id in rates] for key, each in last.items()}
    floor = _floor(rate for each in known.values() for _, rate in each)
    return [
        Trend(benchmark=key[0], type=key[1], agent=key[2], runs=len(groups[key]), known=each, floor=floor)
        for key, each in known.items()
        if each
    ]


def _floor(rates: Iterable[Estimate]) -> float:
    """Return the fifth below the lowest interval, at most one half."""
    lowest = min((rate.low for rate in rates if rate.low is not None), default=0.0)
    return min(0.5, math.floor(lowest * 5) / 5)


def _rates(site: Site, runs: Sequence[Run], verdicts_of: Callable[[Run], Counts]) -> dict[str, Estimate]:
    """Map each run to its rate, if cached or quickly counted; the others are counted in the background."""
    found = {run.id: site.summaries.known(run) for run in runs}
    unknown = sorted((run for run in runs if found[run.id] is None), key=lambda run: run.planned)
    spent = [*accumulate(run.planned + _EACH for run in unknown)]
    quick = bisect_right(spent, AT_ONCE)
    found |= {run.id: site.summaries.of(run) for run in unknown[:quick]}
    site.summaries.count_soon(unknown[quick:])
    counted = [(run, summary) for run in runs if (summary := found[run.id]) is not None]
    rates = {run.id: _rate(run, summary, verdicts_of) for run, summary in counted}
    return {run: rate for run, rate in rates.items() if rate is not None and rate.value is not None}


def _rate(run: Run, found: Summary, verdicts_of: Callable[[Run], Counts]) -> Estimate | None:
    return found.rate if run.settings.type == "standard" else rate_of(run, verdicts_of(run))
