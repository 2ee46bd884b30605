"""XLSX → columns and rows. Needs openpyxl, which the extra `xlsx` brings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.formats.sheet import Cell, Sheet, Unusable, read_all

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NO_VALUE = "holds a formula whose value is not stored; open the workbook in a spreadsheet program, save it, try again"
_INSTALL = 'reading a workbook needs openpyxl; install it with: pip install "proctor[xlsx]"'


def read_workbook(path: Path, *, header: bool = True) -> Sheet:
    """The first sheet of a workbook; its first row that is not empty names the columns, unless it has no `header`."""
    data = read_all(path)
    try:
        titles, rows = _load(data)
    except ImportError as error:
        raise InputError(_INSTALL) from error
    except Exception as error:  # whatever openpyxl raises on a damaged file
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
    """The titles of the sheets, and the rows of the first that are not empty."""
    import openpyxl

    with warnings.catch_warnings(), ExitStack() as opened:
        warnings.simplefilter("ignore")  # openpyxl warns of drawings and validations, which hold no cells
        shown, written = (
            opened.enter_context(closing(openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=data_only)))
            for data_only in (True, False)
        )
        rows = [(number, cells) for number, cells in _rows(shown, written) if any(cell is not None for cell in cells)]
        return [sheet.title for sheet in shown.worksheets], rows


def _rows(shown: Any, written: Any) -> Iterator[tuple[int, list[Cell]]]:
    """Each row's cells, from the values that the workbook shows and the formulas that are written in it."""
    sheets = [book.worksheets[0] for book in (shown, written)]
    for sheet in sheets:
        sheet.reset_dimensions()  # some programs store wrong ones
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
