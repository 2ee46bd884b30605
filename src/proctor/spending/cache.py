"""Disk cache of model replies, to avoid paying for the same call twice.

One SQLite file in a folder, shared by any number of processes. Only successful answers are stored. The least recently
used ones are evicted when the cache is full. A broken cache never breaks a run: a reply that cannot be read is
requested again.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from proctor import threads
from proctor.errors import InputError
from proctor.failures import short_message
from proctor.redaction import private

FILE = "replies.db"
MAX_BYTES = 1_000_000_000
_FORMAT = 1
"""Version of the tables and of the stored data; a file of another version is emptied."""
_PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""
_STALE = 3600.0
"""Minimum seconds between two updates of a reply's last use, so that not every read becomes a write."""
_ROOM = 0.9
"""Share of the maximum size to which the cache is shrunk, so that eviction happens only now and then."""
_TABLES = (
    "DROP TABLE IF EXISTS reply",
    "DROP TABLE IF EXISTS total",
    "CREATE TABLE reply (key BLOB PRIMARY KEY, value BLOB NOT NULL, used REAL NOT NULL) WITHOUT ROWID",
    "CREATE INDEX reply_used ON reply (used)",
    "CREATE TABLE total (bytes INTEGER NOT NULL)",
    "INSERT INTO total VALUES (0)",
    "CREATE TRIGGER kept AFTER INSERT ON reply BEGIN UPDATE total SET bytes = bytes + length(new.value); END",
    "CREATE TRIGGER gone AFTER DELETE ON reply BEGIN UPDATE total SET bytes = bytes - length(old.value); END",
)

_encoder = msgspec.json.Encoder(order="sorted")


def key_of(*parts: object) -> bytes:
    """Return the cache key of a call: a digest of everything that its answer depends on."""
    return hashlib.sha256(_encoder.encode(parts)).digest()


class Cache:
    """Replies by key. Methods run in threads, as they may have to wait for another process."""

    def __init__(self, folder: str | Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Raises InputError if the cache cannot be created in the folder."""
        self.trouble = ""
        """Most recent error of reading or storing a reply; empty if there was none."""
        self.troubles = 0
        """Number of such errors."""
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            private.make_folder(Path(folder))  # questions and replies are private
            private.make_file(Path(folder) / FILE)
            self._connection = _open(Path(folder) / FILE)
        except (OSError, sqlite3.Error) as error:
            why = (isinstance(error, OSError) and error.strerror) or short_message(error)
            raise InputError(f"no cache can be kept in {str(folder)!r}: {why}; {_advice(folder)}") from error

    async def get(self, key: bytes) -> bytes | None:
        """Return the stored value, or None."""
        return await threads.call(partial(self._run_guarded, self._get, key))

    async def put(self, key: bytes, value: bytes) -> None:
        """Store a value; if the key exists already, the stored value is kept."""
        if len(value) <= self._max_bytes * _ROOM:
            await threads.call(partial(self._run_guarded, self._put, key, value))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _run_guarded(self, work: Callable[..., bytes | None], *args: bytes) -> bytes | None:
        with self._lock:
            try:
                return work(*args)
            except sqlite3.Error as error:
                self.trouble = short_message(error)
                self.troubles += 1
                with suppress(sqlite3.Error):
                    self._connection.rollback()
                return None

    def _get(self, key: bytes) -> bytes | None:
        row = self._connection.execute("SELECT value, used FROM reply WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        value, used = row
        if time.time() - used > _STALE:
            self._connection.execute("UPDATE reply SET used = ? WHERE key = ?", (time.time(), key))
        kept: bytes = value
        return kept

    def _put(self, key: bytes, value: bytes) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?, ?)", (key, value, time.time()))
        if self._bytes() > self._max_bytes:
            while self._bytes() > self._max_bytes * _ROOM:
                self._connection.execute(
                    "DELETE FROM reply WHERE key IN (SELECT key FROM reply WHERE key != ? ORDER BY used LIMIT 10)",
                    (key,),
                )
        self._connection.execute("COMMIT")

    def _bytes(self) -> int:
        kept: int = self._connection.execute("SELECT bytes FROM total").fetchone()[0]
        return kept


def _advice(folder: str | Path) -> str:
    """Advise what to do if the cache cannot be opened; an existing file that is no cache has to be removed."""
    file = Path(folder) / FILE
    return (
        f"remove {str(file)!r}, it is created again"
        if file.is_file()
        else "its folder has to be one that can be written"
    )


def _open(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _version(connection) != _FORMAT:
            _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    """Create empty tables, unless another process has just done so."""
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) != _FORMAT:
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
