"""Pages of a run's attempts: chosen, sorted, and cut where they are asked for, without reading those in between."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, UnaryExpression, func, select

from proctor.storage.rows import OUTCOME_COLUMNS
from proctor.storage.tables import attempts

Order = Literal["place", "score", "seconds"]


def chosen(
    run_no: int,
    *,
    verdicts: Collection[str] = (),
    exams: Collection[int] | None = None,
    places: int = 1,
    check: str | None = None,
    stage: str | None = None,
) -> list[ColumnElement[bool]]:
    """The conditions for attempts of a run: with one of these verdicts, of one of these exams, and so on."""
    conditions = [attempts.c.run_no == run_no]
    if len(verdicts) == 1:
        conditions.append(attempts.c.verdict == next(iter(verdicts)))
    elif verdicts:
        conditions.append(attempts.c.verdict.in_(sorted(verdicts)))
    if exams is not None:
        conditions.append((attempts.c.place.op("/")(places)).in_(sorted(exams)))
    if check is not None:
        line = f"\n{' '.join(check.split())}\n"
        conditions += [attempts.c.failed_checks.is_not(None), attempts.c.failed_checks.contains(line, autoescape=True)]
    if stage is not None:
        conditions.append(attempts.c.stage == stage)
    return conditions


def count(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> int:
    """How many there are."""
    return connection.execute(select(func.count()).select_from(attempts).where(*conditions)).scalar() or 0


def page(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    *,
    order: Order = "place",
    descending: bool = False,
    offset: int = 0,
    limit: int,
) -> list[Row[Any]]:
    """Rows of OUTCOME_COLUMNS. Those without a score, or time, come last, whichever way the others are sorted."""
    numbers = _numbers(connection, conditions, order=order, descending=descending, offset=offset, limit=limit)
    rows = connection.execute(select(*OUTCOME_COLUMNS).where(attempts.c.no.in_(numbers)))
    by_number = {row.no: row for row in rows}
    return [by_number[number] for number in numbers]


def _numbers(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    *,
    order: Order,
    descending: bool,
    offset: int,
    limit: int,
) -> Sequence[int]:
    """Their row numbers alone, which stand in the index: whatever is skipped is not looked up."""
    if order == "place":
        return _slice(connection, _sorted(conditions, ("place", "no"), descending), offset, limit)
    column = attempts.c[order]
    known = [*conditions, column.is_not(None)]
    numbers = [*_slice(connection, _sorted(known, (order, "place", "no"), descending), offset, limit)]
    if len(numbers) < limit:
        before = 0 if numbers else max(0, offset - count(connection, known))
        unknown = _sorted([*conditions, column.is_(None)], ("place", "no"), False)
        numbers += _slice(connection, unknown, before, limit - len(numbers))
    return numbers


def _sorted(conditions: Sequence[ColumnElement[bool]], columns: Sequence[str], descending: bool) -> Select[int]:
    by: list[UnaryExpression[Any]] = [
        attempts.c[name].desc() if descending else attempts.c[name].asc() for name in columns
    ]
    return select(attempts.c.no).where(*conditions).order_by(*by)


def _slice(connection: Connection, numbers: Select[int], offset: int, limit: int) -> Sequence[int]:
    return list(connection.scalars(numbers.limit(limit).offset(offset)))
