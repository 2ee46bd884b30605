"""Draw a series as a panel of the chart: runs from left to right, rates upwards, each with its interval."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor

from markupsafe import Markup

from proctor.findings.history import Change, Entry, Series
from proctor.reports import numbers
from proctor.reports.history import words
from proctor.reports.history.words import Calendar
from proctor.reports.numbers import format_signed
from proctor.run import Run
from proctor.statistics.estimate import Estimate

_STEP = 0.1
_NARROWEST = 0.2
_MOST_STEPS = 6
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """Range of the rates drawn, as fractions."""

    low: float
    high: float

    def place(self, rate: float) -> float:
        """Return the position of a rate: 0 at the low end, 1 at the high end."""
        return min(1.0, max(0.0, (rate - self.low) / (self.high - self.low)))

    def ticks(self) -> list[float]:
        """Return three to seven round rates across the range."""
        steps = round((self.high - self.low) / _STEP)
        stride = 2 if steps > _MOST_STEPS else 1
        return [round(self.low + _STEP * step, 9) for step in range(0, steps + 1, stride)]


def scale_of(entries: Iterable[Entry]) -> Scale:
    """Return the narrowest scale that fits every interval: in steps of 10 %, and at least 20 % wide."""
    rates = [entry.rate for entry in entries if entry.rate is not None and entry.rate.value is not None]
    low = min((rate.low for rate in rates if rate.low is not None), default=0.0)
    high = max((rate.high for rate in rates if rate.high is not None), default=1.0)
    bottom, top = floor(low / _STEP + _NEGLIGIBLE), ceil(high / _STEP - _NEGLIGIBLE)
    fewest = round(_NARROWEST / _STEP)
    bottom = max(0, min(bottom, top - fewest))
    top = min(round(1 / _STEP), max(top, bottom + fewest))
    if top - bottom > _MOST_STEPS and (top - bottom) % 2:  # every other step has a tick, and so do both ends
        bottom, top = (bottom - 1, top) if bottom else (bottom, top + 1)
    return Scale(low=round(bottom * _STEP, 9), high=round(top * _STEP, 9))


WIDTH = 800
EDGE, _LEFT, _RIGHT = 16, 56, 88
_PLOT, _BELOW, _LINE = 200, 24, 18
_WIDEST_COLUMN = 0.09
"""Maximum column width relative to the chart, so that two runs are not drawn at opposite ends."""
_ROOM_FOR_POINTS, _DENSE = 24, 12
"""Minimum column width for a number above a mark, and the width below which intervals become plain strokes."""
_LETTERS = 88, 108
"""Maximum characters per line of the sentence, and of a note."""
_SIGNS = {"better": "m-5 0 l3.5 4 l6.5 -8", "worse": "m-4 -4 l8 8 m0 -8 l-8 8"}

Placed = tuple[Entry, float]
"""A run, and the centre of its column."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """Layout of a panel, below `top`."""

    series: Series
    said: str
    """The sentence above the panel; if empty, sentence and notes are shown elsewhere."""
    calendar: Calendar
    scale: Scale
    top: float
    width: int = WIDTH
    address: Callable[[Run], str] | None = None
    """Returns the URL of the page of a run; None if there are no such pages."""

    @property
    def heading(self) -> list[str]:
        """Lines of the sentence."""
        return textwrap.wrap(self.said, _LETTERS[0])

    @property
    def notes(self) -> list[str]:
        """Lines of the notes why segments are not compared, numbered as at their edges."""
        reasons = [words.apart(segment) for segment in self.series.segments[1:]] if self.said else []
        numbered_notes = [
            f"{number}. Not comparable with the runs before: {why}." for number, why in enumerate(reasons, 1)
        ]
        return [line for note in numbered_notes for line in textwrap.wrap(note, _LETTERS[1])]

    @property
    def ceiling(self) -> float:
        """Upper edge of the plot."""
        return self.top + (24 + _LINE * len(self.heading) if self.said else 0) + 24

    @property
    def floor(self) -> float:
        """Lower edge of the plot."""
        return self.ceiling + _PLOT

    @property
    def bottom(self) -> float:
        """Lower edge of the panel, where the next one begins."""
        return self.floor + _BELOW + _LINE * len(self.notes) + 12

    @property
    def column(self) -> float:
        """Width of a column; segments are half a column apart."""
        columns = len(self.series.entries) + (len(self.series.segments) - 1) / 2
        return min(_WIDEST_COLUMN * self.width, (self.width - _LEFT - _RIGHT) / max(1.0, columns))

    def height(self, rate: float) -> float:
        """Return the vertical position of a rate."""
        return self.floor - _PLOT * self.scale.place(rate)

    def place_entries(self) -> list[list[Placed]]:
        """Return the entries of each segment with their horizontal positions."""
        edge, found = float(_LEFT), []
        for segment in self.series.segments:
            found.append([(entry, edge + self.column * (at + 0.5)) for at, entry in enumerate(segment.entries)])
            edge += self.column * (len(segment.entries) + 0.5)
        return found

    def pieces(self) -> Iterator[Markup]:
        """Yield all elements, from back to front."""
        for number, line in enumerate(self.heading):
            yield text(EDGE, self.top + 24 + _LINE * number, line, style="said")
        yield from self._grid()
        segments = self.place_entries()
        yield from self._edges(segments)
        for entries in segments:
            counted = [place for place in entries if not place[0].left_out]
            yield from self._series(counted)
            yield from self._baselines(counted)
            for entry, x in entries:
                yield self._run(entry, x)
        yield from self._dates([place for entries in segments for place in entries])
        yield from self._now(segments)
        for number, line in enumerate(self.notes):
            yield text(_LEFT, self.floor + _BELOW + 14 + _LINE * number, line)

    def _grid(self) -> Iterator[Markup]:
        for tick in self.scale.ticks():
            y = self.height(tick)
            yield stroke("grid", _LEFT, y, self.width - _RIGHT, y)
            unit = " %" if tick == self.scale.high else ""
            yield text(_LEFT - 8, y + 4, f"{100 * tick:.0f}{unit}", anchor="end")

    def _edges(self, segments: Sequence[Sequence[Placed]]) -> Iterator[Markup]:
        """Draw a line before each segment but the first, with the number of its note."""
        for number, entries in enumerate(segments[1:], 1):
            x = entries[0][1] - 0.75 * self.column
            yield stroke("apart", x, self.ceiling - 8, x, self.floor)
            yield text(x + 4, self.ceiling + 2, str(number))

    def _series(self, counted: Sequence[Placed]) -> Iterator[Markup]:
        points = [
            f"{x:.1f},{self.height(rate.value):.1f}" for rate, x in _known_rates(counted) if rate.value is not None
        ]
        if len(points) > 1:
            yield Markup('<polyline class="course" points="{}"/>').format(" ".join(points))

    def _baselines(self, counted: Sequence[Placed]) -> Iterator[Markup]:
        """Draw a line from each baseline to the last run compared with it."""
        ends: dict[str, tuple[Entry, float]] = {}
        for entry, x in counted:
            if entry.change is not None:
                ends[entry.change.baseline.run.id] = entry.change.baseline, x
        starts = {entry.run.id: x for entry, x in counted}
        edge = counted[0][1] - self.column / 2 if counted else 0.0
        for run, (baseline, end) in ends.items():
            if baseline.rate is not None and baseline.rate.value is not None:
                y = self.height(baseline.rate.value)
                yield stroke("baseline", starts.get(run, edge), y, end, y)

    def _run(self, entry: Entry, x: float) -> Markup:
        mark = words.mark_of(entry)
        pieces = [Markup("<title>{}</title>").format(self._tooltip(entry))]
        reach = Markup('<rect class="reach" x="{}" y="{}" width="{}" height="{}"/>')
        pieces.append(
            reach.format(
                _format_coordinate(x - self.column / 2),
                _format_coordinate(self.ceiling),
                _format_coordinate(self.column),
                _PLOT,
            )
        )
        for rate, _ in _known_rates([(entry, x)]):
            pieces += self._interval(rate, x)
        if entry.marked and entry.change is not None and entry.rate is not None:
            pieces += self._sign(entry.change, x, self.height(entry.rate.high or 1.0))
        styles = [mark.name if mark else "run", *(["dense"] if self.column < _DENSE else [])]
        drawn = Markup('<g class="{}">{}</g>').format(" ".join(styles), Markup("").join(pieces))
        if self.address is None:
            return drawn
        return Markup('<a href="{}" tabindex="-1" aria-label="{}">{}</a>').format(
            self.address(entry.run), words.short_name(entry.run), drawn
        )

    def _interval(self, rate: Estimate, x: float) -> Iterator[Markup]:
        value, low, high = (self.height(end or 0.0) for end in (rate.value, rate.low, rate.high))
        yield stroke("range", x, low, x, high)
        for end in (low, high) if self.column >= _DENSE else ():
            yield stroke("range", x - 5, end, x + 5, end)
        radius = min(4.5, max(1.5, self.column / 3))
        yield Markup('<circle class="value" cx="{}" cy="{}" r="{}"/>').format(
            _format_coordinate(x), _format_coordinate(value), _format_coordinate(radius)
        )

    def _sign(self, change: Change, x: float, y: float) -> Iterator[Markup]:
        """Draw the sign of a change above the interval, with its size in points."""
        points = format_signed(100 * (change.difference.value or 0.0), 0)
        yield Markup('<path class="sign" d="M{} {} {}"/>').format(
            _format_coordinate(x), _format_coordinate(y - 14), _SIGNS[change.verdict]
        )
        if self.column >= _ROOM_FOR_POINTS:
            yield text(x, y - 24, points, anchor="middle")

    def _tooltip(self, entry: Entry) -> str:
        """Return the tooltip of a run."""
        rate = numbers.say(entry.rate).full if entry.rate is not None else numbers.NOTHING
        lines = [f"{words.short_name(entry.run)}, {numbers.exact(entry.when)}", rate]
        lines += [words.change_of(entry.change, self.calendar)] if entry.change is not None else []
        return "\n".join(line for line in (*lines, *words.notes(entry)) if line)

    def _dates(self, placed: Sequence[Placed]) -> Iterator[Markup]:
        """Draw as many dates as fit, always including the last one."""
        labels = [(self.calendar(entry.when), x) for entry, x in placed]
        longest = max((len(date) for date, _ in labels), default=0)
        stride = max(1, ceil((7 * longest + 6) / self.column))
        for date, x in labels[::-1][::stride]:
            yield text(x, self.floor + 18, date, anchor="middle")

    def _now(self, segments: Sequence[Sequence[Placed]]) -> Iterator[Markup]:
        """Draw the latest rate beside the last column."""
        latest = self.series.latest
        if latest is None or latest.rate is None or latest.rate.value is None:
            return
        rate_text, x = numbers.say(latest.rate), segments[-1][-1][1] + self.column / 2 + 6
        y = self.height(latest.rate.value)
        yield text(x, y + 4, rate_text.value, style="now")
        yield text(x, y + 4 + _LINE, rate_text.interval)


def _known_rates(placed: Sequence[Placed]) -> Iterator[tuple[Estimate, float]]:
    for entry, x in placed:
        if entry.rate is not None and entry.rate.value is not None:
            yield entry.rate, x


def stroke(style: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """Draw a straight line."""
    ends = (_format_coordinate(end) for end in (x1, y1, x2, y2))
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(style, *ends)


def text(x: float, y: float, label: str, *, style: str = "", anchor: str = "start") -> Markup:
    """Draw one line of text."""
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        style, _format_coordinate(x), _format_coordinate(y), anchor, label
    )


def _format_coordinate(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
