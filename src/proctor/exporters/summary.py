"""Summary of an export, as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proctor.exporters.outcome import STATES, ItemOutcome, Kind, Report, State

if TYPE_CHECKING:
    from rich.console import Group

_WORDS: dict[State, str] = {
    "sent": "sent",
    "unchanged": "unchanged",
    "rejected": "rejected",
    "unsent": "not sent",
    "unknown": "unknown",
}
_KINDS: dict[Kind, str] = {"attempt": "attempts", "run score": "run scores"}


def as_dict(report: Report) -> dict[str, Any]:
    """Return what `proctor sync --json` prints for one destination."""
    return {
        "destination": report.destination,
        "where": report.where,
        "link": report.link or None,
        "complete": report.complete,
        "attempts": {state: report.counts("attempt")[state] for state in STATES} | {"pending": report.pending},
        "run_scores": {state: report.counts("run score")[state] for state in STATES},
        "troubles": [{"state": state, "reason": why, "count": count} for state, why, count in report.troubles],
        "notes": list(report.notes),
        "items": [_item(outcome) for outcome in report.outcomes],
    }


def _item(outcome: ItemOutcome) -> dict[str, Any]:
    key = outcome.key
    what = (
        {"score": outcome.name} if key is None else {"case": key.exam, "condition": key.condition, "trial": key.trial}
    )
    return {**what, "state": outcome.verdict.state, "reason": outcome.verdict.reason}


def render(report: Report) -> Group:
    """Return a table of counts, and a sentence for each kind of problem."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    shown = [state for state in STATES if state in ("sent", "unchanged") or _any(report, state)]
    for heading in ("", *(_WORDS[state] for state in shown)):
        table.add_column(heading, justify="right" if heading else "left")
    for kind, plural in _KINDS.items():
        counts = report.counts(kind)
        if counts:
            table.add_row(plural, *(str(counts[state]) for state in shown))
    lines = [Text(sentence) for sentence in sentences(report)]
    return Group(Text(f"run {report.run} to {report.destination} at {report.where}"), table, *lines)


def _any(report: Report, state: State) -> bool:
    return any(report.counts(kind)[state] for kind in _KINDS)


def sentences(report: Report) -> list[str]:
    """Return a sentence for each kind of problem, with what to do next."""
    both = " (attempts and run scores)" if all(report.counts(kind) for kind in _KINDS) else ""
    lines = [_with_full_stop(f"{count} {_WORDS[state]}{both}: {reason}") for state, reason, count in report.troubles]
    lines += [_with_full_stop(note) for note in report.notes]
    if report.pending:
        lines.append(f"{report.pending} not run yet.")
    if report.link:
        lines.append(f"Look at it: {report.link}")
    if not report.complete:
        lines.append(f"Continue with: proctor sync --resume {report.run}")
    return lines


def _with_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith(("?", "!", ".", "…")) else f"{sentence}."
