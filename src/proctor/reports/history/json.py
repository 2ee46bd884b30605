"""Render a history as JSON, one object per run shown. Keys may be added, but not removed."""

from __future__ import annotations

from typing import Any

from proctor.findings.history import Change, Entry, History, Series
from proctor.findings.run import Summary
from proctor.reports.run.json import run_row
from proctor.reports.values import estimate


def as_list(history: History | None) -> list[dict[str, Any]]:
    """Return the output of `proctor history --json`: series by series, in chronological order."""
    if history is None:
        return []
    return [_entry(history, series, place + 1, entry) for series in history.series for place, entry in series.by_time]


def _entry(history: History, series: Series, segment: int, entry: Entry) -> dict[str, Any]:
    standard = entry.run.settings.type == "standard"
    row = run_row(entry.run, Summary(rate=entry.rate) if standard and entry.rate is not None else None)
    if not standard:  # here, whole conversations are counted, not replies
        row["held_rate"] = None if entry.rate is None else estimate(entry.rate)
    return {
        **row,
        "when": entry.when,
        "rescored_from": entry.run.rescored_from,
        "by": history.by,
        "group": series.value if history.by else None,
        "segment": segment,
        "not_comparable": _differences(series, segment),
        "left_out": entry.left_out or None,
        "changed_labels": entry.relabelled,
        "pass_rate_people": None if entry.people is None else estimate(entry.people.rate),
        "cost_per_pass": None if entry.cost_per_pass is None else estimate(entry.cost_per_pass),
        "change": None if entry.change is None else _change(entry.change),
    }


def _differences(series: Series, segment: int) -> list[str]:
    """Return the differences in examination from the previous segment."""
    return [str(one) for one in series.segments[segment - 1].apart]


def _change(change: Change) -> dict[str, Any]:
    return {
        "baseline": change.baseline.run.id,
        "look": change.look,
        "difference": estimate(change.difference),
        "p_value": change.p_value,
        "level": change.level,
        "verdict": change.verdict,
    }
