"""What a run has come to while it goes on: counted once by the database, then kept up with by its new rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, case, exists, func, select

from proctor.storage.rows import OUTCOME_COLUMNS
from proctor.storage.tables import attempts, drafts
from proctor.usage import Usage

_MOST = 2000
"""New rows that are read at a time."""
_AT_ONCE = 10_000
"""Rows that are fetched at once where all are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveCounts:
    """Counts at one moment."""

    last: int
    """The newest row that was counted; `since` goes on from there."""
    verdicts: dict[str, int] = field(default_factory=dict)
    """Verdict (pass, fail, unscored, agent, environment, open) → attempts."""
    exams: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Exam → how many of its attempts have a verdict, and how many of those passed."""


def standing(connection: Connection, run_no: int) -> LiveCounts:
    """Where a run stands, all from one view of the data."""
    mine = attempts.c.run_no == run_no
    last = connection.execute(select(func.max(attempts.c.no)).where(mine)).scalar()
    by_verdict = select(attempts.c.verdict, func.count().label("attempts")).where(mine).group_by(attempts.c.verdict)
    return LiveCounts(
        last=last or 0,
        verdicts={row.verdict: row.attempts for row in connection.execute(by_verdict)},
        exams=verdicts_by_exam(connection, run_no),
    )


def verdicts_by_exam(connection: Connection, run_no: int) -> dict[str, tuple[int, int]]:
    """Exam → how many of its attempts have a verdict, and how many of those passed."""
    exam, passed = attempts.c.exam, attempts.c.passed
    ended = (
        select(exam, func.count(passed), func.count(case((passed, 1))))
        .where(attempts.c.run_no == run_no, attempts.c.verdict != "open")
        .group_by(exam)
    )
    return {name: (counted, right) for name, counted, right in connection.execute(ended)}


def usage_of(connection: Connection, run_no: int) -> Usage:
    """Tokens, calls and cost of all attempts, added up by the database; unknown as soon as one cost is."""
    columns = attempts.c.input_tokens, attempts.c.output_tokens, attempts.c.calls
    unpriced = case(((attempts.c.cost.is_(None)) & (columns[0] + columns[1] + columns[2] > 0), 1))
    sums = select(*map(func.sum, columns), func.sum(attempts.c.cost), func.count(unpriced))
    sent, received, calls, cost, unknown = tuple(connection.execute(sums.where(attempts.c.run_no == run_no)).one())
    return Usage(
        input_tokens=int(sent or 0),
        output_tokens=int(received or 0),
        calls=int(calls or 0),
        cost=None if unknown or cost is None else float(cost),
        known_cost=float(cost or 0.0) if unknown else 0.0,
    )


def verdicts_in_order(connection: Connection, run_no: int) -> dict[tuple[str, str], str]:
    """Exam and condition → the verdicts of its trials in their order, + passed and - not."""
    columns = attempts.c.exam, attempts.c.condition, attempts.c.passed
    counted = attempts.c.run_no == run_no, attempts.c.verdict != "open", attempts.c.passed.is_not(None)
    found: dict[tuple[str, str], str] = {}
    in_order = select(*columns).where(*counted).order_by(attempts.c.trial).execution_options(yield_per=_AT_ONCE)
    for exam, condition, passed in connection.execute(in_order):
        key = exam, condition
        found[key] = found.get(key, "") + ("+" if passed else "-")
    return found


def turns_under_way(connection: Connection, run_no: int) -> dict[tuple[str, str, int], int]:
    """(exam, condition, trial) of a conversation that goes on → its turns that are over, with their reviews."""
    place = drafts.c.exam, drafts.c.condition, drafts.c.trial
    over = exists().where(
        attempts.c.run_no == run_no,
        attempts.c.exam == drafts.c.exam,
        attempts.c.condition == drafts.c.condition,
        attempts.c.trial == drafts.c.trial,
        attempts.c.verdict != "open",
    )
    begun = select(*place, func.max(drafts.c.number)).where(drafts.c.run_no == run_no, ~over).group_by(*place)
    return {(exam, condition, trial): turns for exam, condition, trial, turns in connection.execute(begun)}


def since(connection: Connection, run_no: int, last: int) -> Sequence[Row[Any]]:
    """Rows of OUTCOME_COLUMNS that are newer. One that was replaced, as `resume` does with failures, is not new."""
    newer = (
        select(*OUTCOME_COLUMNS)
        .where(attempts.c.no > last, attempts.c.run_no == run_no)
        .order_by(attempts.c.no)
        .limit(_MOST)
    )
    return connection.execute(newer).all()
