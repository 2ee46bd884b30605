"""Live counts of a run in progress: counted once by the database, then updated from new rows only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, case, exists, func, select

from proctor.storage.rows import OUTCOME_COLUMNS
from proctor.storage.tables import attempts, drafts
from proctor.usage import Usage

_MOST = 2000
"""Maximum number of new rows read at a time."""
_AT_ONCE = 10_000
"""Number of rows fetched at a time when all are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveCounts:
    """Counts at one moment."""

    last: int
    """Number of the newest row counted; `since` continues from there."""
    verdicts: dict[str, int] = field(default_factory=dict)
    """Verdict (pass, fail, unscored, agent, environment, open) → number of attempts."""
    exams: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Exam → (attempts with a verdict, attempts that passed)."""


def standing(connection: Connection, run_no: int) -> LiveCounts:
    """Count a run's verdicts, from a single view of the data."""
    mine = attempts.c.run_no == run_no
    last = connection.execute(select(func.max(attempts.c.no)).where(mine)).scalar()
    by_verdict = select(attempts.c.verdict, func.count().label("attempts")).where(mine).group_by(attempts.c.verdict)
    return LiveCounts(
        last=last or 0,
        verdicts={row.verdict: row.attempts for row in connection.execute(by_verdict)},
        exams=verdicts_by_exam(connection, run_no),
    )


def verdicts_by_exam(connection: Connection, run_no: int) -> dict[str, tuple[int, int]]:
    """Map each exam to (attempts with a verdict, attempts that passed)."""
    exam, passed = attempts.c.exam, attempts.c.passed
    ended = (
        select(exam, func.count(passed), func.count(case((passed, 1))))
        .where(attempts.c.run_no == run_no, attempts.c.verdict != "open")
        .group_by(exam)
    )
    return {name: (counted, right) for name, counted, right in connection.execute(ended)}


def usage_of(connection: Connection, run_no: int) -> Usage:
    """Sum tokens, calls and cost of all attempts in the database; the cost is unknown if any is."""
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
    """Map (exam, condition) to the verdicts of its trials in order, + passed and - not passed."""
    columns = attempts.c.exam, attempts.c.condition, attempts.c.passed
    counted = attempts.c.run_no == run_no, attempts.c.verdict != "open", attempts.c.passed.is_not(None)
    found: dict[tuple[str, str], str] = {}
    in_order = select(*columns).where(*counted).order_by(attempts.c.trial).execution_options(yield_per=_AT_ONCE)
    for exam, condition, passed in connection.execute(in_order):
        key = exam, condition
        found[key] = found.get(key, "") + ("+" if passed else "-")
    return found


def turns_under_way(connection: Connection, run_no: int) -> dict[tuple[str, str, int], int]:
    """Map (exam, condition, trial) of conversations in progress to the number of turns completed and reviewed."""
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
    """Return newer rows of OUTCOME_COLUMNS, without rows that were replaced, as `resume` does with failures."""
    newer = (
        select(*OUTCOME_COLUMNS)
        .where(attempts.c.no > last, attempts.c.run_no == run_no)
        .order_by(attempts.c.no)
        .limit(_MOST)
    )
    return connection.execute(newer).all()
