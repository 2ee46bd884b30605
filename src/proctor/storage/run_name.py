"""Resolve the name of a run as given by a user to its id."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from proctor.errors import NoSuchRun
from proctor.settings import nearest

_SHOWN = 5


def resolve(wanted: str, known: Sequence[tuple[str, str]]) -> str:
    """Resolve `last`, an id, a unique name or a unique prefix among (id, name) pairs, newest first."""
    if not known:
        raise NoSuchRun("no run is stored yet: start one with `proctor run`")
    if wanted == "last":
        return known[0][0]
    for matches in (
        [run for run, _ in known if run == wanted],
        [run for run, name in known if name == wanted],
        [run for run, _ in known if wanted and run.startswith(wanted)],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NoSuchRun(f"{_several(wanted, matches, known)}: give the whole id")
    near = nearest(wanted, dict.fromkeys(name for _, name in known if name))
    raise NoSuchRun(
        f"no run has the name {wanted!r}, or an id that begins with it" + (f"; did you mean {near!r}?" if near else ""),
        terminal=" `proctor list` shows all of them" if near else ": `proctor list` shows all of them",
        page=" The list of runs shows all of them" if near else "; the list of runs shows all of them",
    )


def _several(wanted: str, matches: Sequence[str], known: Sequence[tuple[str, str]]) -> str:
    """Describe an ambiguous name: `3 runs have the name 'nightly': …`, or the ids that begin with it."""
    if (matches[0], wanted) in known:
        return f"{len(matches)} runs have the name {wanted!r} ({_list_matches(matches)})"
    return f"{wanted!r} may be any of {_list_matches(matches)}"


def _list_matches(matches: Sequence[str]) -> str:
    shown = ", ".join(matches[:_SHOWN])
    more = len(matches) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


_QUERY = "SELECT id, name, agent, benchmark FROM runs ORDER BY created DESC, no DESC LIMIT 10000"
_WAIT = 1
"""Timeout in seconds for a busy store; PostgreSQL's driver waits at least twice as long for a server."""


@dataclass(frozen=True, slots=True)
class RunName:
    """Fields of a run by which users identify it."""

    id: str
    name: str
    agent: str
    benchmark: str


def newest_run_names(where: str) -> list[RunName]:
    """Return the runs at a path or URL, newest first; database errors propagate unchanged."""
    scheme, _, rest = where.partition("://")
    if scheme.startswith("postgres"):
        return _in_postgres(f"postgresql://{rest}")
    return _in_file(Path(rest.removeprefix("/") if scheme == "sqlite" else where))


def _in_file(path: Path) -> list[RunName]:
    """Read a SQLite file, without creating it. Not opened read-only, which would leave SQLite's other files behind."""
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
