"""Read and write tables: CSV with commas, semicolons or tabs and a header, JSONL, XLSX.

Cells are kept unchanged: nothing is trimmed, no number is rounded.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

from proctor.errors import InputError
from proctor.formats import charset
from proctor.formats.charset import decode
from proctor.formats.synonyms import other_names

_LARGEST = 2**28
"""Maximum size of a table in bytes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unusable:
    """A cell that holds something other than text."""

    why: str
    """What it contains and how to fix it, phrased to follow the column's name."""


Cell = str | None | Unusable


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A table as read."""

    columns: tuple[str, ...]
    """Column names from the header, verbatim."""
    rows: tuple[tuple[int, Sequence[Cell]], ...]
    """(line of the file or row of the sheet, from 1; cells); there may be fewer or more cells than columns."""
    notes: tuple[str, ...] = ()
    """Notes on what was left out."""


def read_all(path: Path) -> bytes:
    """Read a table, which may be far larger than a benchmark file."""
    data = charset.read_start(path, _LARGEST + 1, expected="a table")
    if len(data) > _LARGEST:
        raise InputError(f"{path} has more than {_LARGEST:,} bytes; split it into several")
    return data


_DECLARED = re.compile(r"sep=([;,\t])\r?\n")
_WIDTHS = range(2, 6)
_CATEGORIES = {"category", *other_names("category")}


class UnreadableRecord(InputError):
    """A malformed record of a delimited table, with its line."""

    def __init__(self, source: Path, line: int, why: str) -> None:
        """`line` counts from 1."""
        super().__init__(f"{source}: the record at line {line} cannot be read: {why}; fix its quotes")
        self.line = line
        self.fault = f"the record cannot be read: {why}; fix its quotes"


def text_of(data: bytes, source: Path) -> str:
    """Decode a table; raise InputError if it is not text."""
    decoded = decode(data)
    if decoded.problem:
        raise InputError(f"{source}: {decoded.problem}")
    return decoded.text


def read_delimited(text: str, delimiter: str, *, source: Path, header: bool = True) -> Sheet:
    """Parse a delimited table; its first row holds the column names unless `header` is false."""
    rows = _records(text, delimiter, source)
    names = next(rows, (1, []))[1] if header else []
    return Sheet(columns=tuple(names), rows=tuple(rows))


def declared_delimiter(text: str) -> str | None:
    """Return the delimiter declared in Excel's `sep=;` line, or None."""
    match = _DECLARED.match(text)
    return None if match is None else match[1]


def likeliest_delimiter(text: str) -> str:
    """Guess the delimiter of a table without a header: the one that gives most rows two to five cells."""
    widths = {mark: Counter(map(len, _rows_of(text, mark))) for mark in ";\t,"}
    return max(widths, key=lambda mark: sum(widths[mark][width] for width in _WIDTHS))


def _rows_of(text: str, delimiter: str) -> list[list[str]]:
    try:
        return [cells for _, cells in _records(text, delimiter, Path())]
    except InputError:
        return []


def header_of(text: str, delimiter: str) -> list[str]:
    """Parse the first row with this delimiter; empty if that fails."""
    try:
        return next((cells for _, cells in _records(text, delimiter, Path())), [])
    except InputError:
        return []


def _records(text: str, delimiter: str, source: Path) -> Iterator[tuple[int, list[str]]]:
    match = _DECLARED.match(text)
    body, line = (text[match.end() :], 2) if match else (text, 1)
    first = line
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + first
    except csv.Error as error:
        raise UnreadableRecord(source, line, str(error)) from error


def json_lines(text: str, *, source: Path) -> Sheet:
    """Parse JSONL; the columns are all keys in order of first appearance."""
    objects = [
        (number, _object(line, number, source)) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    columns = tuple(dict.fromkeys(key for _, found in objects for key in found))
    rows = tuple((number, [_json_cell(key, found.get(key)) for key in columns]) for number, found in objects)
    return Sheet(columns=columns, rows=rows)


def _object(line: str, number: int, source: Path) -> dict[str, Any]:
    """Parse the object on a line, keeping numbers as written."""
    try:
        found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: line {number} is not JSON: {error}; expected one object per line") from error
    if not isinstance(found, dict):
        raise InputError(f"{source}: line {number} is {line.strip()[:40]!r}; expected an object such as {{...}}")
    return found


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice")
    return found


def _json_cell(key: str, value: Any) -> Cell:
    if value is None or isinstance(value, str):
        return value
    if key in _CATEGORIES and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return Unusable(why=f"is {'a list' if isinstance(value, list) else 'an object'}; write it as one text")


def write_delimited(columns: Sequence[str], rows: Iterable[Sequence[str | None]], delimiter: str) -> bytes:
    """Serialize a table with a header, quoting where needed."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


def write_json_lines(columns: Sequence[str], rows: Iterable[Sequence[str | list[str] | None]]) -> bytes:
    """Serialize one object per line, omitting empty cells."""
    objects = ({key: cell for key, cell in zip(columns, row, strict=True) if cell} for row in rows)
    return "".join(json.dumps(found, ensure_ascii=False) + "\n" for found in objects).encode()


def _workbook(path: Path, *, header: bool) -> Sheet:
    return read_workbook(path, header=header)


def _tab_separated(path: Path, *, header: bool) -> Sheet:
    return read_delimited(text_of(read_all(path), path), "\t", source=path, header=header)


def _json(path: Path, *, header: bool) -> Sheet:
    if not header:
        raise InputError(f"{path} names its columns on every line; leave --no-header out")
    return json_lines(text_of(read_all(path), path), source=path)


class _TableReader(Protocol):
    def __call__(self, path: Path, *, header: bool) -> Sheet: ...


READERS: dict[str, _TableReader] = {
    ".tsv": _tab_separated,
    ".tab": _tab_separated,
    ".jsonl": _json,
    ".ndjson": _json,
    ".xlsx": _workbook,
    ".xlsm": _workbook,
}
"""File extension → reader; `.csv` files need their content examined."""


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NO_VALUE = "holds a formula whose value is not stored; open the workbook in a spreadsheet program, save it, try again"
_INSTALL = 'reading a workbook needs openpyxl; install it with: pip install "proctor[xlsx]"'


def read_workbook(path: Path, *, header: bool = True) -> Sheet:
    """Read the first sheet of a workbook; its first non-empty row holds the column names unless `header` is false."""
    data = read_all(path)
    try:
        titles, rows = _load(data)
    except ImportError as error:
        raise InputError(_INSTALL) from error
    except Exception as error:  # openpyxl raises many kinds of errors on damaged files
        raise InputError(
            f"{path} is not an XLSX workbook: {error}; save it as .xlsx in a spreadsheet program"
        ) from error
    names = rows[0][1] if rows and header else []
    others = ", ".join(map(repr, titles[1:]))
    return Sheet(
        columns=tuple(cell if isinstance(cell, str) else "" for cell in names),
        rows=tuple(rows[1:] if header else rows),
        notes=(f"read the sheet {titles[0]!r}, not {others}",) if others else (),
    )


def _load(data: bytes) -> tuple[list[str], list[tuple[int, list[Cell]]]]:
    """Return the titles of all sheets and the non-empty rows of the first one."""
    import openpyxl

    with warnings.catch_warnings(), ExitStack() as opened:
        warnings.simplefilter("ignore")  # ignore warnings about drawings and validations
        shown, written = (
            opened.enter_context(closing(openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=data_only)))
            for data_only in (True, False)
        )
        rows = [(number, cells) for number, cells in _rows(shown, written) if any(cell is not None for cell in cells)]
        return [sheet.title for sheet in shown.worksheets], rows


def _rows(shown: Any, written: Any) -> Iterator[tuple[int, list[Cell]]]:
    """Yield each row's cells, combining displayed values with the formulas behind them."""
    sheets = [book.worksheets[0] for book in (shown, written)]
    for sheet in sheets:
        sheet.reset_dimensions()  # some programs store wrong dimensions
    pairs = zip(*(sheet.iter_rows() for sheet in sheets), strict=True)
    for number, (values, sources) in enumerate(pairs, 1):
        yield number, [_cell(value, source) for value, source in zip(values, sources, strict=True)]


def _cell(shown: Any, written: Any) -> Cell:
    value = shown.value
    if value is None:
        return Unusable(why=_NO_VALUE) if written.data_type == "f" else None
    if shown.data_type == "e":
        return Unusable(why=f"holds the error {value}; fix the cell")
    return _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return _ESCAPE.sub(lambda met: chr(int(met[1], 16)), value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    return str(value)
