"""Words in what was said: turns are scanned in the order in which they were played, as far as the time allows."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, select, tuple_
from sqlalchemy.exc import OperationalError

from proctor.codec import encode
from proctor.run import Attempt, Key
from proctor.storage.database import Database
from proctor.storage.numbers import Numbers
from proctor.storage.pages import Span, chosen, join_spans
from proctor.storage.rows import OUTCOME_COLUMNS, Place, attempt_of, turn_of
from proctor.storage.tables import attempts, turns
from proctor.transcript import Turn

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
        with _limit_sqlite(connection, until) if sqlite else _limit_statements(connection, until):
            yield
    except OperationalError as error:
        if _gave_up(error.orig):
            raise TimeUp from None
        raise


@contextmanager
def _limit_sqlite(connection: Connection, until: float) -> Iterator[None]:
    database: Any = connection.connection.driver_connection
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        yield
    finally:
        database.set_progress_handler(None, 0)


@contextmanager
def _limit_statements(connection: Connection, until: float) -> Iterator[None]:
    """Every statement has what is left now, so several may take longer."""
    left = max(_LEAST, round(1000 * (until - time.monotonic())))
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {left}")
    yield
    connection.exec_driver_sql("SET LOCAL statement_timeout = DEFAULT")


def _gave_up(error: Any) -> bool:
    interrupted = getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
    return interrupted or getattr(error, "sqlstate", "") == _QUERY_CANCELED


_FIRST = 200
"""Turns in the first batch; how long it takes tells how many the next one may have."""
_MOST = 50_000
"""Turns in a batch."""
_BATCH = 0.1
"""Seconds that a batch should take."""
_KEYS = 200
"""Attempts looked up at a time."""
_BEFORE = (-1, "", "")
_PLACE = tuple(turns.c[name] for name in ("trial", "condition", "exam"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search came to."""

    attempts: tuple[Attempt, ...]
    """Without transcripts, in the order in which they were played."""
    reached: Place | None
    """Where to go on: as many were found as asked for, or time was up; None: all was searched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _SearchQuery:
    """What is searched for, and how long."""

    run: str
    numbers: Numbers
    words: str
    which: dict[str, Any]
    inside: Sequence[Span] | None
    """Spans of places, in order; not asked of the database, since there may be thousands, in each of many questions."""
    until: float
    """On the monotonic clock."""

    @property
    def time_is_up(self) -> bool:
        return time.monotonic() > self.until


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
) -> SearchResult:
    """Attempts in whose questions or replies the words stand, in any case of Latin letters.

    However long the turns are it ends in time, but never before the first batch is done: a search always goes on.
    """
    until, places = time.monotonic() + seconds, which.pop("places", None)
    inside = None if places is None else [*join_spans(places)]
    wanted = _SearchQuery(run=run, numbers=numbers, words=words, which=which, inside=inside, until=until)
    start = reached = after or _BEFORE
    found, size = list[Attempt](), _FIRST
    while True:
        began = time.monotonic()
        try:
            part = _batch(database, wanted, reached, size, limit - len(found))
        except TimeUp:
            if reached != start:
                return SearchResult(attempts=tuple(found), reached=reached)
            size = max(1, size // 10)
            continue
        found += part.attempts
        if part.reached is None or part.enough or wanted.time_is_up:
            return SearchResult(attempts=tuple(found), reached=part.reached)
        reached = part.reached
        size = _next_size(size, time.monotonic() - began)


def _next_size(size: int, took: float) -> int:
    """So many that they take about as long as a batch should, as far as the last one can tell."""
    return max(1, min(_MOST, 8 * size, int(size * _BATCH / max(took, 1e-6))))


class _SearchChunk(NamedTuple):
    """What is in some turns."""

    attempts: list[Attempt]
    reached: Place | None
    """The last of them; None: there are no more."""
    enough: bool = False
    """Whether more may not be looked at now."""


def _batch(database: Database, wanted: _SearchQuery, after: Place, size: int, room: int) -> _SearchChunk:
    """What is in the next so many turns, or as far as there is room and time; a single turn has all the time."""
    found: list[Attempt] = []
    until = wanted.until if size > 1 else None
    # a cursor is closed after the deadline is lifted, since that takes a word to the server too
    with database.reading() as connection, ExitStack() as later, deadline(connection, until):
        end = _end_of_batch(connection, wanted.numbers.turns, after, size)
        looked_at = later.enter_context(closing(_looked_at(connection, wanted, after, end)))
        while part := list(islice(looked_at, _KEYS)):
            rows = _outcomes(connection, wanted, [place for place, holds in part if holds])
            for place, _ in part:
                if place in rows:
                    found.append(attempt_of(wanted.run, rows[place]))
                if len(found) == room:
                    return _SearchChunk(found, place, enough=True)
            if wanted.time_is_up:
                return _SearchChunk(found, part[-1][0], enough=True)
    return _SearchChunk(found, end)


def _end_of_batch(connection: Connection, run_no: int, after: Place, size: int) -> Place | None:
    """The last attempt of the next so many turns; None: there are fewer left."""
    row = connection.execute(_after(run_no, after).offset(size - 1).limit(1)).first()
    return None if row is None else (row.trial, row.condition, row.exam)


def _after(run_no: int, after: Place) -> Select[*tuple[Any, ...]]:
    return select(*_PLACE).where(turns.c.run_no == run_no, tuple_(*_PLACE) > after).order_by(*_PLACE, turns.c.number)


def _looked_at(
    connection: Connection, wanted: _SearchQuery, after: Place, end: Place | None
) -> Generator[tuple[Place, bool], None, None]:
    """The database finds the words anywhere in the stored turns, names of fields included; then they are looked at."""
    written = encode(wanted.words)[1:-1]  # as they stand in JSON
    these = _after(wanted.numbers.turns, after).add_columns(turns.c.body).where(_contains(connection, written))
    if end is not None:
        these = these.where(tuple_(*_PLACE) <= end)
    with connection.execute(these.execution_options(yield_per=_KEYS)) as rows:
        for (trial, condition, exam), group in groupby(rows, key=lambda row: tuple(row[:3])):
            key = Key(run=wanted.run, exam=exam, condition=condition, trial=trial)
            yield (trial, condition, exam), any(_says(turn_of(row.body, key), wanted.words) for row in group)


def _contains(connection: Connection, text: str) -> ColumnElement[bool]:
    """SQLite's LIKE takes no notice of case by itself, and is twice as quick if it is left alone."""
    body = turns.c.body
    return body.contains(text, autoescape=True) if _is_sqlite(connection) else body.icontains(text, autoescape=True)


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _says(turn: Turn, words: str) -> bool:
    wanted = words.casefold()
    return wanted in turn.question.casefold() or (turn.reply is not None and wanted in turn.reply.text.casefold())


def _outcomes(connection: Connection, wanted: _SearchQuery, places: list[Place]) -> dict[Place, Row[Any]]:
    """Of these attempts, those that were chosen. One by one of trial and condition: so they are found by the key."""
    rows: dict[Place, Row[Any]] = {}
    those = select(*OUTCOME_COLUMNS).where(*chosen(wanted.numbers.own, **wanted.which))
    for (trial, condition), group in groupby(places, key=lambda place: place[:2]):
        exams = [exam for _, _, exam in group]
        own = (attempts.c.trial == trial, attempts.c.condition == condition, attempts.c.exam.in_(exams))
        for row in connection.execute(those.where(*own)):
            if wanted.inside is None or _inside(row.place, wanted.inside):
                rows[row.trial, row.condition, row.exam] = row
    return rows


def _inside(place: int, spans: Sequence[Span]) -> bool:
    at = bisect_right(spans, place, key=lambda span: span[0])
    return at > 0 and place <= spans[at - 1][1]
