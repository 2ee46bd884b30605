"""Convert other tables into the benchmark format without loss, and back to comma-separated CSV, TSV and JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from proctor.errors import InputError
from proctor.formats import csv, tables
from proctor.formats.categories import CATEGORY, categories_by_file, categories_in, category_faults, columns_called
from proctor.formats.records import KEPT
from proctor.formats.rules import COLUMNS, REQUIRED
from proctor.formats.synonyms import other_names
from proctor.formats.tables import Cell, Sheet, Unusable, read_all
from proctor.settings import unwritable

FIELDS = (*COLUMNS, CATEGORY)
"""Possible roles of a column; a benchmark file has no place for the last one."""

Row = tuple[str | None, ...]

_NO_CATEGORIES = (
    "a benchmark file has no categories; give OUT the ending .jsonl, which keeps them, and `run` reads it too"
)
_BENCHMARK = "a benchmark file"
_COMMA = "a comma CSV with a header"
_TABS = "a TSV with a header"
_JSONL = "JSONL"
_MARKS = ",;\t"
"""Possible separators of a CSV file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowProblem:
    """Why one row of a table cannot be converted."""

    line: int
    """Line of the file where the row starts, or row of the sheet, from 1."""
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversionReport:
    """Result of a conversion, or why it was refused."""

    rows: int
    """Number of rows written; 0 if there are problems, since then nothing is written."""
    kind: str
    """Format of the target."""
    columns: dict[str, str] = field(default_factory=dict)
    """Field → name of the column it was taken from."""
    places: dict[str, int] = field(default_factory=dict)
    """Field → index of that column, from 0."""
    dropped: tuple[str, ...] = ()
    """Columns that were dropped because the target has no place for them."""
    notes: tuple[str, ...] = ()
    """Notes on what else was left out."""
    problems: tuple[RowProblem, ...] = ()
    """Why it was refused, at most 100 problems."""
    more: int = 0
    """Number of further problems."""


def columns_of(source: Path) -> tuple[str, ...]:
    """Return the column names of a table with a header, to choose from."""
    return _read(source, by_hand=True)[0].columns


def names_columns(text: str) -> bool:
    """Whether the header of a CSV file names the columns of question and answer."""
    return any(_names_required(tables.header_of(text, mark)) for mark in _MARKS)


def convert(
    source: Path,
    target: Path,
    *,
    header: bool = True,
    categories: Path | None = None,
    chosen: Mapping[str, int] | None = None,
) -> ConversionReport:
    """Convert one table into another; nothing is written if any row has a problem.

    A `.csv` target is a benchmark file, or a comma-separated CSV if the source already is a benchmark file. Without a
    `header`, the columns are question, answer, reasoning, context and category, in this order. The file `categories`
    adds categories to rows by question or id. `chosen` maps fields to column indexes, whatever the columns' names.
    """
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"{source} would overwrite itself; give another name for the result")
    by_hand = chosen is not None
    sheet, table = _read(source, by_hand=by_hand) if header else (_read_without_header(source), None)
    kind = _kind(target, is_benchmark=table is not None)
    if categories is not None and kind == _BENCHMARK:
        raise InputError(f"cannot write categories into {target}: {_NO_CATEGORIES}")
    places = _column_positions(sheet.columns, source) if chosen is None else _chosen_places(chosen, sheet.columns)
    problems = [_as_row_problem(problem) for problem in table.errors] if table else []
    rows = _rows(sheet, places, problems)
    if not problems and categories is not None:
        rows = _with_categories(rows, categories)
    if not problems and kind == _BENCHMARK:
        problems.extend(_beyond_limit(rows))
    if not problems:
        _save(target, _written(kind, [row for _, row in rows]))
    kept = {name: place for name, place in places.items() if name != CATEGORY or kind != _BENCHMARK}
    return ConversionReport(
        rows=0 if problems else len(rows),
        kind=kind,
        columns={name: sheet.columns[place] for name, place in kept.items()},
        places=dict(kept),
        dropped=_unused_columns(sheet, kept),
        notes=(*sheet.notes, *_lost_categories(places, kind), *(_without_any(rows) if categories else ())),
        problems=tuple(problems[:KEPT]),
        more=len(problems[KEPT:]) + (table.more if table else 0),
    )


def _read(source: Path, *, by_hand: bool = False) -> tuple[Sheet, csv.Table | None]:
    """Read the source as a sheet, along with the parsed benchmark table if it already is one.

    With `by_hand` (columns are chosen) it is never taken for a benchmark file.
    """
    suffix = source.suffix.lower()
    if suffix in tables.READERS:
        return tables.READERS[suffix](source, header=True), None
    if suffix != ".csv":
        known = ", ".join((".csv", *tables.READERS))
        raise InputError(f"cannot tell what table {source} is by its ending {suffix!r}; expected one of {known}")
    data = read_all(source)
    text = tables.text_of(data, source)
    if delimiter := tables.declared_delimiter(text):
        return tables.read_delimited(text, delimiter, source=source), None
    headers = {mark: tables.header_of(text, mark) for mark in _MARKS}
    named = next((mark for mark, header in headers.items() if _names_required(header)), None)
    if named is None and not by_hand and (table := csv.read_bytes(data)).rows:
        return _as_sheet(table), table
    widest = max(headers, key=lambda mark: len(headers[mark]))
    return tables.read_delimited(text, named or widest, source=source), None


def _read_without_header(source: Path) -> Sheet:
    suffix = source.suffix.lower()
    if suffix in tables.READERS:
        sheet = tables.READERS[suffix](source, header=False)
    else:
        text = tables.text_of(read_all(source), source)
        mark = tables.declared_delimiter(text) or tables.likeliest_delimiter(text)
        sheet = tables.read_delimited(text, mark, source=source, header=False)
    widest = max((len(cells) for _, cells in sheet.rows), default=0)
    return replace(sheet, columns=FIELDS[: max(widest, REQUIRED)])


def _as_sheet(table: csv.Table) -> Sheet:
    rows = ((case.line or 0, (case.question, case.answer, case.reasoning, case.context)) for case in table.cases)
    return Sheet(columns=COLUMNS, rows=tuple(rows))


def _as_row_problem(problem: csv.Problem) -> RowProblem:
    return RowProblem(line=problem.line, message=f"column {problem.column}: {problem.message}")


def _names_required(columns: Sequence[str]) -> bool:
    return all(columns_called(columns, name) for name in COLUMNS[:REQUIRED])


def _chosen_places(chosen: Mapping[str, int], columns: Sequence[str]) -> dict[str, int]:
    """Return the chosen columns in field order; refuse a choice that cannot make a benchmark."""
    lacking = next((name for name in COLUMNS[:REQUIRED] if name not in chosen), None)
    if lacking is not None:
        raise InputError(f"no column is chosen for the {lacking}; choose one")
    for name, place in chosen.items():
        if name not in FIELDS or not 0 <= place < len(columns):
            raise InputError(f"column {place + 1} cannot be the {name}: the table has {len(columns)} columns")
    twice = next((place for place in chosen.values() if [*chosen.values()].count(place) > 1), None)
    if twice is not None:
        both = " and ".join(name for name, place in chosen.items() if place == twice)
        raise InputError(f"the column {columns[twice]!r} is chosen for {both}; choose one column for each")
    return {name: chosen[name] for name in FIELDS if name in chosen}


def _column_positions(columns: Sequence[str], source: Path) -> dict[str, int]:
    """Return field → index of its column."""
    places = {}
    found = ", ".join(map(repr, columns)) or "none"
    for name in FIELDS:
        candidates = columns_called(columns, name)
        if len(candidates) > 1:
            rivals = " and ".join(repr(columns[place]) for place in candidates)
            raise InputError(f"{source}: the columns {rivals} may each be the {name}; name the right one {name!r}")
        if candidates:
            places[name] = candidates[0]
        elif name in COLUMNS[:REQUIRED]:
            others = ", ".join(other_names(name))
            raise InputError(
                f"{source} has no column for the {name}: its columns are {found}; expected {name} or {others}",
                terminal="; of a table whose first row is a question, say --no-header",
            )
    return places


def _lost_categories(places: dict[str, int], kind: str) -> Iterator[str]:
    if kind == _BENCHMARK and CATEGORY in places:
        yield _NO_CATEGORIES


def _without_any(rows: Sequence[tuple[int, Row]]) -> Iterator[str]:
    if bare := sum(not row[-1] for _, row in rows):
        yield f"{bare:,} of {len(rows):,} rows have no category"


def _unused_columns(sheet: Sheet, places: dict[str, int]) -> tuple[str, ...]:
    """Return the unused columns, except those with neither a name nor a cell."""
    unused = [place for place in range(len(sheet.columns)) if place not in places.values()]
    held = {place for _, cells in sheet.rows for place, cell in enumerate(cells) if cell}
    named = ((place, sheet.columns[place].strip()) for place in unused)
    return tuple(name or f"column {place + 1}" for place, name in named if name or place in held)


def _rows(sheet: Sheet, places: dict[str, int], problems: list[RowProblem]) -> list[tuple[int, Row]]:
    """Return every non-empty row with its line number; errors are appended to `problems`."""
    rows: list[tuple[int, Row]] = []
    for line, cells in sheet.rows:
        if any(cells):
            row, wrong = _row(sheet.columns, cells, places, first=not rows)
            rows.append((line, row))
            problems.extend(RowProblem(line=line, message=message) for message in wrong)
    if not rows and not problems:
        problems.append(RowProblem(line=1, message="No questions: the table has no rows"))
    return rows


def _row(
    columns: Sequence[str], cells: Sequence[Cell], places: dict[str, int], *, first: bool
) -> tuple[Row, list[str]]:
    """Return the row's fields (question, answer, reasoning, context, category) and its errors."""
    taken = {name: cells[place] if place < len(cells) else None for name, place in places.items()}
    wrong = [
        f"{name} (column {columns[places[name]]!r}) {cell.why}"
        for name, cell in taken.items()
        if isinstance(cell, Unusable)
    ]
    if any(cells[len(columns) :]):
        wrong.append(f"Invalid number of fields: {len(cells)}, but there are {len(columns)} columns")
    row = tuple(None if isinstance(cell := taken.get(name), Unusable) else cell for name in FIELDS)
    wrong.extend(category_faults(row[-1]))
    return row, wrong or list(csv.row_faults(row[: len(COLUMNS)], first=first))


def _with_categories(rows: Sequence[tuple[int, Row]], path: Path) -> list[tuple[int, Row]]:
    """Append the categories from a file to those the rows already have."""
    asked = [(row[0] or "", row[3] if (row[3] or "").strip() else None) for _, row in rows]
    added = categories_by_file(path, asked)
    together = (dict.fromkeys([*categories_in(row[-1]), *names]) for (_, row), names in zip(rows, added, strict=True))
    return [(line, (*row[:-1], "; ".join(names) or None)) for (line, row), names in zip(rows, together, strict=True)]


def _beyond_limit(rows: Sequence[tuple[int, Row]]) -> Iterator[RowProblem]:
    sizes = accumulate(len(csv.record(row[: len(COLUMNS)]).encode()) for _, row in rows)
    for (line, _), size in zip(rows, sizes, strict=True):
        if size > csv.LIMIT:
            yield RowProblem(line=line, message=f"{csv.TOO_LARGE}; this row would pass the limit")
            return


def _kind(target: Path, *, is_benchmark: bool) -> str:
    """Return the target's format from its file extension."""
    kinds = {".csv": _COMMA if is_benchmark else _BENCHMARK, ".tsv": _TABS, ".jsonl": _JSONL}
    kind = kinds.get(target.suffix.lower())
    if kind is None:
        raise InputError(f"cannot write {target}: unknown ending {target.suffix!r}; expected one of {', '.join(kinds)}")
    return kind


def _written(kind: str, rows: Sequence[Row]) -> bytes:
    if kind == _BENCHMARK:
        return csv.write(row[: len(COLUMNS)] for row in rows)
    if kind == _JSONL:
        return tables.write_json_lines(FIELDS, (_json_row(row) for row in rows))
    columns = FIELDS if any(row[-1] for row in rows) else COLUMNS
    return tables.write_delimited(columns, (row[: len(columns)] for row in rows), "," if kind == _COMMA else "\t")


def _json_row(row: Row) -> tuple[str | list[str] | None, ...]:
    """Return the row with several categories as a list."""
    names = categories_in(row[-1])
    return (*row[:-1], names if len(names) > 1 else next(iter(names), None))


def _save(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise unwritable(target, error) from error
