"""Terminal helpers: a page that fits any width and encoding, and intervals drawn with characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from proctor.reports import numbers
from proctor.reports.headline import HeadlineLine
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.words import harmless
from proctor.statistics.estimate import Estimate

STYLES = {
    "pass": "green", "fail": "red", "flaky": "yellow", "unscored": "magenta", "failed": "bright_black",
    "pending": "dim", "plain": "",
}  # fmt: skip
T = TypeVar("T")
INDENT = (0, 0, 0, 2)
LABEL, WIDE_LABEL = 10, 14
"""Minimum widths of labels in columns, so that lines align."""
_WIDEST = 120
_STAND_INS = str.maketrans("✓✗≈·–…×−├┤─●█▌→│└▁▂▃▄▅▆▇", "+x~.-.x-||-o#|>||..::###")


class Page:
    """Renderables built for the available width, with characters that the output encoding supports."""

    def __init__(self, build: Callable[[int], Iterable[RenderableType]]) -> None:
        self._build = build

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(options.max_width, _WIDEST)
        segments = console.render(Group(*self._build(width)), options.update_width(width))
        for line in Segment.split_lines(segments):
            for segment in _without_trailing_blanks(line):
                yield Segment(writable(segment.text, options.encoding), segment.style)
            yield Segment.line()


def _without_trailing_blanks(line: list[Segment]) -> list[Segment]:
    kept = list(line)
    while kept:
        last = kept.pop()
        text = last.text.rstrip(" ")
        if text:
            return [*kept, Segment(text, last.style)]
    return []


def writable(text: str, encoding: str) -> str:
    """Replace characters that the encoding lacks by others of the same width."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_stand_in(character, encoding) for character in text)
    except LookupError:
        return writable(text, "ascii")
    return text


def _stand_in(character: str, encoding: str) -> str:
    for candidate in (character, character.translate(_STAND_INS)):
        try:
            candidate.encode(encoding)
        except UnicodeEncodeError:
            continue
        return candidate
    return "?" * cell_len(character)


def draw_estimate(estimate: Estimate, width: int) -> Text:
    """Draw an interval on a scale from 0 to 1, so that stacked rows align: `····├──●─┤··`."""
    if estimate.value is None:
        return Text("·" * width, style="dim")
    low, value, high = (_axis_column(end, width) for end in (estimate.low, estimate.value, estimate.high))
    line = list("├" + "─" * (high - low - 1) + "┤" if high > low else "┤")
    line[value - low] = "●"
    left, right = Text("·" * low, style="dim"), Text("·" * (width - 1 - high), style="dim")
    return Text.assemble(left, "".join(line), right)


def _axis_column(value: float | None, width: int) -> int:
    return min(width - 1, max(0, round((value or 0.0) * (width - 1))))


def outcome_text(outcome: OutcomeLabel, text: str = "") -> Text:
    """Render an outcome's sign and a text in its colour."""
    return Text(f"{outcome.sign} {text}".rstrip(), style=STYLES[outcome.style])


def page_table(width: int) -> Table:
    """Return a table of the full page width, with dim headers and without lines."""
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim", expand=True, width=width)


def estimates(lines: Sequence[HeadlineLine], width: int, *, label: int = LABEL) -> Iterator[RenderableType]:
    """Render estimates below each other on one scale, with the data they are based on if there is room."""
    longest = max(len(line.said.basis) for line in lines)
    taken = 28 + max(label, *(len(line.label) for line in lines))
    roomy = width - taken - longest >= 12
    axis = max(4, min(40, width - taken - longest if roomy else width - taken + 1))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, min_width=label)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    level = numbers.percent(lines[0].estimate.level)
    grid.add_row("", "", f"0{'1':>{axis - 1}}", f"{level} interval", style="dim")
    for line in lines:
        estimate_text = line.said
        basis = estimate_text.basis if roomy and line.estimate.value is not None else ""
        tail = f"{estimate_text.interval:<11}  {basis}".rstrip()
        grid.add_row(
            line.label, Text(estimate_text.value, style="bold"), draw_estimate(line.estimate, axis), Text(tail)
        )
    if not roomy and lines[0].said.basis:
        grid.add_row("", "", Text(lines[0].said.basis, style="dim"))
    yield Padding(grid, INDENT)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListCut:
    """Settings for truncated lists: the command that shows the rest, or `every` to show all rows."""

    command: str
    every: bool = False

    def shown(self, rows: Sequence[T], most: int) -> Sequence[T]:
        """Return the rows to show."""
        return rows if self.every else rows[:most]

    def rest(self, rows: Sequence[T], most: int, *, noun: str = "") -> Iterator[RenderableType]:
        """Yield `and 16 more: proctor show RUN --all`; nothing if all rows are shown."""
        if left := len(rows) - len(self.shown(rows, most)):
            yield cut_line(left, self.command, noun=noun)


def cut_line(left: int, command: str, *, noun: str = "") -> RenderableType:
    """Render the line below a truncated list: `and 16 more: proctor show RUN --all`."""
    line = Text(f"and {numbers.whole(left)} more{f' {noun}' if noun else ''}: ", style="dim")
    return Padding(line.append(command, style="not dim"), INDENT)


def facts(values: Mapping[str, str], *, label: int = LABEL) -> Iterator[RenderableType]:
    """Render labels with values, without empty ones."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, min_width=label)
    grid.add_column(overflow="fold")
    for name, fact in values.items():
        if fact:
            grid.add_row(name, Text(fact))
    if grid.row_count:
        yield Padding(grid, INDENT)


class HarmlessConsole(Console):
    """A console that renders untrusted text without terminal control sequences."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render a renderable; only styles produce control sequences."""
        for segment in super().render(renderable, options):
            style = segment.style
            if style is not None and style.link is not None and not style.link.isprintable():
                style = style.update_link(None)  # escape sequences in text printed during a live display are parsed
            safe = segment.control or segment.text.isprintable() or segment.text == "\n"
            yield segment if safe and style is segment.style else Segment(harmless(segment.text), style)
