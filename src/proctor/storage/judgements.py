"""Additional judgements of attempts, one per judge, repeat and attempt; and contests of two runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select

from proctor.codec import encode
from proctor.run import Key
from proctor.score import PairVerdict, SecondOpinion
from proctor.storage.database import Database
from proctor.storage.numbers import numbers_of
from proctor.storage.rows import read, storable
from proctor.storage.tables import judgements

_COLUMNS = judgements.c
CONTEST = "contest:"
"""Prefix of `judge` in rows that compare two runs instead of judging an attempt."""
_KEY = ("judge", "repeat", "trial", "condition", "exam")


_IS_OF_ATTEMPT = ~_COLUMNS.judge.startswith(CONTEST, autoescape=True)


class Judgements:
    """Reads and writes judgements; the attempts themselves are not changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: str, given: Sequence[SecondOpinion]) -> None:
        """Store all judgements in one transaction; the same judge's earlier ones of the same repeat are replaced."""
        with self._database.writing() as connection:
            number = numbers_of(connection, run).own
            for each in given:
                key = {name: getattr(each, name) for name in _KEY}
                same = (_COLUMNS[name] == value for name, value in key.items())
                connection.execute(delete(judgements).where(_COLUMNS.run_no == number, *same))
                connection.execute(insert(judgements), {"run_no": number, **key, "body": storable(encode(each))})

    def count(self, run: str) -> int:
        """Count the judgements of a run's attempts."""
        with self._database.reading() as connection:
            mine = _COLUMNS.run_no == numbers_of(connection, run).own
            counted = select(func.count()).select_from(judgements).where(mine, _IS_OF_ATTEMPT)
            return connection.execute(counted).scalar_one()

    def of_run(self, run: str, judge: str | None = None) -> list[SecondOpinion]:
        """Return all judgements of a run's attempts, optionally by one judge, in the order of their keys."""
        with self._database.reading() as connection:
            mine = [_COLUMNS.run_no == numbers_of(connection, run).own, _IS_OF_ATTEMPT]
            if judge is not None:
                mine.append(_COLUMNS.judge == judge)
            rows = connection.execute(select(judgements).where(*mine).order_by(*(_COLUMNS[name] for name in _KEY)))
            return [
                read(row.body, SecondOpinion, Key(run=run, exam=row.exam, condition=row.condition, trial=row.trial))
                for row in rows
            ]


_CONTEST_COLUMNS = judgements.c


class Contests:
    """Reads and writes verdicts on pairs of runs; stored as judgements of the first run, and deleted with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: str, given: Sequence[PairVerdict]) -> None:
        """Store all verdicts in one transaction; the same judge's earlier ones on the same pair are replaced."""
        with self._database.writing() as connection:
            number = numbers_of(connection, run).own
            for each in given:
                key = {"judge": f"{CONTEST}{each.other} {each.judge}", "exam": each.exam}
                same = (_CONTEST_COLUMNS[name] == value for name, value in key.items())
                connection.execute(delete(judgements).where(_CONTEST_COLUMNS.run_no == number, *same))
                place = {"run_no": number, "repeat": 1, "trial": 1, "condition": "", **key}
                connection.execute(insert(judgements), {**place, "body": storable(encode(each))})

    def of_runs(self, run: str, other: str) -> list[PairVerdict]:
        """Return all verdicts on these two runs, in this order."""
        with self._database.reading() as connection:
            mine = _CONTEST_COLUMNS.run_no == numbers_of(connection, run).own
            them = _CONTEST_COLUMNS.judge.startswith(f"{CONTEST}{other} ", autoescape=True)
            rows = connection.execute(
                select(_CONTEST_COLUMNS.exam, _CONTEST_COLUMNS.body).where(mine, them).order_by(_CONTEST_COLUMNS.exam)
            )
            return [read(row.body, PairVerdict, Key(run=run, exam=row.exam)) for row in rows]
