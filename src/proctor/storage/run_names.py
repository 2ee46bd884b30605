"""The stored runs by their names, read past the store: nothing is made, migrated or locked, and nobody waits long.

For a shell that completes a word while somebody types.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

_QUERY = "SELECT id, name, agent, benchmark FROM runs ORDER BY created DESC, no DESC LIMIT 10000"
_WAIT = 1
"""Seconds for a store that is busy; PostgreSQL's driver waits for a server twice as long at least."""


@dataclass(frozen=True, slots=True)
class RunName:
    """What a run can be called by."""

    id: str
    name: str
    agent: str
    benchmark: str


def newest_run_names(where: str) -> list[RunName]:
    """The runs at a path or URL, newest first; raises whatever the database's driver raises."""
    scheme, _, rest = where.partition("://")
    if scheme.startswith("postgres"):
        return _in_postgres(f"postgresql://{rest}")
    return _in_file(Path(rest.removeprefix("/") if scheme == "sqlite" else where))


def _in_file(path: Path) -> list[RunName]:
    """A file that is not there is not made; opened for reading alone, it would leave SQLite's other files behind."""
    address = f"file:{quote(str(path.expanduser().absolute()))}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=_WAIT)) as database:
        database.execute("PRAGMA query_only=ON")
        return [RunName(*row) for row in database.execute(_QUERY)]


def _in_postgres(address: str) -> list[RunName]:
    import psycopg

    limits: dict[str, Any] = {"connect_timeout": 2 * _WAIT, "options": f"-c statement_timeout={1000 * _WAIT}"}
    with psycopg.connect(address, **limits) as database:
        database.read_only = True
        return [RunName(*row) for row in database.execute(_QUERY)]
