"""Ticks and crosses, and tables of them: the cell that a question for yes or no asks about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stems_of

_SIGN = lazy(r"(?:^|(?<=[:|=-])|(?<=[:|=-] ))[ \t]*(?:(?P<yes>[✓✔✅☑])|[✗✘✖❌❎])[\ufe0f ]*", re.MULTILINE)
"""A sign that stands for an answer: at the beginning of a line, or after its label."""
_CELL = lazy(r"\s*(?:(?P<yes>yes|true|included)|(?P<no>no|false|none|n/a|-))\s*(?:[,.;(].*)?$")
_LEAST = 2


def spell_out(text: str) -> str:
    """A text with its ticks and crosses as yes and no."""
    return text if text.isascii() else _SIGN.sub(lambda sign: " yes " if sign["yes"] else " no ", text)


def read_ticks(folded: str, asked: Asked) -> bool | None:
    """What a table or a list of entries with yes and no says to a question; None: it is none, or not about it."""
    rows = [[cell.strip() for cell in line.split(":")] for line in folded.split("\n") if ":" in line]
    marked = [row for row in rows if _CELL.match(row[-1])]
    if len(rows) < _LEAST or not marked:
        return None
    row = _nearest([row[0] for row in marked], asked)
    if row is None:
        return None
    cells = marked[row]
    column = -1
    if len(cells) > _LEAST:
        heads = next((head for head in rows if len(head) == len(cells) and head not in marked), cells)
        found = _nearest(heads[1:], asked)
        if found is None:
            return None
        column = found + 1
    said = _CELL.match(cells[column])
    return None if said is None else said["yes"] is not None


def _nearest(labels: Sequence[str], asked: Asked) -> int | None:
    """The place of the one label that shares most with the question."""
    shares = [len(asked.content.intersection(stems_of(label))) for label in labels]
    most = max(shares)
    return shares.index(most) if most and shares.count(most) == 1 else None
