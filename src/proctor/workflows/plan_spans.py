"""Where the attempts of an exam stand in the plan of its run."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.run import PLACES, Run


def spans(run: Run, rows: Iterable[int]) -> list[tuple[int, int]]:
    """The places, from first to last, of the exams in these rows of the plan: what `Archive.page` is asked with."""
    size = len(run.settings.conditions) * PLACES
    return [(row * size, (row + 1) * size - 1) for row in rows]
