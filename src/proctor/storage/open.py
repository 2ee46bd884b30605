"""Open a Store at a path or URL."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from proctor.errors import StoreError
from proctor.redaction import private
from proctor.storage import address, schema
from proctor.storage.archive import DatabaseArchive
from proctor.storage.database import BUSY_SECONDS, Database
from proctor.storage.errors import translate_errors
from proctor.storage.human_labels import HumanLabels
from proctor.storage.journal import DatabaseJournal
from proctor.storage.judgements import Contests, Judgements
from proctor.storage.lease import Leases
from proctor.storage.snapshots import Snapshots
from proctor.storage.store import Store


def open_store(where: str | Path, *, create: bool = True) -> Store:
    """Open the store, and create or migrate it if needed."""
    place = address.parse(where)
    if place.path is not None:
        _ready_for_file(place, place.path, create=create)
    database = Database(place)
    try:
        return _open_store(database, create=create)
    except BaseException:
        database.close()
        raise


def _open_store(database: Database, *, create: bool) -> Store:
    place = database.address
    if place.path is None:
        _must_hold_any_text(database)
    schema.prepare(database, create=create)
    if place.path is not None and not place.is_frozen:
        _let_readers_in(database)
    leases = Leases(database)
    return Store(
        where=place.shown,
        journal=DatabaseJournal(database, leases),
        archive=DatabaseArchive(database, leases),
        snapshots=Snapshots(database, leases),
        human_labels=HumanLabels(database),
        judgements=Judgements(database),
        contests=Contests(database),
        close=database.close,
    )


def _ready_for_file(place: address.Address, path: Path, *, create: bool) -> None:
    """Check the store's file and prepare its folder, as SQLite's own error messages say little."""
    with translate_errors(place):
        there = path.exists()
        if path.is_dir():
            raise StoreError(f"the store {path} is a folder: name a file in it, such as {path / 'proctor.db'}")
        if not there and not create:
            raise StoreError(f"there are no results at {path} yet: `proctor run` or `proctor demo` makes some")
        if there:
            for each in (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))):
                private.close_ours(each)
        else:
            private.make_folder(path.parent)
            private.make_file(path)  # SQLite copies the mode to its other files


def _let_readers_in(database: Database) -> None:
    """Enable write-ahead logging, so that others can read during writes. Stored in the file, unless it is copied."""
    with translate_errors(database.address):
        connection = database.engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode")
            if cursor.fetchone() != ("wal",):
                _patiently(lambda: cursor.execute("PRAGMA journal_mode=WAL"))
        finally:
            connection.close()


def _patiently(step: Callable[[], object]) -> None:
    """Retry while another connection has a transaction open, as SQLite does not wait for this by itself."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            step()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _must_hold_any_text(database: Database) -> None:
    with database.reading() as connection:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"the database {database.address.shown} has the encoding {encoding}, which cannot hold every text: "
            "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
