"""Result type of the doctor: BenchmarkProblem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from proctor.benchmark import Case

Severity = Literal["error", "warning", "information"]
"""error: no reply can pass; warning: a score would mislead; information: worth knowing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkProblem:
    """A problem, or something worth knowing, about some cases."""

    kind: str
    """Machine-readable kind, such as `duplicate` or `leaked-answer`."""
    severity: Severity
    cases: tuple[str, ...] = ()
    """Ids of the affected cases in benchmark order; empty for the benchmark as a whole."""
    lines: tuple[int | None, ...] = ()
    """Line number of each case; None if unknown."""
    message: str
    advice: str
    """How to fix it."""


def problem(kind: str, severity: Severity, cases: Iterable[Case], message: str, advice: str) -> BenchmarkProblem:
    """Create a problem for these cases."""
    concerned = list(cases)
    return BenchmarkProblem(
        kind=kind,
        severity=severity,
        cases=tuple(case.id for case in concerned),
        lines=tuple(case.line for case in concerned),
        message=message,
        advice=advice,
    )


def quote_list(words: Iterable[str], most: int = 5) -> str:
    """Quote the first few of these words."""
    every = list(words)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(f"“{shorten(word)}”" for word in every[:most]) + more


def shorten(text: str, most: int = 60) -> str:
    """Return the text on one line, truncated."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def plural(number: int, noun: str) -> str:
    """Format a count with its noun: `1 case`, `2 cases`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
