"""Who is writing a run: locks that die with their process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import DBAPIError, OperationalError

from proctor.errors import RunBusy
from proctor.storage.address import Address
from proctor.storage.database import ADVISORY, Database, postgres_engine
from proctor.storage.trouble import told

_inherited: set[int] = set()
"""Descriptors that hold a lock. A forked child drops its copies, or it would hold the lock beyond our death."""


def _drop_inherited() -> None:
    for descriptor in _inherited:
        with suppress(OSError):
            os.close(descriptor)
    _inherited.clear()


os.register_at_fork(after_in_child=_drop_inherited)


class Locks(Protocol):
    """One lock per run."""

    def hold(self, run: str, number: int) -> AbstractContextManager[None]:
        """Hold it, or raise RunBusy."""

    def held(self, run: str, number: int) -> bool:
        """Whether anybody holds it, this process included."""


class FileLocks:
    """SQLite's: a locked file beside the database, gone when it is free."""

    def __init__(self, address: Address, database: Path) -> None:
        self._address = address
        real = database.resolve()  # one file has one lock, by whichever link it is reached
        self._folder = real.with_name(f"{real.name}.locks")

    @contextmanager
    def hold(self, run: str, number: int) -> Iterator[None]:
        """Hold it, or raise RunBusy."""
        path = self._path(run)
        with told(self._address):
            descriptor = self._taken(run, path)
        _inherited.add(descriptor)
        try:
            yield
        finally:
            _inherited.discard(descriptor)
            self._free(descriptor, path)

    def held(self, run: str, number: int) -> bool:
        """Whether anybody holds it."""
        with told(self._address):
            try:
                descriptor = os.open(self._path(run), os.O_RDONLY)
            except FileNotFoundError:
                return False
            try:
                return not _locked(descriptor, fcntl.LOCK_SH)
            finally:
                os.close(descriptor)

    def _path(self, run: str) -> Path:
        return self._folder / f"{quote(run, safe='')}.lock"

    def _taken(self, run: str, path: Path) -> int:
        while True:
            self._folder.mkdir(exist_ok=True)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:
                continue  # whoever held another lock has just removed the empty folder
            if _locked(descriptor, fcntl.LOCK_EX):
                if _is(descriptor, path):
                    return descriptor
                os.close(descriptor)  # its holder has removed the file between our opening and locking it
                continue
            busy = not _locked(descriptor, fcntl.LOCK_SH)  # `held` locks it too, shared and for an instant
            os.close(descriptor)
            if busy:
                raise _busy(run)

    def _free(self, descriptor: int, path: Path) -> None:
        with suppress(OSError):  # a file that cannot be removed is free all the same
            path.unlink()
            self._folder.rmdir()
        os.close(descriptor)


class AdvisoryLocks:
    """PostgreSQL's: an advisory lock of a session that does nothing else."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sessions = postgres_engine(
            database.address, poolclass=NullPool, pool_reset_on_return=None, isolation_level="AUTOCOMMIT"
        )

    @contextmanager
    def hold(self, run: str, number: int) -> Iterator[None]:
        """Hold it, or raise RunBusy."""
        with told(self._database.address):
            session = self._sessions.connect()
        try:
            self._take(session, run, number)
            descriptor = session.connection.dbapi_connection.fileno()  # type: ignore[union-attr]
            _inherited.add(descriptor)
            try:
                yield
            finally:
                _inherited.discard(descriptor)
                self._free(session, number)
        finally:
            session.close()

    def held(self, run: str, number: int) -> bool:
        """Whether anybody holds it."""
        with self._database.reading() as connection:
            return bool(connection.execute(_HELD, {"family": ADVISORY, "number": number}).scalar())

    def _free(self, session: Connection, number: int) -> None:
        """Let go before hanging up: the server may notice that only after others have looked."""
        with suppress(DBAPIError):  # a session that was cut has lost its locks already
            session.execute(_FREE, {"family": ADVISORY, "number": number})

    def _take(self, session: Connection, run: str, number: int) -> None:
        """Waits a moment, since the server may not have noticed yet that the last holder was killed."""
        with told(self._database.address):
            session.exec_driver_sql(f"SET lock_timeout = '{_NOTICED_WITHIN}'")
            try:
                session.execute(_TAKE, {"family": ADVISORY, "number": number})
            except OperationalError as error:
                if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                    raise _busy(run) from None
                raise


_NOTICED_WITHIN = "500ms"
_LOCK_NOT_AVAILABLE = "55P03"
_TAKE = text("SELECT pg_advisory_lock(:family, :number)")
_FREE = text("SELECT pg_advisory_unlock(:family, :number)")
_HELD = text(
    "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2"
    " AND classid = :family AND objid = :number"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
)


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is(descriptor: int, path: Path) -> bool:
    """Whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _busy(run: str) -> RunBusy:
    return RunBusy(
        f"run {run} is being written by another process: wait until it ends, or stop it with `proctor cancel {run}`"
    )
