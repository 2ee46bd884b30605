"""Find phrases in a text: as whole words and numbers, ignoring case, width and style of quotes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.reading.text.fold import fold
from proctor.reading.text.inflection import forms, phrase_pattern
from proctor.reading.text.lazy import lazy

Span = tuple[int, int]
_OTHER_BLANKS = lazy(r"[^\S ]|  ")
_THOUSANDS = lazy(r",\d{3}(?!\d)")
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # Chinese, Japanese
    (0xAC00, 0xD7AF),  # Korean, whose particles attach to the word
    (0x20000, 0x3FFFF),  # rare ideographs
)


def find(text: str, phrase: str) -> Span | None:
    """Find a phrase as whole words; both must be normalised. A space in it matches any white space."""
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
    """Find a phrase with inflected words (plural, possessive, -s, -ed, -ing) or reformatted numbers (1,000, 16GB)."""
    pattern = phrase_pattern(phrase)
    spans = (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())
    span = next((span for span in spans if _stands_alone(text, *span) and not misses_sign(text, span[0])), None)
    return _find_figure(text, phrase) if span is None else span


def _find_figure(text: str, phrase: str) -> Span | None:
    pattern = figure_pattern(phrase)
    spans = (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())
    return next((span for span in spans if _stands_as_figure(text, *span)), None)


def _stands_as_figure(text: str, start: int, end: int) -> bool:
    """Whether nothing but a unit, or the v of a version, is attached to a number."""
    before = start - is_version(text, start, end)
    if misses_sign(text, start) or _cuts_number(text, start) or _cuts_number(text, end):
        return False
    if before > 0 and _belong_together(text[before - 1], text[before]):
        return False
    return end >= len(text) or not _belong_together(text[end - 1], text[end]) or unit_follows(text, end)


def find_exact(text: str, phrase: str, start: int = 0) -> Span | None:
    """Find the first exact occurrence of a phrase as whole words."""
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
    """Normalise a phrase for `find`."""
    return " ".join(fold(phrase).split())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether neither edge splits a word or a number."""
    if start > 0 and _belong_together(text[start - 1], text[start]):
        return False
    if end < len(text) and _belong_together(text[end - 1], text[end]):
        return False
    return not (_cuts_number(text, start) or _cuts_number(text, end))


def _belong_together(before: str, after: str) -> bool:
    """Whether two adjacent characters belong to one word; scripts without spaces have no word boundaries."""
    if before.isascii() and after.isascii():
        return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
    return _in_word(before) and _in_word(after)


def _in_word(sign: str) -> bool:
    if any(low <= ord(sign) <= high for low, high in _UNSPACED):
        return False
    return sign.isalnum() or sign == "_" or unicodedata.category(sign)[0] == "M"


def _cuts_number(text: str, edge: int) -> bool:
    """Whether a position is inside a number such as 1,300 or 3.5."""
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


_BLANKS = r"\s{0,4}"
_PIECE = lazy(
    r"(?P<clock>\d{1,2}:\d\d)(?!\d|:)|(?P<version>v?\d+(?:\.\d+){2,9})|(?P<whole>\d{1,3}(?:,\d{3}){1,9}|\d+)(?![\d.,]*\d)"
    r"|(?P<number>\d[\d.,:]*)|(?P<percent>%|per ?cent\b)|(?P<half>[ap])\.?m\b\.?|(?P<letters>[^\W\d_]+)"
    r"|(?P<blank>\s+)|(?P<sign>.)"
)
_UNIT_NAMES = """
kb mb gb tb pb kib mib gib tib kbps mbps gbps km cm mm nm kg mg ml cl hl min mins sec secs ms hr hrs kw kwh mw mwh
ah mah wh hz khz mhz ghz eur usd gbp chf px pt dpi mph kmh rpm ft lb lbs oz kcal kj db ppm am pm
"""
_UNITS = frozenset(_UNIT_NAMES.split())
_LETTER_UNITS = frozenset("mglhw")
_JOINED = re.compile(rf"(?:{'|'.join(sorted(_UNITS, key=len, reverse=True))}|[ap]\.m\b\.?)(?![^\W_])")
_MINUS = lazy(r"(?:^|(?<![\w ])|(?<!\d ))(?<!\w)minus $")
_REACH = 12
_LEADING_V = lazy(r"(?<![^\W_])v")


@lru_cache(maxsize=4096)
def figure_pattern(phrase: str) -> re.Pattern[str] | None:
    """Return a pattern for the formats of a phrase with a number, or None if it contains no number."""
    if not any(sign.isdecimal() for sign in phrase):
        return None
    pieces = list(_PIECE.finditer(phrase))
    last = len(pieces) - 1
    return re.compile("".join(_in_any_dress(pieces, place, place == last) for place in range(len(pieces))))


def _in_any_dress(pieces: list[re.Match[str]], place: int, last: bool) -> str:
    piece = pieces[place]
    before = pieces[place - 1] if place else None
    after = pieces[place + 1] if place + 1 < len(pieces) else None
    text = piece[0]
    if piece["clock"]:
        return f"0?{re.escape(text.removeprefix('0'))}"
    if piece["version"]:
        return f"(?:v|version )?{re.escape(text.removeprefix('v'))}"
    if piece["whole"]:
        return _in_thousands(text.replace(",", ""))
    if piece["percent"]:
        return rf"{_BLANKS}(?:%|per ?cent)"
    if piece["half"]:
        return rf"{_BLANKS}{piece['half']}\.?m\.?"
    if piece["blank"]:
        return _blank(before, after)
    if piece["letters"] and before is not None and _is_number(before) and text in (_UNITS | _LETTER_UNITS):
        return rf"{_BLANKS}{text}"
    if text in "$€£" and after is not None and _is_number(after):
        return rf"{re.escape(text)}{_BLANKS}"
    return _either(forms(text)) if piece["letters"] and last else re.escape(text)


def _blank(before: re.Match[str] | None, after: re.Match[str] | None) -> str:
    """Return a pattern for a space: between a number and its unit it may be absent or a hyphen."""
    if after is not None and (after["percent"] or after["half"]):
        return ""
    if before is not None and _is_number(before) and after is not None and (after["letters"] or after["sign"]):
        return r"[\s-]{0,4}"
    return r"\s{0,4}" if before is not None and before[0] in "$€£" else r"\s{1,4}"


def _is_number(piece: re.Match[str]) -> bool:
    return piece[0][0].isdecimal()


def _in_thousands(digits: str) -> str:
    """Return a pattern with optional thousands separators for 1000 and above."""
    if len(digits) < 4 or digits[0] == "0":
        return digits
    first = len(digits) % 3 or 3
    return "[,' ]?".join([digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))])


def _either(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def unit_follows(text: str, place: int) -> bool:
    """Whether a unit is attached to the number that ends here: 16GB, 10:30am."""
    return text[place - 1].isdecimal() and _JOINED.match(text, place) is not None


def is_version(text: str, start: int, end: int) -> bool:
    """Whether a v is attached to the dotted number here: v2.4.1."""
    return "." in text[start:end] and start > 0 and _LEADING_V.match(text, start - 1) is not None


def misses_sign(text: str, start: int) -> bool:
    """Whether a match omits the minus sign before a number, or begins with a hyphen that is no sign: 10-5."""
    if text[start] == "-":
        return text[start + 1 : start + 2].isdecimal() and start > 0 and text[start - 1].isalnum()
    if start and text[start - 1] in "$€£" and text[start].isdecimal():
        start -= 1
    elif not text[start].isdecimal() and text[start] not in "$€£":
        return False
    if start > 0 and text[start - 1] == "-":
        return start == 1 or not (text[start - 2].isalnum() or text[start - 2] in ")]%°.-_/")
    return _MINUS.search(text, max(0, start - _REACH), start) is not None
