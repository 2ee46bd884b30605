"""Intake of an uploaded file: validate it, converting other tables to a benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from proctor.errors import InputError
from proctor.formats import archive, csv, tables
from proctor.formats.charset import decode
from proctor.formats.convert import FIELDS, ConversionReport, columns_of, convert, names_columns
from proctor.formats.suites.declaration import CASE
from proctor.formats.suites.suite import JSONL
from proctor.workflows.upload import ENDINGS, ExaminedFile, FileProblem, broken, examine

WORKBOOKS = (".xlsx", ".xlsm")
ACCEPTED = (*ENDINGS, *(ending for ending in tables.READERS if ending not in ENDINGS))
"""File extensions that can be uploaded."""
_ROWS = ".csv"
_AMBIGUOUS = (_ROWS, ".jsonl")
"""Extensions of files that are either a benchmark or suite already, or a table with a header."""
_OF_SUITES = ("expect", "suite")
"""Columns that only a suite has: a file with them is never converted as a table."""
_CATEGORY = "category"
TABLE_FIELDS = FIELDS
"""Fields to which a column of a table can be mapped."""
_MOST_COLUMNS = 200
_NAMED = 8
"""Maximum number of columns listed in an error message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Intake:
    """A file as it would be saved."""

    file: str
    content: bytes
    examined: ExaminedFile
    conversion: ConversionReport | None = None
    """Report of the conversion, or None if the file is saved unchanged."""
    header: tuple[str, ...] = ()
    """Columns that the user may map to fields; empty if the file cannot be converted as a table."""


def names_read(file: str, content: bytes) -> dict[str, str]:
    """Map the keys of a JSON Lines file to field names; empty if they are all the same."""
    if Path(file).suffix.lower() != JSONL:
        return {}
    try:
        first = json.loads(content.lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return {}
    keys = {key: CASE.synonyms.get(key, key) for key in first} if isinstance(first, dict) else {}
    return keys if any(key != name for key, name in keys.items()) else {}


def take_in(file: str, content: bytes, *, too_large: bool = False, chosen: Mapping[str, int] | None = None) -> Intake:
    """Validate a file, converting it if necessary; never raises.

    `chosen`: field → index of its column, chosen by the user.
    """
    taken = _by_hand(file, content, chosen) if chosen else _by_itself(file, content, too_large=too_large)
    if too_large or (taken.conversion is None and taken.examined.benchmark is not None):
        return taken
    if not chosen and _has_no_header(file, content):
        return taken
    return replace(taken, header=_header(file, content))


def _has_no_header(file: str, content: bytes) -> bool:
    """Whether it is a benchmark file with some invalid rows: its first row is then not a header to choose from."""
    if Path(file).suffix.lower() != _ROWS:
        return False
    text = decode(content).text
    return text.startswith('"') and not names_columns(text) and bool(csv.read_bytes(content).rows)


def _by_hand(file: str, content: bytes, chosen: Mapping[str, int]) -> Intake:
    try:
        return _convert_table(file, content, chosen)
    except InputError as error:
        return Intake(file=file, content=content, examined=_broken_by(error))


def _broken_by(error: InputError) -> ExaminedFile:
    """Return the error for a table that cannot be read, with the line if known."""
    if not isinstance(error, tables.UnreadableRecord):
        return broken(error.on_page)
    return replace(broken(""), errors=(FileProblem(line=error.line, column=1, message=error.fault),))


def _header(file: str, content: bytes) -> tuple[str, ...]:
    """Return the column names; empty if it is not a table with at least two columns."""
    try:
        columns = _columns(file, content)
    except InputError:
        return ()
    return columns[:_MOST_COLUMNS] if len(columns) > 1 else ()


def _columns(file: str, content: bytes) -> tuple[str, ...]:
    ending = Path(file).suffix.lower()
    if ending not in (*tables.READERS, *_AMBIGUOUS):
        return ()
    with TemporaryDirectory() as made:
        source = Path(made) / f"table{ending}"
        source.write_bytes(content)
        if ending in WORKBOOKS:
            archive.check_archive(content)
        return columns_of(source)


def _by_itself(file: str, content: bytes, *, too_large: bool) -> Intake:
    ending = Path(file).suffix.lower()
    if ending not in tables.READERS or ending in _AMBIGUOUS or too_large:
        taken = Intake(file=file, content=content, examined=examine(file, content, too_large=too_large))
        if ending not in _AMBIGUOUS or too_large or not taken.examined.errors:
            return taken
        converted = _try_converting(file, content)
        if converted is None and (reason := _why_no_table(content, taken.examined)):
            return replace(taken, examined=_with_unreadable(broken(reason), file, content))
        return converted or taken
    try:
        return _try_converting(file, content) or Intake(
            file=file, content=content, examined=broken("the table is empty")
        )
    except InputError as error:
        return Intake(file=file, content=content, examined=_broken_by(error))


def _with_unreadable(examined: ExaminedFile, file: str, content: bytes) -> ExaminedFile:
    """Add the next unreadable record, which the user would meet after correcting the others."""
    try:
        _columns(file, content)
    except tables.UnreadableRecord as error:
        return replace(examined, errors=(*examined.errors, *_broken_by(error).errors))
    except InputError:
        pass
    return examined


def _why_no_table(content: bytes, examined: ExaminedFile) -> str:
    """Return the main error of a file that is no benchmark file at all, or empty if its errors explain it."""
    decoded = decode(content)
    if decoded.problem:
        return f"the text cannot be read: {decoded.problem}"
    first = examined.errors[0]
    columns = max((tables.header_of(decoded.text, mark) for mark in ",;\t"), key=len)
    if (first.line, first.column) != (1, 1) or decoded.text.startswith('"') or len(columns) < 2:
        return ""
    named = ", ".join(repr(column[:40]) for column in columns[:_NAMED])
    return f"nothing says which column is which: the first line has {named}; name two of them question and answer there"


def _try_converting(file: str, content: bytes) -> Intake | None:
    """Convert a table, or return None if it has no header and its own errors are more useful.

    A CSV file whose header names known columns is a table, whatever else is wrong with it. Raise InputError for a file
    that can only be a table.
    """
    ending = Path(file).suffix.lower()
    try:
        taken = _convert_table(file, content)
    except InputError as error:
        if ending not in _AMBIGUOUS:
            raise
        is_table = ending == ".csv" and names_columns(decode(content).text)
        return Intake(file=file, content=content, examined=_broken_by(error)) if is_table else None
    dropped = taken.conversion.dropped if taken.conversion is not None else ()
    return None if ending in _AMBIGUOUS and set(_OF_SUITES) & set(dropped) else taken


def _convert_table(file: str, content: bytes, chosen: Mapping[str, int] | None = None) -> Intake:
    """Convert a table to a benchmark file or a suite; raise InputError if it is not a table."""
    ending = Path(file).suffix.lower()
    with TemporaryDirectory() as made:
        source = Path(made) / f"table{ending}"
        source.write_bytes(content)
        try:
            if ending in WORKBOOKS:
                archive.check_archive(content)
            report, target = _convert(source, chosen)
        except tables.UnreadableRecord:
            raise
        except InputError as error:
            raise InputError(error.on_page.replace(str(source), file)) from error
        if report is None:
            raise InputError(f"{file} is a benchmark file already; give it the ending .csv")
        if report.problems:
            return Intake(file=file, content=content, examined=_problems(report))
        written = target.read_bytes()
    named = f"{Path(file).stem}{target.suffix}"
    return Intake(file=named, content=written, examined=examine(named, written), conversion=report)


def _convert(source: Path, chosen: Mapping[str, int] | None) -> tuple[ConversionReport | None, Path]:
    """Convert to a suite if rows have categories, which benchmark files do not support; else to a benchmark file."""
    lines, rows = source.with_name("converted.jsonl"), source.with_name("converted.csv")
    report = convert(source, rows, chosen=chosen)
    if report.kind != "a benchmark file":
        return None, rows
    if not report.problems and _CATEGORY in (kept := convert(source, lines, chosen=chosen)).columns:
        return kept, lines
    return report, rows


def _problems(report: ConversionReport) -> ExaminedFile:
    faults = tuple(FileProblem(line=each.line, column=1, message=each.message) for each in report.problems)
    return replace(broken(""), errors=faults, more=report.more)
