"""Categories of table rows, from a cell or from a separate file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from proctor.codec import numbered_id
from proctor.errors import InputError
from proctor.formats import tables
from proctor.formats.synonyms import other_names
from proctor.formats.tables import Cell, Sheet, read_all

CATEGORY = "category"
_ID = "id"
_LONGEST = 200
_TOLD = 3


def categories_in(cell: str | None) -> list[str]:
    """Split a cell into its categories, separated by semicolons."""
    return [name for each in (cell or "").split(";") if (name := each.strip())]


def category_faults(cell: str | None) -> Iterator[str]:
    """Yield the errors in a cell's categories."""
    for name in categories_in(cell):
        if len(name) > _LONGEST or not name.isprintable():
            yield f"category {name[:40]!r} is not a usable name; expected one line of at most {_LONGEST} characters"


def columns_called(columns: Sequence[str], name: str) -> list[int]:
    """Return the columns that may be this field: those with its own name, or else those with an alias."""
    plain = [re.sub(r"[\s-]+", "_", column.strip()).casefold() for column in columns]
    own = [place for place, column in enumerate(plain) if column == name]
    return own or [place for place, column in enumerate(plain) if column in other_names(name)]


def categories_by_file(path: Path, asked: Iterable[tuple[str, str | None]]) -> list[list[str]]:
    """Read the categories of each row from a file keyed by question or case id, in the order of the rows.

    Raise InputError for a line that matches no row or has no category.
    """
    rows = list(asked)
    seen: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    for place, (question, context) in enumerate(rows):
        for key in {question.strip(), numbered_id(question, context, seen)}:
            places.setdefault(key, []).append(place)
    found: list[dict[str, None]] = [{} for _ in rows]
    wrong: list[str] = []
    for line, key, cell in _pairs(path):
        wrong.extend(f"line {line}: {fault}" for fault in _line_faults(key, cell, known=key in places))
        for place in places.get(key, ()):
            found[place].update(dict.fromkeys(categories_in(cell)))
    if wrong:
        more = f"; and {len(wrong) - _TOLD:,} more" if len(wrong) > _TOLD else ""
        raise InputError(f"{path}: {'; '.join(wrong[:_TOLD])}{more}; nothing was written")
    return [list(names) for names in found]


def _line_faults(key: str, cell: str | None, *, known: bool) -> Iterator[str]:
    if not known:
        yield f"no row has the question or case id {key[:80]!r}; write either as it stands in the table or a report"
    if not categories_in(cell):
        yield f"there is no category for {key[:80]!r}; write one, several with semicolons between them"
    yield from category_faults(cell)


def _pairs(path: Path) -> Iterator[tuple[int, str, str | None]]:
    """Yield line number, question or case id, and categories."""
    sheet = _sheet(path)
    key, category = _column_positions(sheet.columns) or (0, 1)
    for line, cells in sheet.rows:
        if not sheet.columns and any(cells[2:]):
            raise InputError(f"{path}: line {line} has {len(cells)} fields; expected question or case id, and category")
        if any(cells):
            yield line, (_text(cells, key) or "").strip(), _text(cells, category)


def _text(cells: Sequence[Cell], place: int) -> str | None:
    cell = cells[place] if place < len(cells) else None
    return cell if isinstance(cell, str) else None


def _column_positions(columns: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns of the key (question or id) and the category, or None if this is not a header."""
    keys = columns_called(columns, _ID) or columns_called(columns, "question")
    categories = columns_called(columns, CATEGORY)
    return (keys[0], categories[0]) if keys and categories else None


def _sheet(path: Path) -> Sheet:
    """Read the table; without a header its columns are question or case id, and category."""
    reader = tables.READERS.get(path.suffix.lower())
    if reader is not None:
        sheet = reader(path, header=True)
        return sheet if _column_positions(sheet.columns) else reader(path, header=False)
    text = tables.text_of(read_all(path), path)
    named = next((mark for mark in ",;\t" if _column_positions(tables.header_of(text, mark))), None)
    mark = named or tables.declared_delimiter(text) or tables.likeliest_delimiter(text)
    return tables.read_delimited(text, mark, source=path, header=named is not None)
