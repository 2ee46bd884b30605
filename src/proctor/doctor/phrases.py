"""Does a keyword stand in a text? As the checks ask it: whole words in any plain form, or a pattern after `re:`."""

from __future__ import annotations

from proctor.reading.text.fold import fold
from proctor.reading.text.patterns import Unsearchable, search
from proctor.reading.text.phrases import find, find_inflected, prepare

PATTERN = "re:"
EXACT = "="


def stands_in(keyword: str, text: str) -> bool | None:
    """Whether it does; None: the pattern is broken, or takes too long to try."""
    if keyword.startswith(PATTERN):
        return _pattern_stands_in(keyword.removeprefix(PATTERN).strip(), text)
    folded = fold(text)
    if keyword.startswith(EXACT):
        return phrase_stands_in(keyword.removeprefix(EXACT), folded)
    return phrase_stands_in(keyword, folded) or find_inflected(folded, prepare(keyword)) is not None


def phrase_stands_in(phrase: str, folded: str) -> bool:
    """Whether a phrase stands in a folded text as whole words and whole numbers."""
    words = prepare(phrase)
    return bool(words) and find(folded, words) is not None


def _pattern_stands_in(pattern: str, text: str) -> bool | None:
    try:
        return search(pattern, text) is not None
    except Unsearchable:
        return None
