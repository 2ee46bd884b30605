"""What judges say of two runs' replies to one case, beside both runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select

from proctor.codec import encode
from proctor.run import Key
from proctor.score import PairVerdict
from proctor.storage.database import Database
from proctor.storage.judgements import CONTEST
from proctor.storage.numbers import numbers_of
from proctor.storage.rows import read, storable
from proctor.storage.tables import judgements

_COLUMNS = judgements.c


class Contests:
    """Reads and writes them; they lie with judgements, under the run that they are told of, and go with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: str, given: Sequence[PairVerdict]) -> None:
        """Store all of them in one transaction; the same judge's earlier word on the same pair is replaced."""
        with self._database.writing() as connection:
            number = numbers_of(connection, run).own
            for each in given:
                key = {"judge": f"{CONTEST}{each.other} {each.judge}", "exam": each.exam}
                same = (_COLUMNS[name] == value for name, value in key.items())
                connection.execute(delete(judgements).where(_COLUMNS.run_no == number, *same))
                place = {"run_no": number, "repeat": 1, "trial": 1, "condition": "", **key}
                connection.execute(insert(judgements), {**place, "body": storable(encode(each))})

    def of_runs(self, run: str, other: str) -> list[PairVerdict]:
        """All that judges have said of these two, in this order."""
        with self._database.reading() as connection:
            mine = _COLUMNS.run_no == numbers_of(connection, run).own
            them = _COLUMNS.judge.startswith(f"{CONTEST}{other} ", autoescape=True)
            rows = connection.execute(select(_COLUMNS.exam, _COLUMNS.body).where(mine, them).order_by(_COLUMNS.exam))
            return [read(row.body, PairVerdict, Key(run=run, exam=row.exam)) for row in rows]
