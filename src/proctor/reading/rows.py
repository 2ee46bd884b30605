"""Find the row of a table, or of a list of labelled entries, that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.reading.lexicon import concept
from proctor.reading.question import Asked
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import quantities
from proctor.reading.text.words import stem_set, words

_LINES = lazy(r"\n+")
_PARTS = lazy(r";\s|,\s|\.\s+(?=[A-Z])")
_CELLS = lazy(r":\s|\s?(?:=(?!\s?[\d$€£x])|->|→)\s?|\s[–—-]\s")
_HINT = lazy(r"[:=→]|->|\s[–—-]\s")
_LABEL_WORDS, _MOST_ROWS = 6, 40
_SPAN = lazy(r"(?<![\d.,])(\d+)\s?(?:-|–|to)\s?(\d+)(?![\d.,])")
_YES = lazy(r"\W*(?:yes|true|included|x|y)\b|\s*[✓✔✅☑]", re.IGNORECASE)
_SIDES = stem_set("over under above below before after with without")
"""Prepositions that distinguish labels: over six, under six."""
_NAMES = ("person", "place", "name", "list")


def asked_row(text: str, asked: Asked) -> str:
    """Return the row whose label matches the question, or the whole text if none does."""
    rows = _rows(text) if _HINT.search(text) else []
    if len(rows) < 2:
        return text
    header = rows[0] if _is_header(rows) else None
    body = rows[1:] if header else rows
    found = _best(body, asked)
    if found is not None:
        column = _column(header, asked) if header else 0
        return f"{found[0]}: {found[column]}" if column else ": ".join(found)
    if header and asked.kind in _NAMES and (column := _column(header, asked)):
        return " and ".join(row[0] for row in body if _YES.match(row[column])) or text
    return text


def _rows(text: str) -> list[list[str]]:
    """Return the cells of each row; empty if some line or part is not a row."""
    lines = [line for line in _LINES.split(text.strip()) if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith(":"):
        lines = lines[1:]
    parts = lines if len(lines) > 1 else _PARTS.split(text.strip().rstrip("."))
    if not 2 <= len(parts) <= _MOST_ROWS:
        return []
    rows = [[cell.strip() for cell in _CELLS.split(part)] for part in parts]
    return rows if all(len(row) > 1 and len(row[0].split()) <= _LABEL_WORDS for row in rows) else []


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a header: as many cells as the others, and no number where they have some."""
    first, *others = rows
    if len(others) < 2 or any(len(row) != len(first) for row in others):
        return False
    return not _has_digit(first) and (len(first) > 2 or any(map(_has_digit, others)) or _are_marks(others))


def _are_marks(rows: Sequence[Sequence[str]]) -> bool:
    return sum(_YES.match(row[1]) is not None or row[1].lower() in ("no", "false", "-") for row in rows) * 2 > len(rows)


def _has_digit(cells: Sequence[str]) -> bool:
    return any(letter.isdecimal() for cell in cells[1:] for letter in cell)


def _best(rows: Sequence[Sequence[str]], asked: Asked) -> Sequence[str] | None:
    """Return the only row whose label shares the most words with the question, or None."""
    wanted = {concept(word) for word in asked.content}
    wanted |= asked.words & _SIDES
    shares = [len(wanted & _concepts(row[0])) + _spans_asked(row[0], asked) for row in rows]
    most = max(shares)
    return rows[shares.index(most)] if most and shares.count(most) == 1 else None


def _column(header: Sequence[str], asked: Asked) -> int:
    """Return the index of the column whose header best matches the question; 0 if none or several do."""
    wanted = {concept(word) for word in asked.content}
    shares = [len(wanted & _concepts(cell)) for cell in header[1:]]
    most = max(shares)
    return shares.index(most) + 1 if most and shares.count(most) == 1 else 0


def _concepts(text: str) -> set[str]:
    return {concept(word) for word in words(fold(text, accents=False))}


def _spans_asked(label: str, asked: Asked) -> int:
    """Return 1 if a range in the label (`Ages 6-9`) contains a number of the question, else 0."""
    spans = [(int(low), int(high)) for low, high in _SPAN.findall(label)]
    numbers = [number.value for number in quantities(asked.folded)] if spans else []
    return int(any(low <= number <= high for low, high in spans for number in numbers))
