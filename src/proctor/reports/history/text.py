"""Render a history for the terminal: the sentence, then the runs in chronological order with intervals on one scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.history import Entry, History, Segment, Series
from proctor.reports import numbers
from proctor.reports.history import words
from proctor.reports.history.panel import Scale, scale_of
from proctor.reports.history.words import Calendar, opening
from proctor.reports.terminal import STYLES, Page, outcome_text
from proctor.reports.words import one_line

EMPTY = "No runs yet. Try: proctor demo"
_GAP = "  "
_RATE = 6
_INTERVAL = 8
_BASIS = "cases"
_ROOMY = 64
"""Minimum width in columns for showing the number of cases."""


def render(history: History | None) -> RenderableType:
    """Render the history for a terminal."""
    if history is None:
        return Text(EMPTY)
    return Page(lambda width: _report(history, width))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layout:
    """Column widths, the same for all runs so that they align."""

    calendar: Calendar
    scale: Scale
    date: int
    name: int
    axis: int
    basis: int

    @property
    def indent(self) -> int:
        """Column where the names of the runs begin."""
        return 2 + self.date + len(_GAP)


def _layout(history: History, width: int) -> _Layout:
    calendar, entries = words.calendar_of(history), history.entries
    date = max((len(calendar(entry.when)) for entry in entries), default=0)
    basis = max(len(_BASIS), *(len(words.basis(entry)) for entry in entries)) if width >= _ROOMY and entries else 0
    fixed = 2 + date + 4 * len(_GAP) + _RATE + _INTERVAL + (basis + len(_GAP) if basis else 0)
    longest = max((cell_len(words.short_name(entry.run)) for entry in entries), default=0)
    room = max(15, width - fixed)
    axis = max(9, min(41, room - max(6, min(longest, room * 2 // 5))))
    return _Layout(
        calendar=calendar, scale=scale_of(entries), date=date, name=max(6, room - axis), axis=axis, basis=basis
    )


def _report(history: History, width: int) -> Iterator[RenderableType]:
    layout = _layout(history, width)
    for series in history.series:
        yield _sentence(history, series, layout.calendar)
        sentences = opening(series, layout.calendar)
        if sentences:
            yield Text(one_line(" ".join(sentences), 1200))
        if series is history.series[0]:
            yield Text("; ".join(words.setting(history)), style="dim")
        yield Text()
        yield _ruler(layout)
        yield from _runs(series, layout)
        yield Text()
    yield Text(words.rule(history), style="dim")
    yield from _next(history)


def _sentence(history: History, series: Series, calendar: Calendar) -> RenderableType:
    """Render the sentence, with a sign if the newest run is marked; further lines are indented."""
    sentence = words.sentence(history, series, calendar)
    mark = words.mark_of(series.latest) if series.latest else None
    if mark is None:
        return Text(sentence, style="bold")
    style = f"bold {STYLES[mark.style]}"
    table = Table.grid(padding=(0, 1))
    table.add_row(Text(mark.sign, style=style), Text(sentence, style=style))
    return table


def _ruler(layout: _Layout) -> Text:
    """Render the column headers, with the ends of the scale."""
    low, high = f"{100 * layout.scale.low:.0f}", f"{100 * layout.scale.high:.0f} %"
    ruler = f"{low}{high:>{layout.axis - len(low)}}"
    cells = [" " * (layout.indent - len(_GAP)), "run".ljust(layout.name), "rate".rjust(_RATE), ruler]
    cells.append("95 %".ljust(_INTERVAL))
    cells += [_BASIS.rjust(layout.basis)] if layout.basis else []
    return Text(_GAP.join(cells).rstrip(), style="dim", no_wrap=True, overflow="crop")


def _runs(series: Series, layout: _Layout) -> Iterator[RenderableType]:
    """Render the runs in chronological order; if kinds of runs alternate, each with the letter of its kind."""
    if not series.is_mixed:
        for segment in series.segments:
            yield from _segment(segment, layout)
        return
    for place, entry in series.by_time:
        yield _line(entry, layout, kind=words.letter(place))
        yield from _notes(entry, layout)
    yield Text()
    for explanation in words.explain_letters(series):
        yield Text(explanation, style="italic")


def _segment(segment: Segment, layout: _Layout) -> Iterator[RenderableType]:
    if segment.apart:
        yield Text()
        yield Text(f"Not comparable with the runs above: {words.apart(segment)}.", style="italic")
    for entry in segment.entries:
        yield _line(entry, layout)
        yield from _notes(entry, layout)


def _line(entry: Entry, layout: _Layout, *, kind: str = "") -> Text:
    """Render a run in one line: `✓  9 Nov  nightly   87.8 %  ····├─:──●─┤···  79 – 94  30 × 3`."""
    mark = words.mark_of(entry)
    rate_text = numbers.say(entry.rate) if entry.rate is not None else None
    name = Text(f"{kind} {words.short_name(entry.run)}".strip())
    name.truncate(layout.name, overflow="ellipsis", pad=True)
    known = rate_text is not None and entry.rate is not None and entry.rate.value is not None
    cells = [
        Text.assemble(outcome_text(mark) if mark else " ", " ", f"{layout.calendar(entry.when):>{layout.date}}"),
        name,
        Text(f"{rate_text.value if rate_text else numbers.NOTHING:>{_RATE}}", style="" if entry.left_out else "bold"),
        draw_rate(entry, layout.scale, layout.axis),
        Text(f"{rate_text.interval if rate_text and known else '':<{_INTERVAL}}"),
    ]
    cells += [Text(f"{words.basis(entry):>{layout.basis}}")] if layout.basis else []
    line = Text(_GAP, no_wrap=True, overflow="crop").join(cells)
    if entry.left_out:
        line.stylize("dim")
    return line


def _notes(entry: Entry, layout: _Layout) -> Iterator[RenderableType]:
    changed = words.change_of(entry.change, layout.calendar) if entry.change else ""
    if changed:
        mark = words.mark_of(entry)
        yield Padding(Text(changed, style=STYLES[mark.style] if mark else "dim"), (0, 0, 0, layout.indent))
    for note in words.notes(entry):
        yield Padding(Text(note, style="dim"), (0, 0, 0, layout.indent))


def draw_rate(entry: Entry, scale: Scale, width: int) -> Text:
    """Draw the interval, the rate and the baseline: `····├─:──●─┤···`."""
    rate = entry.rate
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return Text("·" * width, style="dim")
    low, value, high = (_column(end, scale, width) for end in (rate.low, rate.value, rate.high))
    line = ["·"] * width
    line[low : high + 1] = "├" + "─" * (high - low - 1) + "┤" if high > low else "┤"
    if entry.change is not None and entry.change.baseline.rate is not None:
        line[_column(entry.change.baseline.rate.value or 0.0, scale, width)] = ":"
    line[value] = "●"
    pieces = "".join(line[:low]), "".join(line[low : high + 1]), "".join(line[high + 1 :])
    return Text.assemble((pieces[0], "dim"), pieces[1], (pieces[2], "dim"))


def _column(rate: float, scale: Scale, width: int) -> int:
    return round(scale.place(rate) * (width - 1))


def _next(history: History) -> Iterator[RenderableType]:
    command = words.next_command(history.newest) if history.newest else None
    if command is None:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("Next", Text(command[0], style="bold").append(f"  {command[1]}", style="dim not bold"))
    yield Text()
    yield table
