"""Name runs in a sentence about several of them, and the faults that all attempts of a run ran under."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.findings.comparison.many import letter
from proctor.reports.words import one_line
from proctor.run import Run


def run_names(runs: Sequence[Run]) -> list[str]:
    """Name the runs by letter and distinguishing name or agent: `A (demo:librarian)`."""
    ways = ([_name_of(run) for run in runs], [run.agent for run in runs], [run.name for run in runs])
    names = max(ways, key=lambda each: len(set(each)))
    if len(set(names)) == 1:
        return [letter(place) for place in range(len(runs))]
    return [f"{letter(place)} ({one_line(name, 60)})" for place, name in enumerate(names)]


def _name_of(run: Run) -> str:
    """Return the name of a run, or its agent if the name is a default."""
    return run.agent if run.name.endswith((f" on {run.benchmark}", run.agent)) else run.name


def join_names(names: Sequence[str]) -> str:
    """Join names: `A, B and C`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def all_faults(run: Run) -> list[str]:
    """Return the injected faults of a run if every attempt ran under one, else none."""
    names = [one_line(name, 40) for name in run.settings.conditions]
    return names if all(names) else []


def under_faults(run: Run) -> str:
    """Format the faults that all attempts ran under: `under hiccup`, `under hiccup or slow`; empty if some had none."""
    *others, last = all_faults(run) or [""]
    return f"under {', '.join(others)} or {last}" if others else last and f"under {last}"
