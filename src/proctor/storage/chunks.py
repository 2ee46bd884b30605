"""Read the attempts of a run in chunks: each chunk is a short transaction that continues where the last one ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Table, and_, exists, literal, select, tuple_

from proctor.storage.database import Database
from proctor.storage.numbers import Numbers
from proctor.storage.rows import OUTCOME_COLUMNS, Bodies, Place
from proctor.storage.tables import attempts, drafts, turns

_PLACE = ("trial", "condition", "exam")
_MOST = 400
"""Maximum number of attempts read at a time with transcripts."""
_TEXT = 2**20
"""Target number of characters held in memory at a time."""


class Chunk(NamedTuple):
    """Attempts with an outcome, with their turns and drafts if requested."""

    rows: Sequence[Row[Any]]
    """Rows of OUTCOME_COLUMNS."""
    turns: Bodies
    drafts: Bodies


class StartedChunk(NamedTuple):
    """Attempts without an outcome."""

    places: Sequence[Place]
    turns: Bodies
    drafts: Bodies


def outcomes(
    database: Database,
    numbers: Numbers,
    *,
    size: int,
    verdict: str | None = None,
    with_turns: bool = False,
    with_drafts: bool = False,
) -> Iterator[Chunk]:
    """Yield attempts with an outcome, in the order of the plan; optionally those of one verdict.

    `size` is the number read at first; it grows if transcripts are short.
    """
    after = (-1, -1)
    while True:
        these = _outcomes_after(numbers.own, after, verdict).limit(size)
        places = these.with_only_columns(*_place_columns(attempts))
        with database.reading() as connection:
            rows = connection.execute(these).all()
            turn_bodies = bodies(connection, turns, numbers.turns, places) if with_turns else {}
            draft_bodies = bodies(connection, drafts, numbers.own, places) if with_drafts else {}
        yield Chunk(rows, turn_bodies, draft_bodies)
        if len(rows) < size:
            return
        after = (rows[-1].place, rows[-1].no)
        size = _next_size(size, turn_bodies) if with_turns else size


def _next_size(size: int, bodies: Bodies) -> int:
    """Return the next chunk size for the target amount of text, extrapolated from the last chunk."""
    held = sum(len(body) for turns_held in bodies.values() for _, body in turns_held)
    return max(1, min(_MOST, 4 * size, size * _TEXT // max(held, 1)))


def begun(database: Database, numbers: Numbers, *, size: int) -> Iterator[StartedChunk]:
    """Yield attempts with turns but without an outcome, in the order of their keys."""
    after: Place = (-1, "", "")
    while True:
        these = _begun_after(numbers, after).limit(size)
        with database.reading() as connection:
            places = [(row.trial, row.condition, row.exam) for row in connection.execute(these)]
            turn_bodies = bodies(connection, turns, numbers.turns, these)
            draft_bodies = bodies(connection, drafts, numbers.own, these)
        yield StartedChunk(places, turn_bodies, draft_bodies)
        if len(places) < size:
            return
        after = places[-1]


def one(connection: Connection, numbers: Numbers, place: Place) -> tuple[Row[Any] | None, Bodies]:
    """Return the outcome of one attempt, if it has one, and its turns."""
    at = select(*OUTCOME_COLUMNS).where(attempts.c.run_no == numbers.own, tuple_(*_place_columns(attempts)) == place)
    itself = select(*(literal(value).label(name) for name, value in zip(_PLACE, place, strict=True)))
    return connection.execute(at).first(), bodies(connection, turns, numbers.turns, itself)


def trials(
    connection: Connection, numbers: Numbers, exam: str, condition: str, which: Sequence[int]
) -> tuple[Sequence[Row[Any]], Bodies]:
    """Return the outcomes and turns of some trials of an exam, looked up by key."""

    def matches_trials(table: Table, run_no: int) -> ColumnElement[bool]:
        columns = table.c
        return and_(
            columns.run_no == run_no,
            columns.trial.in_(which),
            columns.condition == condition,
            columns.exam == exam,
        )

    rows = connection.execute(select(*OUTCOME_COLUMNS).where(matches_trials(attempts, numbers.own))).all()
    turn_query = select(*_place_columns(turns), turns.c.number, turns.c.body).where(
        matches_trials(turns, numbers.turns)
    )
    return rows, _group_bodies(connection.execute(turn_query.order_by(turns.c.number)))


def bodies(connection: Connection, table: Table, run_no: int, places: Select[*tuple[Any, ...]]) -> Bodies:
    """Return the bodies in `turns` or `drafts` of the attempts selected as (trial, condition, exam)."""
    these = places.subquery()
    same = and_(table.c.run_no == run_no, *(table.c[name] == these.c[name] for name in _PLACE))
    body_query = select(*_place_columns(table), table.c.number, table.c.body).join_from(these, table, same)
    return _group_bodies(connection.execute(body_query.order_by(table.c.number)))


def _group_bodies(rows: Iterable[Row[Any]]) -> Bodies:
    found: Bodies = {}
    for row in rows:
        found.setdefault((row.trial, row.condition, row.exam), []).append((row.number, row.body))
    return found


def _place_columns(table: Table) -> list[Column[Any]]:
    return [table.c[name] for name in _PLACE]


def _outcomes_after(run_no: int, after: tuple[int, int], verdict: str | None) -> Select[*tuple[Any, ...]]:
    """Select outcomes after a position. Places should be unique; `no` breaks ties, so that no row can be lost."""
    statement = (
        select(*OUTCOME_COLUMNS)
        .where(attempts.c.run_no == run_no, tuple_(attempts.c.place, attempts.c.no) > after)
        .order_by(attempts.c.place, attempts.c.no)
    )
    return statement if verdict is None else statement.where(attempts.c.verdict == verdict)


def _begun_after(numbers: Numbers, after: Place) -> Select[*tuple[Any, ...]]:
    same = (attempts.c[name] == turns.c[name] for name in _PLACE)
    return (
        select(*_place_columns(turns))
        .distinct()
        .where(turns.c.run_no == numbers.turns, tuple_(*_place_columns(turns)) > after)
        .where(~exists().where(attempts.c.run_no == numbers.own, *same))
        .order_by(*_place_columns(turns))
    )
