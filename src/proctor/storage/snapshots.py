"""Snapshots: cached counts of large runs.

A process that counts a run first stores a claim. Every write of the run deletes claims and snapshots, so no counts from
before a write are ever kept. In addition, a snapshot has a seal: who wrote the run last, and how it ended. The seal
also changes if the run is continued by a process that was started before snapshots existed, and does not know of them.
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
    """Claim of a process that is counting a run."""

    no: int
    """Number of the run's row."""
    stamp: str
    """Placeholder for the stamp of the future snapshot."""
    seal: str
    """State of the run when counting began."""


class Snapshots:
    """Cached counts of runs that are not being written, as bytes in the format of whoever counted."""

    def __init__(self, database: Database, leases: Leases) -> None:
        self._database = database
        self._leases = leases

    def read(self, run: str, stamp: str) -> bytes | None:
        """Return the snapshot with this stamp for the current state of the run, or None."""
        with self._database.reading() as connection:
            row = connection.execute(_standing(run)).first()
            if row is None:
                return None
            mine = snapshots.c.run_no == row.no, snapshots.c.stamp == f"{stamp} {_seal(row)}"
            body: bytes | None = connection.execute(select(snapshots.c.body).where(*mine)).scalar()
        return body

    def begin(self, run: str, *, writer: int | None = None) -> SnapshotClaim | None:
        """Claim the counting of a run; None if it is being written, or if the store is busy or read-only.

        A process that has just finished writing the run passes the number with which it wrote.
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
        """Store the counts for a claim, unless the run was written meanwhile.

        Does nothing if the store is busy, full or read-only: only time is lost.
        """
        mine = snapshots.c.run_no == note.no, snapshots.c.stamp == note.stamp
        with suppress(StoreError), self._database.writing(patient=False) as connection:
            if connection.execute(select(snapshots.c.run_no).where(*mine).with_for_update(nowait=True)).first():
                kept = {"stamp": f"{stamp} {note.seal}", "body": body}
                connection.execute(update(snapshots).where(*mine).values(kept))

    def _rests(self, row: Row[Any]) -> bool:
        """Whether no process writes the run: it was stopped, or its writer is gone."""
        return (row.status in STOPPED or row.holder is not None) and not self._leases.held(row.no)


def forget(connection: Connection, numbers: Iterable[int]) -> None:
    """Delete the snapshots of runs within a transaction that writes them."""
    connection.execute(delete(snapshots).where(snapshots.c.run_no.in_(list(numbers))))


def _standing(run: str) -> Select[*tuple[Any, ...]]:
    columns = (runs.c.no, runs.c.status, runs.c.ended, runs.c.seconds, runs.c.writer, runs.c.holder)
    return select(*columns).where(runs.c.id == run)


def _seal(row: Row[Any]) -> str:
    return f"{row.writer} {row.status} {row.ended!r} {row.seconds!r}"


def _is_done(row: Row[Any], writer: int) -> bool:
    return row.writer == writer and row.status in STOPPED
