"""Validation rules for rows, shared by the reader, the writer and the converter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

COLUMNS = ("question", "answer", "reasoning", "context")
"""Field names of a row, in order."""
REQUIRED = 2
"""Number of required fields."""
LONGEST = 6000
"""Maximum length of a field in characters."""

LONE_CR = re.compile(r"\r(?!\n)")
_TITLES = tuple(name.capitalize() for name in COLUMNS)
_NAME = f' *+(?:"\\s*+(?:{"|".join(COLUMNS)})\\s*+"|{"|".join(COLUMNS)}) *+'
_HEADER = re.compile(rf"({_NAME})(?:([;,\t])({_NAME})(?:\2.*)?)?", re.IGNORECASE)


def faults(fields: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (index of the field, message) for each invalid field of a row."""
    for index, text in enumerate(fields):
        if index < REQUIRED and not text.strip():
            detail = f"it holds {'only blanks' if text else 'nothing'}; every row needs a question and an answer"
            yield index, f"{_TITLES[index]} field is required: {detail}"
        elif unfit := _unfit(text):
            yield index, f"File parsing error: the {COLUMNS[index]} holds {unfit}"
        elif len(text) > LONGEST:
            yield index, f"{_TITLES[index]} exceeds {LONGEST} characters: it has {len(text)}; shorten it"


def _unfit(text: str) -> str | None:
    """Describe the first character that is not allowed in any field, or return None."""
    if (nul := text.find("\0")) >= 0:
        return f"a NUL byte as character {nul + 1}; remove it"
    if lone := LONE_CR.search(text):
        return f"a lone CR as character {lone.start() + 1}; end lines with LF or CRLF"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"half a character (U+{ord(text[error.start]):04X})"
        return f"{half} as character {error.start + 1}; remove it or complete it"
    return None


def header_separator(line: str) -> str | None:
    """Return the delimiter if the line is a header row (in any case, quoted or not), else None.

    The first two names decide, or a single name on its own; a row with two equal names is not a header.
    """
    met = _HEADER.fullmatch(line.rstrip("\r\n"))
    if met is None or _bare(met[1]) == _bare(met[3] or ""):
        return None
    return met[2] or ";"


def _bare(name: str) -> str:
    return name.strip(' "').strip().casefold()
