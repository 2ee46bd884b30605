"""The rows of a benchmark while somebody edits them: each change is a draft of its own, so that Back takes it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from proctor.errors import InputError
from proctor.formats import csv
from proctor.formats.rules import COLUMNS, REQUIRED
from proctor.web.site.forms import Form

Row = tuple[str, ...]
"""Question, answer, reasoning, context; empty: there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowFault:
    """Why a row cannot be kept, with what was typed."""

    row: Row
    messages: tuple[str, ...]


def rows_of(content: bytes) -> list[Row]:
    """The rows of a benchmark file; raises InputError where it is none."""
    return [
        (case.question, case.answer or "", case.reasoning or "", case.context or "")
        for case in csv.benchmark(content, name="the draft").cases
    ]


def edit_rows(rows: Sequence[Row], form: Form, *, at: int | None) -> list[Row] | RowFault:
    """The rows with one of them as the form has it, or without it; `at` is its place, None: it is added at the end."""
    if form.text("do") == "remove" and at is not None:
        left = [*rows[:at], *rows[at + 1 :]]
        if not left:
            raise InputError("a benchmark needs a question; the only row cannot be removed")
        return left
    before = rows[at] if at is not None else ("",) * len(COLUMNS)
    typed = tuple(_clean_line_ends(form.text(name), old) for name, old in zip(COLUMNS, before, strict=True))
    if at is None and form.text("do") != "row" and not any(text.strip() for text in typed):
        return list(rows)  # a new row in which nothing was typed is none
    faults = tuple(csv.row_faults(typed, first=at == 0))
    if faults:
        return RowFault(row=typed, messages=faults)
    return [*rows[:at], typed, *rows[at + 1 :]] if at is not None else [*rows, typed]


def _clean_line_ends(text: str, before: str) -> str:
    """What was typed; a browser ends lines otherwise, which is no change."""
    plain = text.replace("\r\n", "\n")
    return before if plain == before.replace("\r\n", "\n") else plain


def written(rows: Sequence[Row]) -> bytes:
    """The rows as a file."""
    return csv.write(rows)


def changes(before: Sequence[Row], after: Sequence[Row]) -> int:
    """How many rows are not as they were."""
    return sum(old != new for old, new in zip_longest(before, after))


def label_fields(row: Row) -> Iterator[tuple[str, str, bool]]:
    """Field, what stands in it, and whether there must be something."""
    for place, (name, text) in enumerate(zip(COLUMNS, row, strict=True)):
        yield name, text, place < REQUIRED
