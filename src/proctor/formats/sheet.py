"""A table as it was found in a file: Sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.errors import InputError
from proctor.formats import files

_LARGEST = 2**28
"""Bytes that a table may have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unusable:
    """A cell that holds something other than text."""

    why: str
    """What it holds and what to do, in words that follow the column's name."""


Cell = str | None | Unusable


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A table as it was found."""

    columns: tuple[str, ...]
    """The names in the header, word for word."""
    rows: tuple[tuple[int, Sequence[Cell]], ...]
    """The line of the file, or the row of the sheet, from 1, and its cells, which may be fewer or more than columns."""
    notes: tuple[str, ...] = ()
    """What was left out."""


def read_all(path: Path) -> bytes:
    """The bytes of a table, which may be far larger than a benchmark file."""
    data = files.read_start(path, _LARGEST + 1, expected="a table")
    if len(data) > _LARGEST:
        raise InputError(f"{path} has more than {_LARGEST:,} bytes; split it into several")
    return data
