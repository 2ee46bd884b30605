"""Convert database errors to StoreError: one sentence with what is wrong, where, and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from proctor.errors import StoreError
from proctor.storage.address import Address

_KEPT = "what was stored before is kept"

_SQLITE = {
    "SQLITE_NOTADB": "the store {where} is not a SQLite database: name another file with --store, or move it away",
    "SQLITE_CORRUPT": (
        "the store {where} is damaged ({detail}): keep a copy, save what can be read with "
        "`sqlite3 FILE .recover | sqlite3 NEW`, and name the new file with --store"
    ),
    "SQLITE_FULL": "the disk of the store {where} is full: free some space and continue; " + _KEPT,
    "SQLITE_IOERR": (
        "the store {where} could not be read or written ({detail}): the disk is full, a limit on file sizes was "
        "reached, or the device failed; " + _KEPT
    ),
    "SQLITE_READONLY": (
        "the store {where} cannot be written ({detail}), only read: make the file and its folder writable, "
        "or name another file with --store"
    ),
    "SQLITE_CANTOPEN": (
        "the store {where} cannot be opened ({detail}): check that it is a file in a folder where you may write, as "
        "SQLite keeps files of its own beside it, "
        "or name another file with --store"
    ),
    "SQLITE_BUSY": "the store {where} is locked by another program: try again when that has ended; " + _KEPT,
}


@contextmanager
def translate_errors(address: Address) -> Iterator[None]:
    """Convert all database errors raised in this block to StoreError."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, OverflowError, UnicodeEncodeError) as error:
        raise explain(error, address) from error


def explain(error: Exception, address: Address) -> StoreError:
    """Return the StoreError for a database error."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    detail = address.scrub(_first_line(cause))
    if isinstance(cause, sqlite3.Error):
        return StoreError(_sqlite_sentence(cause).format(where=address.shown, detail=detail))
    if isinstance(cause, OSError):
        return StoreError(f"the store {address.shown} cannot be used: {detail}; name another place with --store")
    if _connection_is_gone(error):
        return StoreError(
            f"the store {address.shown} does not answer ({detail}): check the address and that the server runs, "
            f"then continue; {_KEPT}"
        )
    return StoreError(f"the store {address.shown} refused: {detail}; {_KEPT}")


def _first_line(error: BaseException) -> str:
    """Return the first line of the driver's message; further lines are hints for other programs."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def _sqlite_sentence(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    for code, sentence in _SQLITE.items():
        if name == code or name.startswith(f"{code}_"):
            return sentence
    return "the store {where} refused: {detail}; " + _KEPT


def _connection_is_gone(error: Exception) -> bool:
    """Whether PostgreSQL could not be reached, or the connection was lost."""
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated
        or type(error.orig).__name__ in {"OperationalError", "ConnectionTimeout", "AdminShutdown"}
    )
