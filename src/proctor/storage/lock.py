"""Who is writing a run: locks that die with their process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from sqlalchemy import Connection, text

from proctor.errors import RunBusy
from proctor.storage.address import Address
from proctor.storage.database import ADVISORY, Database
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
        self._folder = database.with_name(f"{database.name}.locks")

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

    @contextmanager
    def hold(self, run: str, number: int) -> Iterator[None]:
        """Hold it, or raise RunBusy."""
        with told(self._database.address):
            connection = self._session()
            got = connection.execute(_TRY, {"family": ADVISORY, "number": number}).scalar()
        descriptor = connection.connection.dbapi_connection.fileno()  # type: ignore[union-attr]
        _inherited.add(descriptor)
        try:
            if not got:
                raise _busy(run)
            yield
        finally:
            _inherited.discard(descriptor)
            connection.close()

    def held(self, run: str, number: int) -> bool:
        """Whether anybody holds it."""
        with self._database.reading() as connection:
            return bool(connection.execute(_SEEN, {"family": ADVISORY, "number": number}).scalar())

    def _session(self) -> Connection:
        """A connection of its own, outside the pool and outside any transaction."""
        connection = self._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        return connection


_TRY = text("SELECT pg_try_advisory_lock(:family, :number)")
_SEEN = text(
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
