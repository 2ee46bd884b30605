"""Words in what was said: turns are scanned in the order in which they were played, as far as the time allows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, select, tuple_

from proctor.codec import encode
from proctor.run import Attempt, Key
from proctor.storage.database import Database
from proctor.storage.numbers import Numbers
from proctor.storage.paging import chosen
from proctor.storage.rows import OUTCOME_COLUMNS, Place, attempt_of, read
from proctor.storage.tables import attempts, turns
from proctor.transcript import Turn

_AT_A_TIME = 50_000
"""Turns scanned between two looks at the clock."""
_KEYS = 200
"""Attempts looked up at a time."""
_BEFORE = (-1, "", "")
_PLACE = tuple(turns.c[name] for name in ("trial", "condition", "exam"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search came to."""

    attempts: tuple[Attempt, ...]
    """Without transcripts, in the order in which they were played."""
    reached: Place | None
    """Where to go on: more was found than asked for, or time was up; None: all was searched."""


def search(
    database: Database,
    run: str,
    numbers: Numbers,
    words: str,
    *,
    after: Place | None,
    limit: int,
    seconds: float,
    **which: Any,
) -> Found:
    """Attempts in whose questions or replies the words stand, in any case of Latin letters."""
    until = time.monotonic() + seconds
    reached, found = after or _BEFORE, list[Attempt]()
    while True:
        with database.reading() as connection:
            end = _end_of_chunk(connection, numbers.turns, reached)
            holding = _holding(connection, run, numbers.turns, words, reached, end)
            while places := list(islice(holding, _KEYS)):
                rows = _outcomes(connection, numbers.own, places, which)
                for place in places:
                    if place in rows:
                        found.append(attempt_of(run, rows[place]))
                    if len(found) == limit or (place == places[-1] and time.monotonic() > until):
                        return Found(attempts=tuple(found), reached=place)
        if end is None:
            return Found(attempts=tuple(found), reached=None)
        reached = end
        if time.monotonic() > until:
            return Found(attempts=tuple(found), reached=reached)


def _end_of_chunk(connection: Connection, run_no: int, after: Place) -> Place | None:
    """The last attempt of the next so many turns; None: there are fewer left."""
    row = connection.execute(_after(run_no, after).offset(_AT_A_TIME - 1).limit(1)).first()
    return None if row is None else (row.trial, row.condition, row.exam)


def _after(run_no: int, after: Place) -> Select[*tuple[Any, ...]]:
    return select(*_PLACE).where(turns.c.run_no == run_no, tuple_(*_PLACE) > after).order_by(*_PLACE, turns.c.number)


def _holding(
    connection: Connection, run: str, run_no: int, words: str, after: Place, end: Place | None
) -> Iterator[Place]:
    """The database finds the words anywhere in the stored turns, names of fields included; then they are looked at."""
    written = encode(words)[1:-1]  # as they stand in JSON
    these = _after(run_no, after).add_columns(turns.c.body).where(_contains(connection, written))
    if end is not None:
        these = these.where(tuple_(*_PLACE) <= end)
    last = None
    for trial, condition, exam, body in connection.execution_options(yield_per=_KEYS).execute(these):
        place = (trial, condition, exam)
        if place != last and _says(read(body, Turn, Key(run=run, exam=exam, condition=condition, trial=trial)), words):
            last = place
            yield place


def _contains(connection: Connection, text: str) -> ColumnElement[bool]:
    """SQLite's LIKE takes no notice of case by itself, and is twice as quick if it is left alone."""
    body = turns.c.body
    return body.contains(text, autoescape=True) if _is_sqlite(connection) else body.icontains(text, autoescape=True)


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _says(turn: Turn, words: str) -> bool:
    wanted = words.casefold()
    return wanted in turn.question.casefold() or (turn.reply is not None and wanted in turn.reply.text.casefold())


def _outcomes(connection: Connection, run_no: int, places: list[Place], which: dict[str, Any]) -> dict[Place, Row[Any]]:
    """Of these attempts, those that were chosen. One by one of trial and condition: so they are found by the key."""
    rows: dict[Place, Row[Any]] = {}
    for (trial, condition), group in groupby(places, key=lambda place: place[:2]):
        exams = [exam for _, _, exam in group]
        own = (attempts.c.trial == trial, attempts.c.condition == condition, attempts.c.exam.in_(exams))
        for row in connection.execute(select(*OUTCOME_COLUMNS).where(*chosen(run_no, **which), *own)):
            rows[row.trial, row.condition, row.exam] = row
    return rows
