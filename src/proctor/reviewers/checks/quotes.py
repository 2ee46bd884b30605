"""Whether a quote stands in a text, word for word: white space, quotes, dashes and emphasis aside."""

from __future__ import annotations

import re

from proctor.reading.text.fold import fold
from proctor.reading.text.phrases import find_exact

_EMPHASIS = str.maketrans("", "", "*`")
_LEFT_OUT = re.compile(r"[\[(]? ?\.{3,} ?[\])]?")
_EDGES = " \"'.,;:!?"
_SHOWN = 60
"""Characters of a quote that are shown."""


def plain(text: str) -> str:
    """A text as quotes are looked up in it: folded, on one line, without marks of emphasis."""
    return " ".join(fold(text.translate(_EMPHASIS)).split())


def parts(quote: str) -> list[str]:
    """The pieces of a quote between its ellipses, without the signs around them; empty: it says nothing."""
    return [piece for part in _LEFT_OUT.split(plain(quote)) if (piece := part.strip(_EDGES))]


def missing_part(quote: list[str], text: str) -> tuple[str, int] | None:
    """The first piece that does not stand in the text after those before it, and where they end; None: all do."""
    place = 0
    for piece in quote:
        span = find_exact(text, piece, place)
        if span is None:
            return piece, place
        place = span[1]
    return None


def near_miss(piece: str, text: str, place: int) -> str:
    """How far a piece that is missing agrees with the text."""
    if find_exact(text, piece) is not None:
        return "it is there only before what is quoted before it"
    words = piece.split(" ")
    low, high = 0, len(words)
    while high - low > 1:  # the longest beginning that stands there: what holds for it holds for every shorter one
        middle = (low + high) // 2
        low, high = (middle, high) if find_exact(text, " ".join(words[:middle]), place) else (low, middle)
    span = find_exact(text, " ".join(words[:low]), place) if low else None
    if span is None:
        return ""
    said = "its first word is" if low == 1 else f"its first {low} words are"
    return f"{said} there, going on {shown(text[span[1] : span[1] + 2 * _SHOWN])}"


def shown(quote: str) -> str:
    """A quote in quotes, cut where it is long."""
    quote = quote.strip()
    return f"“{quote}”" if len(quote) <= _SHOWN else f"“{quote[: _SHOWN - 1]}…”"
