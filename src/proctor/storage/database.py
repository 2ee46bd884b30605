"""Database access: connections, transactions, and differences between SQLite and PostgreSQL."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text

from proctor.errors import StoreError
from proctor.storage.address import Address
from proctor.storage.errors import translate_errors

BUSY_SECONDS = 60
SYNCHRONOUS = "FULL"
"""SQLite waits for the disk itself before a write counts, so that it survives a power failure."""
_WRITES = "proctor_writes"

ADVISORY = 0x50524F43
"""Namespace of Proctor's advisory locks in PostgreSQL; the second number is a run's, or 0 for the list of runs."""


class Database:
    """A pool of connections. All database errors are raised as StoreError."""

    def __init__(self, address: Address, *, rebuilding: bool = False) -> None:
        """`rebuilding` is for migrations: SQLite must not enforce foreign keys while a table is replaced."""
        self.address = address
        if address.path is not None:
            self.engine = _sqlite_engine(address, references=not rebuilding)
        else:
            self.engine = postgres_engine(address, pool_pre_ping=True)
        self.dialect = self.engine.dialect
        self._file: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection with a consistent view; keep it short, so that SQLite can checkpoint its log."""
        with translate_errors(self.address), self.engine.connect() as connection:
            if self.address.path is None:  # SQLite readers see a snapshot anyway
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, *, patient: bool = True) -> Iterator[Connection]:
        """Run a transaction: on disk when this returns, or rolled back; with `patient=False`, do not wait for locks."""
        with translate_errors(self.address), self.engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with self._waiting(connection, patient=patient), connection.begin():
                yield connection
            self._must_be_the_same_file()

    def _must_be_the_same_file(self) -> None:
        """Raise StoreError where SQLite's file was removed or replaced: what is written to it then is nowhere."""
        path = self.address.path
        if path is None:
            return
        with suppress(FileNotFoundError):
            found = path.stat()
            self._file = self._file or (found.st_dev, found.st_ino)
            if self._file == (found.st_dev, found.st_ino):
                return
        raise StoreError(
            f"the store {self.address.shown} was removed or replaced while it was in use, and what was stored in it "
            "is gone: put it back if you can"
        )

    @contextmanager
    def _waiting(self, connection: Connection, *, patient: bool) -> Iterator[None]:
        """Disable SQLite's busy timeout if not patient; in PostgreSQL, the query itself says NOWAIT."""
        database: Any = connection.connection.driver_connection
        if patient or self.address.path is None:
            yield
            return
        database.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            database.execute(f"PRAGMA busy_timeout = {1000 * BUSY_SECONDS}")

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Run a transaction during which no other may change the schema or the list of runs."""
        with self.writing() as connection:
            if self.address.path is None:  # SQLite has one writer at a time anyway
                connection.execute(text("SELECT pg_advisory_xact_lock(:family, 0)"), {"family": ADVISORY})
            yield connection

    def take_stock(self, tables: Iterable[str]) -> None:
        """Update the table statistics of PostgreSQL's planner, which would take a minute to do so by itself."""
        if self.address.path is None:
            with suppress(StoreError), self.writing() as connection:  # an optimisation only: errors do not matter
                connection.exec_driver_sql(f"ANALYZE {', '.join(tables)}")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _sqlite_engine(address: Address, *, references: bool) -> Engine:
    known: dict[str, Any] = {"timeout": BUSY_SECONDS}
    if address.is_frozen and address.path is not None:
        known["check_same_thread"] = False  # as SQLAlchemy does when it opens the file itself
        engine = create_engine(address.url, hide_parameters=True, creator=partial(_open_frozen, address.path, **known))
    else:
        engine = create_engine(address.url, hide_parameters=True, connect_args=known)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below instead
        connection.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
        connection.execute(f"PRAGMA foreign_keys={'ON' if references else 'OFF'}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        # a writer takes its lock at once and waits for it; upgrading a reader would fail instead
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _open_frozen(path: Path, **known: Any) -> sqlite3.Connection:
    """Open a file read-only. A log file next to it is read too; without one, the file is opened as immutable."""
    log = path.with_name(f"{path.name}-wal")
    needs_files = os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size > 0)
    frozen = "" if needs_files else "&immutable=1"
    opened: sqlite3.Connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro{frozen}", uri=True, **known)
    return opened


def postgres_engine(address: Address, **options: Any) -> Engine:
    """Create an engine for PostgreSQL with psycopg 3, which may not be installed."""
    if importlib.util.find_spec("psycopg") is None:
        raise StoreError('a PostgreSQL store needs the package psycopg: pip install "proctor[postgres]"')
    defaults = {"connect_timeout": 10, "application_name": "proctor", "client_encoding": "utf8"}
    missing: dict[str, Any] = {name: value for name, value in defaults.items() if name not in address.url.query}
    missing["prepare_threshold"] = None  # poolers switch connections, which breaks prepared statements
    with translate_errors(address):
        return create_engine(address.url, hide_parameters=True, paramstyle="format", connect_args=missing, **options)
