"""Normalise text: map equivalent spellings to one."""

from __future__ import annotations

import re
import unicodedata

from proctor.reading.text.lazy import lazy

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`ʼ＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
        "¼": " 1/4",
        "½": " 1/2",
        "¾": " 3/4",
        "²": "^2",
        "³": "^3",
        "\u2044": "/",
    }
)
_WITHOUT_STROKE = str.maketrans("øØłŁđĐ", "oOlLdD")
# UTF-8 read as Windows-1252: a lead byte shown as one of these letters, then what its one or two tail bytes look like.
_TAIL = r"[\u0080-\u00bf\u0152\u0153\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
_GARBLED = lazy(rf"[ÂÃ]{_TAIL}|â{_TAIL}{{2}}")
_QUOTES = " \"'"
_FINAL = " .,;:!?…\"'"


def fold(text: str, *, accents: bool = True) -> str:
    """Normalise case, width, quotes and dashes of a text; `accents=False` removes accents too."""
    if text.isascii():
        return text.lower().replace("`", "'")  # the only ASCII character that `_SIGNS` changes
    text = unicodedata.normalize("NFKC", mend(text).translate(_SIGNS)).casefold()
    # Case folding and compatibility forms can introduce new signs and combining marks.
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS))
    return text if accents else without_accents(text)


def without_accents(text: str) -> str:
    """Return the text without accents and strokes on letters: Brasília → Brasilia."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    kept = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", kept).translate(_WITHOUT_STROKE)


def mend(text: str) -> str:
    """Repair UTF-8 that was decoded as Windows-1252 (`â€“` → `–`); other text stays unchanged."""
    return text if text.isascii() else _GARBLED.sub(_repair, text)


def _repair(match: re.Match[str]) -> str:
    garbled = match.group()
    for encoding in ("cp1252", "latin-1"):
        try:
            return garbled.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return garbled


_SEPARATORS = str.maketrans("", "", "_-. ")


def fold_name(name: str) -> str:
    """Normalise the name of a tool: getWeather, get_weather and get-weather are equal."""
    return name.translate(_SEPARATORS).casefold()


def squeeze(text: str) -> str:
    """Normalise a text for comparing whole answers: single spaces, no surrounding quotes or final punctuation."""
    return " ".join(fold(text).split()).lstrip(_QUOTES).rstrip(_FINAL)
