"""A file that somebody wants to upload: converted where it is a table of another kind, and what became of it."""

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
"""How files may end that can be uploaded."""
_ROWS = ".csv"
_AMBIGUOUS = (_ROWS, ".jsonl")
"""A benchmark or a suite already, or a table whose header names its columns."""
_OF_SUITES = ("expect", "suite")
"""Columns that only a suite has: one with a mistake in it is no table."""
_CATEGORY = "category"
TABLE_FIELDS = FIELDS
"""What a column of a table may become."""
_MOST_COLUMNS = 200
_NAMED = 8
"""Columns that are named to whoever has to rename them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Intake:
    """A file as it would be saved."""

    file: str
    content: bytes
    examined: ExaminedFile
    conversion: ConversionReport | None = None
    """What a conversion did; None: it is taken as it came."""
    header: tuple[str, ...] = ()
    """The columns among which a person may choose; empty: it is no table that could be converted."""


def names_read(file: str, content: bytes) -> dict[str, str]:
    """Key of a file of JSON lines → what it is read as, where people call it otherwise; empty: nobody does."""
    if Path(file).suffix.lower() != JSONL:
        return {}
    try:
        first = json.loads(content.lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return {}
    keys = {key: CASE.synonyms.get(key, key) for key in first} if isinstance(first, dict) else {}
    return keys if any(key != name for key, name in keys.items()) else {}


def take_in(file: str, content: bytes, *, too_large: bool = False, chosen: Mapping[str, int] | None = None) -> Intake:
    """Read a file of this name, converted if need be; never raises.

    `chosen`: field → the place of its column, where a person has said so.
    """
    taken = _by_hand(file, content, chosen) if chosen else _by_itself(file, content, too_large=too_large)
    if too_large or (taken.conversion is None and taken.examined.benchmark is not None):
        return taken
    if not chosen and _has_no_header(file, content):
        return taken
    return replace(taken, header=_header(file, content))


def _has_no_header(file: str, content: bytes) -> bool:
    """Whether it is a benchmark file, of which some rows have a fault: its first row is no header to choose from."""
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
    """A table of which nothing can be taken, and why; where it is known, with the line."""
    if not isinstance(error, tables.UnreadableRecord):
        return broken(error.on_page)
    return replace(broken(""), errors=(FileProblem(line=error.line, column=1, message=error.fault),))


def _header(file: str, content: bytes) -> tuple[str, ...]:
    """What its columns are called; empty: it is no table, or has but one."""
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
        if converted is None and (said := _why_no_table(content, taken.examined)):
            return replace(taken, examined=_with_unreadable(broken(said), file, content))
        return converted or taken
    try:
        return _try_converting(file, content) or Intake(
            file=file, content=content, examined=broken("the table is empty")
        )
    except InputError as error:
        return Intake(file=file, content=content, examined=_broken_by(error))


def _with_unreadable(examined: ExaminedFile, file: str, content: bytes) -> ExaminedFile:
    """And the record that would be the next to stop whoever mends the others."""
    try:
        _columns(file, content)
    except tables.UnreadableRecord as error:
        return replace(examined, errors=(*examined.errors, *_broken_by(error).errors))
    except InputError:
        pass
    return examined


def _why_no_table(content: bytes, examined: ExaminedFile) -> str:
    """The one thing that is wrong with a file that is no benchmark file at all; empty: its errors tell what is."""
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
    """None: it is no table with a header, and its own errors tell more. Of a file that can be nothing else, raises.

    A CSV file whose header names its columns is a table, whatever else is wrong with it.
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
    """The table as a benchmark file, or as a suite. Raises InputError for what is no table."""
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
    """To a suite where the rows have categories, which no benchmark file has; else to a benchmark file."""
    lines, rows = source.with_name("converted.jsonl"), source.with_name("converted.csv")
    report = convert(source, rows, chosen=chosen)
    if report.kind != "a benchmark file":
        return None, rows
    if not report.problems and _CATEGORY in (kept := convert(source, lines, chosen=chosen)).columns:
        return kept, lines
    return report, rows


def _problems(report: ConversionReport) -> ExaminedFile:
    told = tuple(FileProblem(line=each.line, column=1, message=each.message) for each in report.problems)
    return replace(broken(""), errors=told, more=report.more)
