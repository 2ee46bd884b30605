"""Figures → one table, as plain text or Markdown."""

from __future__ import annotations

import os
import platform
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median

WIDTH = 100


@dataclass(kw_only=True, slots=True)
class Figure:
    """One contestant's value of one group, measured some times."""

    who: str
    values: list[float] = field(default_factory=list)
    loops: list[float] = field(default_factory=list)
    """CPU milliseconds of the fixed loop just before and after each value."""
    target: float | None = None
    trouble: str = ""
    """Why there is no value."""

    def take(self, value: float, loops: Iterable[float] = ()) -> None:
        self.values.append(value)
        self.loops += loops

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def best(self) -> float:
        return min(self.values)

    @property
    def loop(self) -> str:
        return f"{median(self.loops):.0f}" if self.loops else ""

    def verdict(self, form: str) -> str:
        if self.target is None or not self.values:
            return ""
        limit = f"≤ {format(self.target, form)}"
        if self.middle <= self.target:
            return f"{limit} met"
        return f"{limit} at best" if self.best <= self.target else f"{limit} missed"


@dataclass(kw_only=True, slots=True)
class Group:
    """Values that can be compared. The first is the floor the others are held against."""

    title: str
    form: str
    """How a value is written, such as `.3f`."""
    figures: list[Figure] = field(default_factory=list)

    def rows(self) -> Iterable[tuple[str, ...]]:
        """(who, median, best, loop, × floor, target)"""
        floor = self.figures[0].middle if self.figures and self.figures[0].values else None
        for figure in self.figures:
            if not figure.values:
                yield figure.who, f"no figure: {figure.trouble}"
                continue
            ratio = f"{figure.middle / floor:.1f}" if floor else ""
            shown = [format(value, self.form) for value in (figure.middle, figure.best)]
            yield figure.who, *shown, figure.loop, ratio, figure.verdict(self.form)


COLUMNS = ("", "median", "best", "loop ms", "× floor", "target")
_PLACES = "{:<44}{:>11}{:>11}{:>9}{:>9}  {}"


def as_text(groups: Sequence[Group], notes: Sequence[str]) -> str:
    """The table for a terminal, 100 columns wide."""
    lines = [machine(), _PLACES.format(*COLUMNS).rstrip(), "─" * WIDTH]
    for group in groups:
        lines.append(group.title)
        lines += [_line(who, cells) for who, *cells in group.rows()]
        lines.append("")
    return "\n".join([*lines, *(textwrap.fill(note, WIDTH) for note in notes)])


def _line(who: str, cells: Sequence[str]) -> str:
    if len(cells) == 1:
        return textwrap.fill(f"{who}: {cells[0]}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return _PLACES.format(f"  {who}", *cells).rstrip()


def as_markdown(groups: Sequence[Group], notes: Sequence[str]) -> str:
    """One Markdown table per group."""
    lines = [f"{machine()}.", ""]
    for group in groups:
        lines += [f"**{group.title}**", "", f"| {' | '.join(COLUMNS)} |", "|---|" + "---:|" * 4 + "---|"]
        for who, *cells in group.rows():
            lines.append(f"| {' | '.join([who, *cells, *[''] * (5 - len(cells))])} |")
        lines.append("")
    return "\n".join([*lines, *(f"- {note}" for note in notes)])


def machine() -> str:
    """When and on what: nothing that names the machine itself."""
    today = date.today()
    cores = os.cpu_count() or 1
    return (
        f"{today.day} {today:%B %Y} · {_processor()}, {cores} core{'s' if cores > 1 else ''} · "
        f"{platform.system()} · Python {platform.python_version()}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
