"""What a row may hold: the rules that the reader, the writer and the converter share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

COLUMNS = ("question", "answer", "reasoning", "context")
REQUIRED = 2
LONGEST = 6000

_TITLES = tuple(name.capitalize() for name in COLUMNS)
LONE_CR = re.compile(r"\r(?!\n)")


def faults(fields: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What is wrong with the fields of a row: the index of the field and the message, one for each bad field."""
    for index, text in enumerate(fields):
        if index < REQUIRED and not text.strip():
            held = "only blanks" if text else "nothing"
            yield (
                index,
                f"{_TITLES[index]} field is required: it holds {held}; every row needs a question and an answer",
            )
        elif unfit := unfit_character(text):
            yield index, f"File parsing error: the {COLUMNS[index]} holds {unfit}"
        elif len(text) > LONGEST:
            yield index, f"{_TITLES[index]} exceeds {LONGEST} characters: it has {len(text)}; shorten it"


def unfit_character(text: str) -> str | None:
    """The first character that no field can carry, in words."""
    if (nul := text.find("\0")) >= 0:
        return f"a NUL byte as character {nul + 1}; remove it"
    if lone := LONE_CR.search(text):
        return f"a lone CR as character {lone.start() + 1}; end lines with LF or CRLF"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"half a character (U+{ord(text[error.start]):04X})"
        return f"{half} as character {error.start + 1}; remove it or write it whole"
    return None


def is_header(cells: Sequence[str]) -> bool:
    """Whether the first row of a file names the columns, in any case, instead of asking a question."""
    names = [cell.strip().casefold() for cell in cells[:REQUIRED]]
    return set(names) <= set(COLUMNS) and len(set(names)) == len(names)
