"""The tables that people have ↔ columns and rows: comma, semicolon or tab separated with a header, JSONL, XLSX.

Cells are taken as they stand: nothing is trimmed, no number is rounded.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from proctor.errors import InputError
from proctor.formats.charset import decode
from proctor.formats.sheet import Cell, Sheet, Unusable, read_all
from proctor.formats.synonyms import other_names
from proctor.formats.workbook import read_workbook

_DECLARED = re.compile(r"sep=([;,\t])\r?\n")
_WIDTHS = range(2, 6)
_CATEGORIES = {"category", *other_names("category")}


class UnreadableRecord(InputError):
    """A record that no reader of tables can read, and where it starts."""

    def __init__(self, source: Path, line: int, why: str) -> None:
        """`line` counts from 1."""
        super().__init__(f"{source}: the record at line {line} cannot be read: {why}; fix its quotes")
        self.line = line
        self.fault = f"the record cannot be read: {why}; fix its quotes"


def text_of(data: bytes, source: Path) -> str:
    """The text of a table; raises InputError where it is none."""
    decoded = decode(data)
    if decoded.problem:
        raise InputError(f"{source}: {decoded.problem}")
    return decoded.text


def read_delimited(text: str, delimiter: str, *, source: Path, header: bool = True) -> Sheet:
    """A table, whose first row names the columns unless it has no `header`."""
    rows = _records(text, delimiter, source)
    names = next(rows, (1, []))[1] if header else []
    return Sheet(columns=tuple(names), rows=tuple(rows))


def declared_delimiter(text: str) -> str | None:
    """What Excel's own first line says that separates the cells, as in `sep=;`; None: there is no such line."""
    told = _DECLARED.match(text)
    return None if told is None else told[1]


def likeliest_delimiter(text: str) -> str:
    """What separates the cells of a table without a header: what gives most rows two to five cells."""
    widths = {mark: Counter(map(len, _rows_of(text, mark))) for mark in ";\t,"}
    return max(widths, key=lambda mark: sum(widths[mark][width] for width in _WIDTHS))


def _rows_of(text: str, delimiter: str) -> list[list[str]]:
    try:
        return [cells for _, cells in _records(text, delimiter, Path())]
    except InputError:
        return []


def header_of(text: str, delimiter: str) -> list[str]:
    """The first row, if it can be read with this delimiter."""
    try:
        return next((cells for _, cells in _records(text, delimiter, Path())), [])
    except InputError:
        return []


def _records(text: str, delimiter: str, source: Path) -> Iterator[tuple[int, list[str]]]:
    told = _DECLARED.match(text)
    body, line = (text[told.end() :], 2) if told else (text, 1)
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
    """One JSON object a line; the columns are all their keys, in the order they are met."""
    objects = [
        (number, _object(line, number, source)) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    ]
    columns = tuple(dict.fromkeys(key for _, found in objects for key in found))
    rows = tuple((number, [_json_cell(key, found.get(key)) for key in columns]) for number, found in objects)
    return Sheet(columns=columns, rows=rows)


def _object(line: str, number: int, source: Path) -> dict[str, Any]:
    """The object on a line, its numbers as they are written there."""
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
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice")
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
    """A table with a header, quoted where needed."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


def write_json_lines(columns: Sequence[str], rows: Iterable[Sequence[str | list[str] | None]]) -> bytes:
    """One object a line, without the keys of empty cells."""
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
"""How a file ends → how it is read; `.csv` needs a look inside."""
