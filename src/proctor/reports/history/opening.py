"""What a person would say of a history after its first sentence: the real changes, and what stays open."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.history import Entry, Series
from proctor.reports.history import words
from proctor.reports.history.calendar import Calendar
from proctor.reports.numbers import plural
from proctor.reports.points import points

_NAMED = 3
"""Changes that are told one by one, the newest first."""


def opening(series: Series, calendar: Calendar) -> list[str]:
    """Nothing where there is nothing to compare yet, which the first sentence says."""
    compared = [entry for entry in series.entries if entry.change is not None]
    if not compared:
        return []
    return [*_changes(series, compared, calendar), *_open(series), *_left_out(series)]


def _changes(series: Series, compared: list[Entry], calendar: Calendar) -> Iterator[str]:
    real = [entry for entry in compared if entry.marked][::-1]
    if not real:
        first = series.latest is not None and series.latest.change is None
        runs = [sum(entry.change is not None for entry in segment.entries) + 1 for segment in series.segments]
        told = plural(sum(each for each in runs if each > 1), "run")
        among = f"{told}, examined in another way," if first else told
        yield f"Nothing in {among} is shown to be more than chance."
        return
    told = "; ".join(_told(entry, calendar) for entry in real[:_NAMED])
    more = f"; and {plural(len(real) - _NAMED, 'earlier one')}" if len(real) > _NAMED else ""
    yield f"Real changes: {told}{more}."


def _told(entry: Entry, calendar: Calendar) -> str:
    """`down 20 points on 11 Nov (with model small)`: what came at the same time, which need not be why."""
    assert entry.change is not None
    value = entry.change.difference.value or 0.0
    labels = words.changed_labels(entry)
    beside = f" (with {labels})" if labels else ""
    return f"{'up' if value > 0 else 'down'} {points(value)} {calendar.say_when(entry.when)}{beside}"


def _open(series: Series) -> Iterator[str]:
    """How far off the newest run may be where no change is shown."""
    change = series.latest.change if series.latest is not None else None
    if change is None or change.verdict != "not shown":
        return
    low, high = change.difference.low, change.difference.high
    if low is not None and high is not None and low < 0 < high:
        yield f"The newest run may be anything from {_about(low)} worse to {_about(high)} better than its baseline."


def _about(share: float) -> str:
    """In whole points, unless there is not one."""
    return points(round(share, 2) or share)


def _left_out(series: Series) -> Iterator[str]:
    left = sum(bool(entry.left_out) for entry in series.entries)
    if left:
        yield f"{plural(left, 'run')} {'is' if left == 1 else 'are'} shown and not compared."
