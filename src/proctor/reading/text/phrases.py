"""Where a phrase stands in a text: whole words and whole numbers, whatever the case, width and style of quotes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.reading.text.figures import figure_pattern, is_version, misses_sign, unit_follows
from proctor.reading.text.fold import fold
from proctor.reading.text.inflection import phrase_pattern
from proctor.reading.text.lazy import lazy

Span = tuple[int, int]
_OTHER_BLANKS = lazy(r"[^\S ]|  ")
_THOUSANDS = lazy(r",\d{3}(?!\d)")
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # Chinese, Japanese
    (0xAC00, 0xD7AF),  # Korean, whose particles cling to the word
    (0x20000, 0x3FFFF),  # rare ideographs
)


def find(text: str, phrase: str) -> Span | None:
    """Where a phrase stands as whole words; both are folded. A blank in it stands for any white space."""
    span = find_exact(text, phrase)
    while span is not None and misses_sign(text, span[0]):
        span = find_exact(text, phrase, span[1])
    if span is not None or " " not in phrase or not _OTHER_BLANKS.search(text):
        return span
    start = text.find(phrase[: phrase.index(" ")])
    if start < 0:
        return None
    spans = (match.span() for match in _space_out(phrase).finditer(text, start))
    return next((span for span in spans if _stands_alone(text, *span) and not misses_sign(text, span[0])), None)


def find_inflected(text: str, phrase: str) -> Span | None:
    """Where a phrase stands in another form of its words (a plural, a possessive, a verb's -s, -ed or -ing) or of its
    numbers (1,000, 16GB, v2.4.1)."""
    pattern = phrase_pattern(phrase)
    spans = (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())
    span = next((span for span in spans if _stands_alone(text, *span) and not misses_sign(text, span[0])), None)
    return _find_figure(text, phrase) if span is None else span


def _find_figure(text: str, phrase: str) -> Span | None:
    pattern = figure_pattern(phrase)
    spans = (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())
    return next((span for span in spans if _stands_as_figure(text, *span)), None)


def _stands_as_figure(text: str, start: int, end: int) -> bool:
    """Whether nothing but a unit clings to a number, or the v of a version."""
    before = start - is_version(text, start, end)
    if misses_sign(text, start) or _cuts_number(text, start) or _cuts_number(text, end):
        return False
    if before > 0 and _belong_together(text[before - 1], text[before]):
        return False
    return end >= len(text) or not _belong_together(text[end - 1], text[end]) or unit_follows(text, end)


def find_exact(text: str, phrase: str, start: int = 0) -> Span | None:
    """Where a phrase first stands as whole words, letter by letter."""
    place = text.find(phrase, start)
    while place >= 0:
        end = place + len(phrase)
        if _stands_alone(text, place, end):
            return place, end
        place = text.find(phrase, place + 1)
    return None


@lru_cache(maxsize=1024)
def _space_out(phrase: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, phrase.split())))


@lru_cache(maxsize=4096)
def prepare(phrase: str) -> str:
    """A phrase as `find` takes it."""
    return " ".join(fold(phrase).split())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether neither edge cuts a word or a number in two."""
    if start > 0 and _belong_together(text[start - 1], text[start]):
        return False
    if end < len(text) and _belong_together(text[end - 1], text[end]):
        return False
    return not (_cuts_number(text, start) or _cuts_number(text, end))


def _belong_together(before: str, after: str) -> bool:
    """Whether two neighbours belong to one word. Scripts without spaces have no edge to tell."""
    if before.isascii() and after.isascii():
        return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
    return _in_word(before) and _in_word(after)


def _in_word(sign: str) -> bool:
    if any(low <= ord(sign) <= high for low, high in _UNSPACED):
        return False
    return sign.isalnum() or sign == "_" or unicodedata.category(sign)[0] == "M"


def _cuts_number(text: str, edge: int) -> bool:
    """Whether an edge lies inside a number such as 1,300 or 3.5."""
    if not 0 < edge < len(text):
        return False
    before, after = text[edge - 1], text[edge]
    if before.isdecimal() and after in ".,":
        return _goes_on(text, edge)
    return before in ".," and after.isdecimal() and edge > 1 and text[edge - 2].isdecimal() and _goes_on(text, edge - 1)


def _goes_on(text: str, point: int) -> bool:
    if text[point] == ",":
        return _THOUSANDS.match(text, point) is not None
    return text[point + 1 : point + 2].isdecimal()
