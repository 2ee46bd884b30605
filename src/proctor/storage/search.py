"""Full-text search: scan turns in the order in which they were played, within a time limit."""

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
"""SQLite VM steps between two checks of the clock: about a tenth of a millisecond."""
_LEAST = 10
"""Minimum statement timeout of PostgreSQL in milliseconds, as 0 would mean no limit."""
_QUERY_CANCELED = "57014"


class TimeUp(Exception):
    """The deadline has passed. Never leaves the storage package."""


@contextmanager
def deadline(connection: Connection, until: float | None) -> Iterator[None]:
    """Raise TimeUp if queries in this block run past `until` on the monotonic clock; None for no limit."""
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
    """Limit each PostgreSQL statement to the remaining time, so that several may take longer in total."""
    left = max(_LEAST, round(1000 * (until - time.monotonic())))
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {left}")
    yield
    connection.exec_driver_sql("SET LOCAL statement_timeout = DEFAULT")


def _gave_up(error: Any) -> bool:
    interrupted = getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
    return interrupted or getattr(error, "sqlstate", "") == _QUERY_CANCELED


_FIRST = 200
"""Number of turns in the first batch; later sizes depend on how long batches take."""
_MOST = 50_000
"""Maximum number of turns in a batch."""
_BATCH = 0.1
"""Target duration of a batch in seconds."""
_KEYS = 200
"""Number of attempts looked up at a time."""
_BEFORE = (-1, "", "")
_PLACE = tuple(turns.c[name] for name in ("trial", "condition", "exam"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """Result of a search."""

    attempts: tuple[Attempt, ...]
    """Without transcripts, in the order in which they were played."""
    reached: Place | None
    """Position to continue from if the limit was reached or time was up; None if everything was searched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _SearchQuery:
    """Parameters of a search."""

    run: str
    numbers: Numbers
    words: str
    which: dict[str, Any]
    inside: Sequence[Span] | None
    """Spans of places, sorted; not part of the SQL, since there may be thousands, in each of many queries."""
    until: float
    """Deadline on the monotonic clock."""

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
    """Find attempts whose questions or replies contain the words, ignoring the case of Latin letters.

    Ends in time however long the turns are, but never before the first batch is complete, so that every search makes
    progress.
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
    """Return the next batch size for the target duration, extrapolated from the last batch."""
    return max(1, min(_MOST, 8 * size, int(size * _BATCH / max(took, 1e-6))))


class _SearchChunk(NamedTuple):
    """Matches in one batch of turns."""

    attempts: list[Attempt]
    reached: Place | None
    """Last attempt searched, or None at the end."""
    enough: bool = False
    """Whether to stop here: the limit is reached or time is up."""


def _batch(database: Database, wanted: _SearchQuery, after: Place, size: int, room: int) -> _SearchChunk:
    """Search the next `size` turns, within limit and time; a single turn has no time limit."""
    found: list[Attempt] = []
    until = wanted.until if size > 1 else None
    # close the cursor after the deadline is lifted, since that needs a round trip too
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
    """Return the last attempt of the next `size` turns, or None if fewer are left."""
    row = connection.execute(_after(run_no, after).offset(size - 1).limit(1)).first()
    return None if row is None else (row.trial, row.condition, row.exam)


def _after(run_no: int, after: Place) -> Select[*tuple[Any, ...]]:
    return select(*_PLACE).where(turns.c.run_no == run_no, tuple_(*_PLACE) > after).order_by(*_PLACE, turns.c.number)


def _looked_at(
    connection: Connection, wanted: _SearchQuery, after: Place, end: Place | None
) -> Generator[tuple[Place, bool], None, None]:
    """Yield candidates, found by the database anywhere in the stored JSON, and whether a turn really matches."""
    written = encode(wanted.words)[1:-1]  # as encoded in JSON
    these = _after(wanted.numbers.turns, after).add_columns(turns.c.body).where(_contains(connection, written))
    if end is not None:
        these = these.where(tuple_(*_PLACE) <= end)
    with connection.execute(these.execution_options(yield_per=_KEYS)) as rows:
        for (trial, condition, exam), group in groupby(rows, key=lambda row: tuple(row[:3])):
            key = Key(run=wanted.run, exam=exam, condition=condition, trial=trial)
            yield (trial, condition, exam), any(_mentions(turn_of(row.body, key), wanted.words) for row in group)


def _contains(connection: Connection, text: str) -> ColumnElement[bool]:
    """Return a case-insensitive LIKE condition; SQLite's LIKE is so by itself, and twice as fast without `lower`."""
    body = turns.c.body
    return body.contains(text, autoescape=True) if _is_sqlite(connection) else body.icontains(text, autoescape=True)


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _mentions(turn: Turn, words: str) -> bool:
    wanted = words.casefold()
    return wanted in turn.question.casefold() or (turn.reply is not None and wanted in turn.reply.text.casefold())


def _outcomes(connection: Connection, wanted: _SearchQuery, places: list[Place]) -> dict[Place, Row[Any]]:
    """Return the rows that match the filters; queried by trial and condition, to use the key's index."""
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
