"""Pages of a run's attempts: filtered, sorted and sliced in the database, without reading the rows skipped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from math import gcd
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    false,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from proctor.storage.rows import OUTCOME_COLUMNS
from proctor.storage.tables import attempts

Values = tuple[Any, ...]
"""Sort key of a row, which ends with its row number."""
EVERY = 10_000
"""Number of rows between two cursors."""
_KEPT = 200
"""Maximum number of queries with cached cursors; each has a hundred in a run of a million attempts."""


class PageCursors:
    """Cache of cursors by query. Only for data that no longer changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[Values, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def before(
        self, choice: Hashable, offset: int, step: Callable[[Values | None], Values | None]
    ) -> tuple[int, Values | None]:
        """Return the number of rows up to the last cursor at or before `offset`, and that cursor (None if 0).

        `step` finds the next cursor after another, or None at the end; cursors not cached yet are found one by one.
        """
        known = self._recall(choice)
        wanted = offset // EVERY
        while len(known) < wanted:
            mark = step(known[-1] if known else None)
            if mark is None:
                break
            known = (*known, mark)
        self._remember(choice, known)
        reached = min(wanted, len(known))
        return reached * EVERY, known[reached - 1] if reached else None

    def _recall(self, choice: Hashable) -> tuple[Values, ...]:
        with self._lock:
            return self._known.get(choice, ())

    def _remember(self, choice: Hashable, known: tuple[Values, ...]) -> None:
        with self._lock:
            if len(known) >= len(self._known.get(choice, ())):
                self._known[choice] = known
            self._known.move_to_end(choice)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)


Order = Literal["place", "score", "seconds"]
Span = tuple[int, int]
"""First and last place, inclusive."""
_FEW = 20
"""Maximum number of spans looked up separately in the index."""


def chosen(
    run_no: int,
    *,
    verdicts: Collection[str] = (),
    places: Sequence[Span] | None = None,
    check: str | None = None,
    stage: str | None = None,
) -> list[ColumnElement[bool]]:
    """Return the conditions for attempts of a run, filtered by verdicts, places, a failed check and a stage."""
    conditions = [attempts.c.run_no == run_no]
    if len(verdicts) == 1:
        conditions.append(attempts.c.verdict == next(iter(verdicts)))
    elif verdicts:
        conditions.append(attempts.c.verdict.in_(sorted(verdicts)))
    if places is not None:
        conditions.append(_inside(places))
    if check is not None:
        line = f"\n{' '.join(check.split())}\n"
        conditions += [attempts.c.failed_checks.is_not(None), attempts.c.failed_checks.contains(line, autoescape=True)]
    if stage is not None:
        conditions.append(attempts.c.stage == stage)
    return conditions


def _inside(places: Sequence[Span]) -> ColumnElement[bool]:
    """Return the condition that a place lies in a span; many spans, as of a category, become equal blocks."""
    spans = [*join_spans(places)]
    if len(spans) <= _FEW:
        return or_(false(), *(attempts.c.place.between(first, last) for first, last in spans))
    size = gcd(*(edge for first, last in spans for edge in (first, last + 1)))
    blocks = [block for first, last in spans for block in range(first // size, last // size + 1)]
    # literal values, since there may be more of them than parameters
    listed: ColumnElement[Any] = bindparam("blocks", blocks, expanding=True, literal_execute=True)
    inside = attempts.c.place.op("/")(literal(size, literal_execute=True)).in_(listed)
    return and_(attempts.c.place.between(spans[0][0], spans[-1][1]), inside)


def join_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """Sort spans and merge adjacent ones."""
    last: Span | None = None
    for span in sorted(spans):
        if last is not None and span[0] <= last[1] + 1:
            last = (last[0], max(last[1], span[1]))
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def count(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> int:
    """Count the matching attempts."""
    return connection.execute(select(func.count()).select_from(attempts).where(*conditions)).scalar() or 0


def page(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    *,
    order: Order = "place",
    descending: bool = False,
    offset: int = 0,
    limit: int,
    scope: CursorScope | None = None,
) -> list[Row[Any]]:
    """Return rows of OUTCOME_COLUMNS. Those without a score or time come last in either direction.

    `scope` is given for data that no longer changes, to cache cursors.
    """
    numbers = _numbers(connection, conditions, order, descending, offset, limit, scope)
    rows = connection.execute(select(*OUTCOME_COLUMNS).where(attempts.c.no.in_(numbers)))
    by_number = {row.no: row for row in rows}
    return [by_number[number] for number in numbers]


def _numbers(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    order: Order,
    descending: bool,
    offset: int,
    limit: int,
    scope: CursorScope | None,
) -> Sequence[int]:
    """Return only the row numbers, which are in the index, so that skipped rows are not read."""
    if order == "place":
        return _slice(connection, SortOrder(conditions, ("place", "no"), descending), offset, limit, scope)
    column = attempts.c[order]
    known = [*conditions, column.is_not(None)]
    numbers = _slice(connection, SortOrder(known, (order, "place", "no"), descending), offset, limit, scope)
    if len(numbers) < limit:
        before = 0 if numbers else max(0, offset - count(connection, known))
        unknown = SortOrder([*conditions, column.is_(None)], ("place", "no"), False)
        numbers += _slice(connection, unknown, before, limit - len(numbers))
    return numbers


class SortOrder(NamedTuple):
    """A filter and sort order of attempts."""

    conditions: Sequence[ColumnElement[bool]]
    columns: Sequence[str]
    descending: bool

    def after(self, last: Values | None = None) -> Select[*tuple[Any, ...]]:
        """Select the sort keys, from the beginning or after one of them; they end with the row number."""
        columns = [attempts.c[name] for name in self.columns]
        by = [column.desc() if self.descending else column.asc() for column in columns]
        statement = select(*columns).where(*self.conditions).order_by(*by)
        if last is None:
            return statement
        place = tuple_(*columns)
        return statement.where(place < last if self.descending else place > last)


class CursorScope(NamedTuple):
    """Cursor cache for one query."""

    marks: PageCursors
    choice: Hashable


def _slice(
    connection: Connection, these: SortOrder, offset: int, limit: int, scope: CursorScope | None = None
) -> list[int]:
    def step(last: Values | None) -> Values | None:
        row = connection.execute(these.after(last).limit(1).offset(EVERY - 1)).first()
        return None if row is None else tuple(row)

    skipped, last = scope.marks.before(scope.choice, offset, step) if scope is not None else (0, None)
    return [row[-1] for row in connection.execute(these.after(last).limit(limit).offset(offset - skipped))]
