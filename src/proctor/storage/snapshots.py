"""What was counted of large runs, kept beside them.

Whoever counts notes it first. Every write of the run deletes that note, as it deletes what was kept, so nothing is kept
that was counted before a write. What is kept bears a seal besides: who wrote the run last, and how it ended. That
changes also where a process goes on that was started before there were snapshots, and knows nothing of them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from proctor.errors import StoreError
from proctor.storage.database import Database
from proctor.storage.lease import Leases
from proctor.storage.rows import STOPPED
from proctor.storage.tables import runs, snapshots


@dataclass(frozen=True, kw_only=True, slots=True)
class SnapshotClaim:
    """That somebody counts a run."""

    no: int
    """The number of the run's row."""
    stamp: str
    """What stands where the stamp of a snapshot will."""
    seal: str
    """How the run stood when it was begun."""


class Snapshots:
    """Counts of runs that nobody writes, as bytes that only whoever counted can read."""

    def __init__(self, database: Database, leases: Leases) -> None:
        self._database = database
        self._leases = leases

    def read(self, run: str, stamp: str) -> bytes | None:
        """What was kept under this very stamp of the run as it stands; None: nothing."""
        with self._database.reading() as connection:
            row = connection.execute(_standing(run)).first()
            if row is None:
                return None
            mine = snapshots.c.run_no == row.no, snapshots.c.stamp == f"{stamp} {_seal(row)}"
            body: bytes | None = connection.execute(select(snapshots.c.body).where(*mine)).scalar()
        return body

    def begin(self, run: str, *, writer: int | None = None) -> SnapshotClaim | None:
        """Note that a run is counted from here on; None: it is being written, or the store is busy or read-only.

        Whoever writes it here, and is done with it, gives the number with which it was written.
        """
        with suppress(StoreError), self._database.writing(patient=False) as connection:
            row = connection.execute(_standing(run).with_for_update(nowait=True)).first()
            if row is None or not (self._rests(row) if writer is None else _is_done(row, writer)):
                return None
            note = SnapshotClaim(no=row.no, stamp=f"counting {secrets.token_hex(8)}", seal=_seal(row))
            forget(connection, [note.no])
            connection.execute(insert(snapshots), {"run_no": note.no, "stamp": note.stamp, "body": b""})
            return note
        return None

    def keep(self, note: SnapshotClaim, *, stamp: str, body: bytes) -> None:
        """Keep what was counted since it was noted, unless the run was written meanwhile.

        A store that is busy, full or read-only is left alone: nothing is lost but time.
        """
        mine = snapshots.c.run_no == note.no, snapshots.c.stamp == note.stamp
        with suppress(StoreError), self._database.writing(patient=False) as connection:
            if connection.execute(select(snapshots.c.run_no).where(*mine).with_for_update(nowait=True)).first():
                kept = {"stamp": f"{stamp} {note.seal}", "body": body}
                connection.execute(update(snapshots).where(*mine).values(kept))

    def _rests(self, row: Row[Any]) -> bool:
        """Whether nobody writes it: it was stopped, or whoever wrote it is gone."""
        return (row.status in STOPPED or row.holder is not None) and not self._leases.held(row.no)


def forget(connection: Connection, numbers: Iterable[int]) -> None:
    """Within a transaction that writes these runs."""
    connection.execute(delete(snapshots).where(snapshots.c.run_no.in_(list(numbers))))


def _standing(run: str) -> Select[*tuple[Any, ...]]:
    columns = (runs.c.no, runs.c.status, runs.c.ended, runs.c.seconds, runs.c.writer, runs.c.holder)
    return select(*columns).where(runs.c.id == run)


def _seal(row: Row[Any]) -> str:
    return f"{row.writer} {row.status} {row.ended!r} {row.seconds!r}"


def _is_done(row: Row[Any], writer: int) -> bool:
    return row.writer == writer and row.status in STOPPED
