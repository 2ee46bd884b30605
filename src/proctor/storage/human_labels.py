"""Human labels: people's verdicts on attempts, one per person and attempt."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Exists, delete, exists, func, insert, select

from proctor.errors import InputError
from proctor.run import HumanLabel, Key
from proctor.storage.database import Database
from proctor.storage.numbers import numbers_of
from proctor.storage.tables import attempts, human_labels, runs

_COLUMNS = human_labels.c
_KEY = (_COLUMNS.run_no, _COLUMNS.trial, _COLUMNS.condition, _COLUMNS.exam)


class HumanLabels:
    """Reads and writes human labels, without interfering with the process that plays the run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: str, labels: Sequence[HumanLabel]) -> None:
        """Store all labels or none; earlier labels by the same person on the same attempt are replaced."""
        with self._database.writing() as connection:
            number = numbers_of(connection, run).own
            for label in labels:
                if not connection.execute(select(_attempt(number, label.key))).scalar():
                    raise InputError(
                        f"run {run} has no attempt at case {label.key.exam!r}, trial {label.key.trial}; "
                        "no label was stored"
                    )
                self._remove(connection, number, label.key, label.who)
                connection.execute(insert(human_labels), _row(number, label))

    def take_back(self, label: HumanLabel) -> None:
        """Delete a label."""
        with self._database.writing() as connection:
            self._remove(connection, numbers_of(connection, label.key.run).own, label.key, label.who)

    def of_run(self, run: str) -> list[HumanLabel]:
        """Return all labels of a run, in the order of their keys."""
        with self._database.reading() as connection:
            number = numbers_of(connection, run).own
            rows = connection.execute(
                select(human_labels).where(_COLUMNS.run_no == number).order_by(*_KEY, _COLUMNS.who)
            )
            return [
                HumanLabel(
                    key=Key(run=run, exam=row.exam, condition=row.condition, trial=row.trial),
                    passed=row.passed, who=row.who, note=row.note, made=row.made, seconds=row.seconds,
                )
                for row in rows
            ]  # fmt: skip

    def counts(self) -> dict[str, int]:
        """Map each run to its number of labels; runs without any are left out."""
        counted = select(runs.c.id, func.count()).join(human_labels, _COLUMNS.run_no == runs.c.no).group_by(runs.c.id)
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(counted)}

    @staticmethod
    def _remove(connection: Connection, number: int, key: Key, who: str) -> None:
        same = zip((*_KEY, _COLUMNS.who), (number, key.trial, key.condition, key.exam, who), strict=True)
        connection.execute(delete(human_labels).where(*(column == value for column, value in same)))


def _attempt(number: int, key: Key) -> Exists:
    return exists().where(
        attempts.c.run_no == number,
        attempts.c.trial == key.trial,
        attempts.c.condition == key.condition,
        attempts.c.exam == key.exam,
    )


def _row(number: int, label: HumanLabel) -> dict[str, object]:
    return {
        "run_no": number, "trial": label.key.trial, "condition": label.key.condition, "exam": label.key.exam,
        "who": label.who, "passed": label.passed, "note": label.note, "made": label.made, "seconds": label.seconds,
    }  # fmt: skip
