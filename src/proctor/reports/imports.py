"""Phrase what an import took and what it left out, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from proctor.reports.numbers import plural
from proctor.run import Run
from proctor.score import ImportedFrom

_OUTCOMES = {
    "passed": "passed",
    "failed": "failed",
    "agent_failed": "broke by the agent's own failure",
    "environment_failed": "broke for other reasons",
    "unscored": "without a verdict",
    "undecided": "undecided",
}


class TakenLog(Protocol):
    """The log of an import."""

    skipped: list[tuple[str, str]]
    skipped_count: int
    undecided: list[tuple[str, str]]
    undecided_count: int
    masked: int
    cut_off: str

    @property
    def left_out(self) -> Mapping[str, int]:
        """Feature without a counterpart → number of occurrences."""
        ...

    @property
    def notes(self) -> Mapping[str, None]:
        """Notes as sentences, in order."""
        ...


def origin(imported: ImportedFrom | None) -> str:
    """Describe the origin: `Inspect AI 0.3.285, log.eval: played there, verdicts by match`; empty for own runs."""
    if imported is None:
        return ""
    tool = f"{imported.tool} {imported.version}".strip()
    return f"{tool}, {imported.file}: played there, verdicts by {imported.judge}"


def run_line(run: Run, outcomes: Mapping[str, int], *, known: bool) -> str:
    """Describe a run that was imported, now or before."""
    if known:
        return f"run {run.id} ({run.name}) was imported from this file before; --again imports it once more"
    counts = ", ".join(f"{outcomes[name]:,} {words}" for name, words in _OUTCOMES.items() if outcomes.get(name))
    stopped = f"; {run.status}: {run.reason}" if run.reason else ""
    return f"run {run.id} ({run.name}): {plural(sum(outcomes.values()), 'attempt')}, {counts}{stopped}"


def log_lines(log: TakenLog) -> Iterator[str]:
    """Yield what was noted, left out, skipped, truncated and masked."""
    yield from (f"note: {sentence}" for sentence in log.notes)
    for what, times in sorted(log.left_out.items()):
        yield f"no counterpart: {what} ({times:,})"
    if log.masked:
        yield f"masked: {plural(log.masked, 'secret')}"
    for place, why in log.skipped:
        yield f"not taken: {place}: {why}"
    if (more := log.skipped_count - len(log.skipped)) > 0:
        yield f"not taken: {more:,} more"
    for place, why in log.undecided:
        yield f"undecided: {place}: {why}"
    if (more := log.undecided_count - len(log.undecided)) > 0:
        yield f"undecided: {more:,} more"
    if log.cut_off:
        yield f"cut off: {log.cut_off}"


def log_dict(log: TakenLog) -> dict[str, Any]:
    """Return the log as JSON."""
    return {
        "notes": [*log.notes],
        "no_counterpart": dict(sorted(log.left_out.items())),
        "masked_secrets": log.masked,
        "not_taken": log.skipped_count,
        "not_taken_first": [{"where": place, "why": why} for place, why in log.skipped],
        "undecided": log.undecided_count,
        "undecided_first": [{"where": place, "why": why} for place, why in log.undecided],
        "cut_off": log.cut_off or None,
    }


def suite_line(files: tuple[Path, ...], cases: int) -> str:
    """Describe the files written."""
    names = ", ".join(map(str, files))
    several = f" in {len(files)} files, since one takes 8 MiB" if len(files) > 1 else ""
    return f"wrote {names}: {plural(cases, 'case')}{several}"
