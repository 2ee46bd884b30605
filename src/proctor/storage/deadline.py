"""A moment after which the database gives up what it is asked, however far it got."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

_STEPS = 10_000
"""Steps of SQLite's machine between two looks at the clock: about a tenth of a millisecond."""
_LEAST = 10
"""Milliseconds that PostgreSQL is given in any case: with none it would have no limit at all."""
_QUERY_CANCELED = "57014"


class TimeUp(Exception):
    """The moment has come. It never leaves the storage."""


@contextmanager
def deadline(connection: Connection, until: float | None) -> Iterator[None]:
    """What is asked in here raises TimeUp after `until`, on the monotonic clock; None: it may take its time."""
    if until is None:
        yield
        return
    sqlite = connection.dialect.name == "sqlite"
    try:
        with _watched(connection, until) if sqlite else _timed(connection, until):
            yield
    except OperationalError as error:
        if _gave_up(error.orig):
            raise TimeUp from None
        raise


@contextmanager
def _watched(connection: Connection, until: float) -> Iterator[None]:
    database: Any = connection.connection.driver_connection
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        yield
    finally:
        database.set_progress_handler(None, 0)


@contextmanager
def _timed(connection: Connection, until: float) -> Iterator[None]:
    """Every statement has what is left now, so several may take longer."""
    left = max(_LEAST, round(1000 * (until - time.monotonic())))
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {left}")
    yield
    connection.exec_driver_sql("SET LOCAL statement_timeout = DEFAULT")


def _gave_up(error: Any) -> bool:
    interrupted = getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
    return interrupted or getattr(error, "sqlstate", "") == _QUERY_CANCELED
