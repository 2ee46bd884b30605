"""Map a run's id to the numbers of its rows."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, select

from proctor.errors import NoSuchRun
from proctor.storage.tables import runs


class Numbers(NamedTuple):
    """Row numbers of a run."""

    own: int
    """Number for its attempts and drafts."""
    turns: int
    """Number for its turns; another run's if it was rescored."""
    benchmark: int
    """Number of its benchmark."""


def numbers_of(connection: Connection, run: str) -> Numbers:
    """Return the row numbers of a stored run; raises NoSuchRun."""
    row = connection.execute(select(runs.c.no, runs.c.turns_no, runs.c.benchmark_no).where(runs.c.id == run)).first()
    if row is None:
        raise NoSuchRun(f"there is no run {run!r}: `proctor list` shows those that are stored")
    return Numbers(*row)
