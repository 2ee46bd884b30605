"""Whose replies a run judges: its own, or those of the run that it was rescored from, as far back as that goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.run import Run


def runs_of_same_replies(run: Run, find: Callable[[str], Run | None]) -> list[Run]:
    """The run itself, and those that it was rescored from, one after the other, as far as they are there."""
    runs = [run]
    while (before := runs[-1].rescored_from) is not None:
        found = find(before)
        if found is None:
            break
        runs.append(found)
    return runs


def origin_of(runs: Sequence[Run]) -> str:
    """The id of the run whose replies all of these judge, which need not be there any more."""
    return runs[-1].rescored_from or runs[-1].id
