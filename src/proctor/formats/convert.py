"""Other tables → the benchmark format, exactly; and back to comma CSV, TSV and JSONL."""

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
"""What a column may be; the last has no place in a benchmark file."""

Row = tuple[str | None, ...]

_NO_CATEGORIES = (
    "a benchmark file has no categories; give OUT the ending .jsonl, which keeps them, and `run` reads it too"
)
_BENCHMARK = "a benchmark file"
_COMMA = "a comma CSV with a header"
_TABS = "a TSV with a header"
_JSONL = "JSONL"
_MARKS = ",;\t"
"""What may separate the cells of a CSV file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowProblem:
    """Why one row of a table cannot be converted."""

    line: int
    """The line of the file where the row starts, or the row of the sheet; from 1."""
    message: str
    """What is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversionReport:
    """What a conversion did, or why it did nothing."""

    rows: int
    """The rows written; 0 if there are problems, since then nothing is."""
    kind: str
    """What the target is."""
    columns: dict[str, str] = field(default_factory=dict)
    """Field → the column it was taken from."""
    places: dict[str, int] = field(default_factory=dict)
    """Field → the place of that column, from 0."""
    dropped: tuple[str, ...] = ()
    """The columns that have no place in the target."""
    notes: tuple[str, ...] = ()
    """What else was left out."""
    problems: tuple[RowProblem, ...] = ()
    """Why it was refused; at most 100."""
    more: int = 0
    """How many problems there are beyond those."""


def columns_of(source: Path) -> tuple[str, ...]:
    """What the columns of a table with a header are called, for whoever chooses among them."""
    return _read(source, by_hand=True)[0].columns


def names_columns(text: str) -> bool:
    """Whether the first line of a CSV file says which column is the question and which the answer."""
    return any(_names_required(tables.header_of(text, mark)) for mark in _MARKS)


def convert(
    source: Path,
    target: Path,
    *,
    header: bool = True,
    categories: Path | None = None,
    chosen: Mapping[str, int] | None = None,
) -> ConversionReport:
    """Turn one table into another; nothing is written if any row has a problem.

    A `.csv` target is a benchmark file, or a comma CSV if the source is a benchmark file already. Without a `header`
    the columns are question, answer, reasoning, context and category, in this order. The file `categories` gives rows
    further ones, by their questions or ids. `chosen`: field → the place of its column, whatever that is called.
    """
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"{source} would overwrite itself; give another name for the result")
    by_hand = chosen is not None
    sheet, table = _read(source, by_hand=by_hand) if header else (_read_without_header(source), None)
    kind = _kind(target, is_benchmark=table is not None)
    if categories is not None and kind == _BENCHMARK:
        raise InputError(f"cannot write categories into {target}: {_NO_CATEGORIES}")
    places = _places(sheet.columns, source) if chosen is None else _chosen_places(chosen, sheet.columns)
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
    """The table; beside it what the reader of benchmark files found, if it is one already. `by_hand`: it is none."""
    suffix = source.suffix.lower()
    if suffix in tables.READERS:
        return tables.READERS[suffix](source, header=True), None
    if suffix != ".csv":
        known = ", ".join((".csv", *tables.READERS))
        raise InputError(f"cannot tell what table {source} is by its ending {suffix!r}; expected one of {known}")
    data = read_all(source)
    text = tables.text_of(data, source)
    if told := tables.declared_delimiter(text):
        return tables.read_delimited(text, told, source=source), None
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
    """What a person has chosen, in the usual order; refuses what cannot be a benchmark."""
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


def _places(columns: Sequence[str], source: Path) -> dict[str, int]:
    """Field → the place of its column."""
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
    """The columns that are not used, but for those without a name and without a cell."""
    unused = [place for place in range(len(sheet.columns)) if place not in places.values()]
    held = {place for _, cells in sheet.rows for place, cell in enumerate(cells) if cell}
    named = ((place, sheet.columns[place].strip()) for place in unused)
    return tuple(name or f"column {place + 1}" for place, name in named if name or place in held)


def _rows(sheet: Sheet, places: dict[str, int], problems: list[RowProblem]) -> list[tuple[int, Row]]:
    """Every row that has a cell, with its line; what is wrong with them is added to the problems."""
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
    """Question, answer, reasoning, context and category, and what is wrong with them."""
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
    """The rows with what a file says of them, after what they say themselves."""
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
    """What the target is, by its ending."""
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
    """The row with its categories as a list where there are several."""
    names = categories_in(row[-1])
    return (*row[:-1], names if len(names) > 1 else next(iter(names), None))


def _save(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise unwritable(target, error) from error
