"""What was counted of large runs, kept beside them; whatever is written of a run makes it void."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from sqlalchemy import Connection, delete, insert, select

from proctor.errors import StoreError
from proctor.storage.database import Database
from proctor.storage.rows import STOPPED
from proctor.storage.tables import runs, snapshots


class Snapshots:
    """Counts of runs that nobody writes, as bytes that only whoever counted can read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, run: str, stamp: str) -> bytes | None:
        """What was kept under this very stamp; None: nothing."""
        mine = select(snapshots.c.body).join(runs, runs.c.no == snapshots.c.run_no)
        with self._database.reading() as connection:
            body: bytes | None = connection.execute(mine.where(runs.c.id == run, snapshots.c.stamp == stamp)).scalar()
        return body

    def writer(self, run: str) -> int | None:
        """Who wrote the run last, to be asked before it is counted; None: it is being written, or gone."""
        last = select(runs.c.writer).where(runs.c.id == run, runs.c.status.in_(STOPPED))
        with self._database.reading() as connection:
            return connection.execute(last).scalar()

    def keep(self, run: str, *, stamp: str, writer: int, body: bytes) -> None:
        """Keep what was counted since `writer` was asked for, unless the run was written meanwhile.

        A store that is busy, full or read-only is left alone: nothing is lost but time.
        """
        same = select(runs.c.no).where(runs.c.id == run, runs.c.writer == writer, runs.c.status.in_(STOPPED))
        with suppress(StoreError), self._database.writing(patient=False) as connection:
            number = connection.execute(same.with_for_update(nowait=True)).scalar()
            if number is not None:
                forget(connection, [number])
                connection.execute(insert(snapshots), {"run_no": number, "stamp": stamp, "body": body})


def forget(connection: Connection, numbers: Iterable[int]) -> None:
    """Within a transaction that writes these runs."""
    connection.execute(delete(snapshots).where(snapshots.c.run_no.in_(list(numbers))))
