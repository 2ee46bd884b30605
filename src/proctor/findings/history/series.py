"""Quality over time, as data: History, its series, their segments, and one entry for each run."""

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
    """A run against the baseline in force when it came, paired by case."""

    baseline: Entry = field(repr=False)
    """The last run that was marked, or the first of its segment."""
    look: int
    """How many runs of this segment have been held against a baseline, this one included."""
    difference: Estimate
    """In that rate, over the cases (in battles, exams) counted in both."""
    p_value: float
    """Of no difference; where attempts are missing, the worst that they could make of it."""
    level: float
    """What the p-value is held against."""
    verdict: Verdict
    """Better or worse: it is real, the run is marked and is the next baseline."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One run in a history."""

    run: Run
    when: float
    """When its replies were given, in seconds since the epoch: a rescored run's are those of the run it reads."""
    rate: Estimate | None
    """The pass rate, in battles the held rate, of whole conversations; None: the run cannot be read."""
    left_out: str
    """Why it is shown and not compared; empty: it is compared."""
    relabelled: dict[str, str]
    """Labels (and the agent) that are not as in the entry before; empty: the label is gone."""
    change: Change | None = None
    """None: there was nothing to compare it with, or it is left out."""
    people: PeopleFinding | None = None
    """The run as people judge it, by their labels; None: there are none."""
    cost_per_pass: Estimate | None = None
    """What a passed case costs; None: nobody looked."""

    @property
    def marked(self) -> bool:
        """Whether it differs from its baseline for real."""
        return self.change is not None and self.change.verdict != "not shown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """Runs that were examined alike, in time order."""

    entries: tuple[Entry, ...]
    apart: tuple[SettingDifference, ...]
    """In what they were examined differently from the earlier segment most like them; empty: there is none."""

    @property
    def latest(self) -> Entry | None:
        """The newest run that counts."""
        return next((entry for entry in reversed(self.entries) if not entry.left_out), None)

    @property
    def tells_of_agent(self) -> bool:
        """Whether it shows more than one run judged again: one asked for its replies itself, or several compare."""
        sources = {entry.run.rescored_from for entry in self.entries if not entry.left_out}
        return None in sources or len(sources) > 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """All runs of a history, or those that share an agent, a model or a label's value."""

    value: str
    """What they share; empty: nothing was asked for, or they lack the label."""
    segments: tuple[Segment, ...]
    """In the order of their newest replies; of the same replies, those that were judged again last."""
    earlier: int = 0
    """Older runs that counted and are not shown."""

    @property
    def entries(self) -> list[Entry]:
        """All of them, segment by segment."""
        return [entry for segment in self.segments for entry in segment.entries]

    @property
    def by_time(self) -> list[tuple[int, Entry]]:
        """All of them in the order of their replies, each with its segment's place, from 0."""
        placed = [(place, entry) for place, segment in enumerate(self.segments) for entry in segment.entries]
        return sorted(placed, key=lambda each: (each[1].when, each[1].run.created, each[1].run.id))

    @property
    def is_mixed(self) -> bool:
        """Whether runs that were examined differently come in turns, so that segments overlap in time."""
        places = [place for place, _ in self.by_time]
        return places != sorted(places)

    @property
    def latest(self) -> Entry | None:
        """Where it stands now; None: no run counts. Who only judged replies again did not change the agent."""
        known = [(segment, entry) for segment in self.segments if (entry := segment.latest) is not None]
        newest = max((segment.entries[-1].when for segment, _ in known), default=0.0)
        last = [each for each in known if each[0].entries[-1].when == newest]
        return max(reversed(last), key=lambda each: each[0].tells_of_agent)[1] if last else None


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """What became of one benchmark's pass rate."""

    benchmark: str
    by: str | None
    """What the series are told apart by: agent, model, or a label; None: there is one series."""
    strict: bool
    """Whether the share of false marks is kept below 5 %, rather than one in 200 looks."""
    series: tuple[Series, ...]
    others: tuple[str, ...] = ()
    """Further benchmarks in the same store, the newest first."""

    @property
    def newest(self) -> Series | None:
        """The series with the newest run that counts; None: no run does."""
        ends = [(series.latest.when, series) for series in self.series if series.latest]
        return max(ends, key=lambda end: end[0])[1] if ends else None

    @property
    def entries(self) -> list[Entry]:
        """All of them, series by series."""
        return [entry for series in self.series for entry in series.entries]
