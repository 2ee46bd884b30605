"""Replies of models kept on disk, so that the same call is not paid for twice.

One SQLite file in a folder, which any number of processes may use at once. Only answers are kept, never failures. The
oldest leave when there are too many. A cache that breaks never breaks a run: what cannot be read is asked for again.
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
from proctor.failures import said
from proctor.redaction import private

FILE = "replies.db"
MAX_BYTES = 1_000_000_000
_FORMAT = 1
"""Changes with the tables and with what is kept in them; another format's file is emptied."""
_PATIENCE = 5.0
"""Seconds to wait for another process that writes."""
_STALE = 3600.0
"""Seconds after which another use of a reply is noted: noting each would make every read a write."""
_ROOM = 0.9
"""The share of the bound that is left after making room, so that this is done now and then, and not each time."""
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
    """The key of a call: a digest of everything that its answer depends on."""
    return hashlib.sha256(_encoder.encode(parts)).digest()


class Cache:
    """Replies by key. Its methods wait in threads, because another process may be writing."""

    def __init__(self, folder: str | Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Raises InputError where no cache can be kept there."""
        self.trouble = ""
        """Why a reply could not be read or kept, the last time; empty: all went well."""
        self.troubles = 0
        """How often that was."""
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            private.make_folder(Path(folder))  # questions and replies are nobody else's
            private.make_file(Path(folder) / FILE)
            self._connection = _open(Path(folder) / FILE)
        except (OSError, sqlite3.Error) as error:
            why = (isinstance(error, OSError) and error.strerror) or said(error)
            raise InputError(f"no cache can be kept in {str(folder)!r}: {why}; {_advice(folder)}") from error

    async def get(self, key: bytes) -> bytes | None:
        """What was kept under this key; None: nothing."""
        return await threads.call(partial(self._run_guarded, self._get, key))

    async def put(self, key: bytes, value: bytes) -> None:
        """Keep an answer; whoever has kept one under this key first, wins."""
        if len(value) <= self._max_bytes * _ROOM:
            await threads.call(partial(self._run_guarded, self._put, key, value))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _run_guarded(self, work: Callable[..., bytes | None], *args: bytes) -> bytes | None:
        with self._lock:
            try:
                return work(*args)
            except sqlite3.Error as error:
                self.trouble = said(error)
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
    """What to do where no cache can be opened: a file that is there, but none of ours, can only be removed."""
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
    """Empty tables, unless another process has just made them."""
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) != _FORMAT:
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
