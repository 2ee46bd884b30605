"""Data model of quality over time: History, its series and segments, and one entry per run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from proctor.findings.comparison import SettingDifference
from proctor.findings.run.people import PeopleFinding
from proctor.run import Run
from proctor.statistics.estimate import Estimate

Verdict = Literal["better", "worse", "not shown"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Comparison of a run, paired by case, with the baseline in force at its time."""

    baseline: Entry = field(repr=False)
    """The last marked run, or the first of the segment."""
    look: int
    """Number of runs of this segment compared with a baseline so far, including this one."""
    difference: Estimate
    """Difference in that rate over the cases (in battles, exams) counted in both runs."""
    p_value: float
    """p-value of no difference; the least favourable one if attempts are missing."""
    level: float
    """Significance level the p-value is compared with."""
    verdict: Verdict
    """Better or worse if the change is significant; the run is then marked and becomes the next baseline."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One run in a history."""

    run: Run
    when: float
    """Time of its replies in seconds since the epoch; for a rescored run, that of the original run."""
    rate: Estimate | None
    """The pass rate (in battles, the held rate of whole conversations), or None if the run cannot be read."""
    left_out: str
    """Why it is shown but not compared, or empty if it is compared."""
    relabelled: dict[str, str]
    """Labels (and the agent) that changed since the entry before; an empty value means the label was removed."""
    change: Change | None = None
    """The change, or None if there was no baseline or the run is left out."""
    people: PeopleFinding | None = None
    """The findings from human labels, or None."""
    cost_per_pass: Estimate | None = None
    """Cost per passed case, or None if it was not computed."""

    @property
    def marked(self) -> bool:
        """Whether it differs significantly from its baseline."""
        return self.change is not None and self.change.verdict != "not shown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """Comparable runs (examined with the same settings) in time order."""

    entries: tuple[Entry, ...]
    apart: tuple[SettingDifference, ...]
    """Setting differences from the most similar earlier segment; empty if there is none."""

    @property
    def latest(self) -> Entry | None:
        """The newest entry that is compared."""
        return next((entry for entry in reversed(self.entries) if not entry.left_out), None)

    @property
    def tells_of_agent(self) -> bool:
        """Whether it shows more than a single rescored run: an original run, or rescored runs of several origins."""
        sources = {entry.run.rescored_from for entry in self.entries if not entry.left_out}
        return None in sources or len(sources) > 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """All runs of a history, or those that share an agent, a model or a label value."""

    value: str
    """The shared value; empty if runs are not grouped or lack the label."""
    segments: tuple[Segment, ...]
    """Segments in order of their newest replies; among the same replies, rescored ones last."""
    earlier: int = 0
    """Number of older runs that are not shown."""

    @property
    def entries(self) -> list[Entry]:
        """All entries, segment by segment."""
        return [entry for segment in self.segments for entry in segment.entries]

    @property
    def by_time(self) -> list[tuple[int, Entry]]:
        """All entries by time of their replies, each with the index of its segment."""
        placed = [(place, entry) for place, segment in enumerate(self.segments) for entry in segment.entries]
        return sorted(placed, key=lambda each: (each[1].when, each[1].run.created, each[1].run.id))

    @property
    def is_mixed(self) -> bool:
        """Whether runs with different settings alternate, so that segments overlap in time."""
        places = [place for place, _ in self.by_time]
        return places != sorted(places)

    @property
    def latest(self) -> Entry | None:
        """The entry that shows the current state, or None if no run counts; original runs precede rescored ones."""
        known = [(segment, entry) for segment in self.segments if (entry := segment.latest) is not None]
        newest = max((segment.entries[-1].when for segment, _ in known), default=0.0)
        last = [each for each in known if each[0].entries[-1].when == newest]
        return max(reversed(last), key=lambda each: each[0].tells_of_agent)[1] if last else None


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The pass rate of one benchmark over time."""

    benchmark: str
    by: str | None
    """What series are grouped by: agent, model or a label; None for a single series."""
    strict: bool
    """Whether to control the share of false marks at 5 %, rather than one false mark in 200 looks."""
    series: tuple[Series, ...]
    others: tuple[str, ...] = ()
    """Other benchmarks in the same store, newest first."""

    @property
    def newest(self) -> Series | None:
        """The series with the newest run that counts, or None."""
        ends = [(series.latest.when, series) for series in self.series if series.latest]
        return max(ends, key=lambda end: end[0])[1] if ends else None

    @property
    def entries(self) -> list[Entry]:
        """All entries, series by series."""
        return [entry for series in self.series for entry in series.entries]
