"""Figures in other dress: 1,000 for 1000, 16GB for 16 GB, 20 % for 20%, 10:30am for 10:30, v2.4.1 for 2.4.1."""

from __future__ import annotations

import re
from functools import lru_cache

from proctor.reading.text.inflection import forms
from proctor.reading.text.lazy import lazy

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
    """What finds a folded phrase with a number in another dress of it; None: there is no number in it."""
    if not any(sign.isdecimal() for sign in phrase):
        return None
    pieces = list(_PIECE.finditer(phrase))
    last = len(pieces) - 1
    return re.compile("".join(_in_any_dress(pieces, place, place == last) for place in range(len(pieces))))


def _in_any_dress(pieces: list[re.Match[str]], place: int, last: bool) -> str:
    piece = pieces[place]
    before = pieces[place - 1] if place else None
    after = pieces[place + 1] if place + 1 < len(pieces) else None
    said = piece[0]
    if piece["clock"]:
        return f"0?{re.escape(said.removeprefix('0'))}"
    if piece["version"]:
        return f"(?:v|version )?{re.escape(said.removeprefix('v'))}"
    if piece["whole"]:
        return _in_thousands(said.replace(",", ""))
    if piece["percent"]:
        return rf"{_BLANKS}(?:%|per ?cent)"
    if piece["half"]:
        return rf"{_BLANKS}{piece['half']}\.?m\.?"
    if piece["blank"]:
        return _blank(before, after)
    if piece["letters"] and before is not None and _is_number(before) and said in (_UNITS | _LETTER_UNITS):
        return rf"{_BLANKS}{said}"
    if said in "$€£" and after is not None and _is_number(after):
        return rf"{re.escape(said)}{_BLANKS}"
    return _either(forms(said)) if piece["letters"] and last else re.escape(said)


def _blank(before: re.Match[str] | None, after: re.Match[str] | None) -> str:
    """A blank between a number and its unit may be absent, or a hyphen; elsewhere it is a blank."""
    if after is not None and (after["percent"] or after["half"]):
        return ""
    if before is not None and _is_number(before) and after is not None and (after["letters"] or after["sign"]):
        return r"[\s-]{0,4}"
    return r"\s{0,4}" if before is not None and before[0] in "$€£" else r"\s{1,4}"


def _is_number(piece: re.Match[str]) -> bool:
    return piece[0][0].isdecimal()


def _in_thousands(digits: str) -> str:
    """1000 with or without what parts its thousands; a year and a number of a room have none, and need none."""
    if len(digits) < 4 or digits[0] == "0":
        return digits
    first = len(digits) % 3 or 3
    return "[,' ]?".join([digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))])


def _either(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def unit_follows(text: str, place: int) -> bool:
    """Whether a unit clings to a number that ends here: 16GB, 10:30am."""
    return text[place - 1].isdecimal() and _JOINED.match(text, place) is not None


def is_version(text: str, start: int, end: int) -> bool:
    """Whether a v clings to a number with points that stands here: v2.4.1."""
    return "." in text[start:end] and start > 0 and _LEADING_V.match(text, start - 1) is not None


def misses_sign(text: str, start: int) -> bool:
    """Whether a number that begins here has a minus before it that is left out, or its own is no sign: 10-5."""
    if text[start] == "-":
        return text[start + 1 : start + 2].isdecimal() and start > 0 and text[start - 1].isalnum()
    if start and text[start - 1] in "$€£" and text[start].isdecimal():
        start -= 1
    elif not text[start].isdecimal() and text[start] not in "$€£":
        return False
    if start > 0 and text[start - 1] == "-":
        return start == 1 or not (text[start - 2].isalnum() or text[start - 2] in ")]%°.-_/")
    return _MINUS.search(text, max(0, start - _REACH), start) is not None
