"""What the doctor says: BenchmarkProblem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from proctor.benchmark import Case

Severity = Literal["error", "warning", "information"]
"""No reply can pass; a score would mislead; worth knowing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkProblem:
    """One thing that is wrong, or worth knowing, about some cases."""

    kind: str
    """What sort of thing, for programs: `duplicate`, `leaked-answer` …"""
    severity: Severity
    """How bad it is."""
    cases: tuple[str, ...] = ()
    """The ids of the cases concerned, in the order of the benchmark; empty: the benchmark as a whole."""
    lines: tuple[int | None, ...] = ()
    """Where each of them stands in its file; None: not known."""
    message: str
    """What was found."""
    advice: str
    """What to do about it."""


def problem(kind: str, severity: Severity, cases: Iterable[Case], message: str, advice: str) -> BenchmarkProblem:
    """A problem of these cases."""
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
    """Words in quotes, the first few of them."""
    every = list(words)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(f"“{shorten(word)}”" for word in every[:most]) + more


def shorten(text: str, most: int = 60) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def plural(number: int, noun: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
