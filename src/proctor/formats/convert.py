"""Other tables → the benchmark format, exactly; and back to comma CSV, TSV and JSONL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from proctor.errors import InputError
from proctor.formats import csv, tables
from proctor.formats.records import KEPT
from proctor.formats.rules import COLUMNS, REQUIRED
from proctor.formats.sheet import Cell, Sheet, Unusable, read_all
from proctor.settings import unwritable

ALIASES = {
    "question": ("input", "prompt", "query"),
    "answer": (
        "expected", "expected_answer", "expected_output", "reference", "reference_answer", "target", "ideal",
        "ground_truth",
    ),
    "reasoning": ("explanation", "rationale"),
    "context": (),
}  # fmt: skip
"""Field → the other names that its column may have, in any case."""

Row = tuple[str | None, ...]

_BENCHMARK = "a benchmark file"
_COMMA = "a comma CSV with a header"
_TABS = "a TSV with a header"
_JSONL = "JSONL"


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
    dropped: tuple[str, ...] = ()
    """The columns that have no place in the target."""
    notes: tuple[str, ...] = ()
    """What else was left out."""
    problems: tuple[RowProblem, ...] = ()
    """Why it was refused; at most 100."""
    more: int = 0
    """How many problems there are beyond those."""


def convert(source: Path, target: Path) -> ConversionReport:
    """Turn one table into another; nothing is written if any row has a problem.

    A `.csv` target is a benchmark file, or a comma CSV if the source is a benchmark file already.
    """
    if source.exists() and target.exists() and source.samefile(target):
        raise InputError(f"{source} would overwrite itself; give another name for the result")
    sheet, table = _read(source)
    kind = _kind(target, is_benchmark=table is not None)
    places = _places(sheet.columns, source)
    problems = [_as_row_problem(problem) for problem in table.errors] if table else []
    rows = _rows(sheet, places, problems)
    if not problems and kind == _BENCHMARK:
        problems.extend(_beyond_limit(rows))
    if not problems:
        _save(target, _written(kind, [row for _, row in rows]))
    return ConversionReport(
        rows=0 if problems else len(rows),
        kind=kind,
        columns={name: sheet.columns[place] for name, place in places.items()},
        dropped=_unused_columns(sheet, places),
        notes=sheet.notes,
        problems=tuple(problems[:KEPT]),
        more=len(problems[KEPT:]) + (table.more if table else 0),
    )


def _read(source: Path) -> tuple[Sheet, csv.Table | None]:
    """The table; beside it what the reader of benchmark files found, if it is one already."""
    suffix = source.suffix.lower()
    if suffix in tables.READERS:
        return tables.READERS[suffix](source), None
    if suffix != ".csv":
        known = ", ".join((".csv", *tables.READERS))
        raise InputError(f"cannot tell what table {source} is by its ending {suffix!r}; expected one of {known}")
    data = read_all(source)
    text = tables.text_of(data, source)
    headers = {mark: tables.header_of(text, mark) for mark in ",;\t"}
    named = next((mark for mark, header in headers.items() if _names_required(header)), None)
    if named is None and (table := csv.read_bytes(data)).rows:
        return _as_sheet(table), table
    widest = max(headers, key=lambda mark: len(headers[mark]))
    return tables.read_delimited(text, named or widest, source=source), None


def _as_sheet(table: csv.Table) -> Sheet:
    rows = ((case.line or 0, (case.question, case.answer, case.reasoning, case.context)) for case in table.cases)
    return Sheet(columns=COLUMNS, rows=tuple(rows))


def _as_row_problem(problem: csv.Problem) -> RowProblem:
    return RowProblem(line=problem.line, message=f"column {problem.column}: {problem.message}")


def _candidates(columns: Sequence[str], name: str) -> list[int]:
    """The columns that may be this field: those with its own name, or else those with another name for it."""
    plain = [re.sub(r"[\s-]+", "_", column.strip()).casefold() for column in columns]
    own = [place for place, column in enumerate(plain) if column == name]
    return own or [place for place, column in enumerate(plain) if column in ALIASES[name]]


def _names_required(columns: Sequence[str]) -> bool:
    return all(_candidates(columns, name) for name in COLUMNS[:REQUIRED])


def _places(columns: Sequence[str], source: Path) -> dict[str, int]:
    """Field → the place of its column."""
    places = {}
    found = ", ".join(map(repr, columns)) or "none"
    for name in COLUMNS:
        candidates = _candidates(columns, name)
        if len(candidates) > 1:
            rivals = " and ".join(repr(columns[place]) for place in candidates)
            raise InputError(f"{source}: the columns {rivals} may each be the {name}; name the right one {name!r}")
        if candidates:
            places[name] = candidates[0]
        elif name in COLUMNS[:REQUIRED]:
            others = ", ".join(ALIASES[name])
            raise InputError(
                f"{source} has no column for the {name}: its columns are {found}; expected {name} or {others}"
            )
    return places


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
    """Question, answer, reasoning and context, and what is wrong with them."""
    taken = {name: cells[place] if place < len(cells) else None for name, place in places.items()}
    wrong = [
        f"{name} (column {columns[places[name]]!r}) {cell.why}"
        for name, cell in taken.items()
        if isinstance(cell, Unusable)
    ]
    if any(cells[len(columns) :]):
        wrong.append(f"Invalid number of fields: {len(cells)}, but the header names {len(columns)} columns")
    row = tuple(None if isinstance(cell := taken.get(name), Unusable) else cell for name in COLUMNS)
    return row, wrong or list(csv.row_faults(row, first=first))


def _beyond_limit(rows: Sequence[tuple[int, Row]]) -> Iterator[RowProblem]:
    sizes = accumulate(len(csv.record(row).encode()) for _, row in rows)
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


def _written(kind: str, rows: Iterable[Row]) -> bytes:
    if kind == _BENCHMARK:
        return csv.write(rows)
    if kind == _JSONL:
        return tables.write_json_lines(COLUMNS, rows)
    return tables.write_delimited(COLUMNS, rows, "," if kind == _COMMA else "\t")


def _save(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise unwritable(target, error) from error
