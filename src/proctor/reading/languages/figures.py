"""Figures as other languages write them: decimal commas, days before months, the clock."""

from __future__ import annotations

import re

from proctor.reading.languages.detect import Language
from proctor.reading.text.lazy import lazy

_MONTHS = "january february march april may june july august september october november december"
_THOUSANDS = lazy(r"(?<![\d.,/-])\d{1,3}(?:\.\d{3})+(?![\d/-]|\.\d)")
_COMMA = lazy(r"(?<![\d.,])(\d+),(\d{1,8})(?![\d,]|\.\d)")
_DAY_FIRST = lazy(r"(?<![\d./-])([0-3]?\d)[/-]([01]?\d)[/-]((?:[12]\d)?\d\d)(?![\d/-])")
_DAY_MONTH = lazy(r"(?<![\d.])([0-3]?\d)\.\s?(0?[1-9]|1[0-2])\.(?!\s?\d)")
_ORDINAL_DAY = lazy(r"\b([0-3]?\d)\.(?=\s[^\W\d_])")
_ORDINAL = {
    "fr": lazy(r"\b(\d+)(?:er|ère|re|e|ème|°|º)\b"),
    "nl": lazy(r"\b(\d+)(?:e|de|ste)\b"),
}
_ORDINAL_SIGN = lazy(r"\b(\d+)\s?[°ºª](?!\s?[CcFf]\b)")
_CLOCK = {
    "de": lazy(r"\b([01]?\d|2[0-4])(?:[.:]([0-5]\d))?\s?uhr\b", re.IGNORECASE),
    "nl": lazy(r"(?:(?<=\bom )([01]?\d|2[0-4])|\b([01]?\d|2[0-4])(?=[.:][0-5]\d))(?:[.:]([0-5]\d))?\s?uur\b"),
    "": lazy(r"\b([01]?\d|2[0-4])\s?h(?:\s?([0-5]\d))?\b(?!\s?/)"),
}
_HOURS = {
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
}
_HALF = {name: lazy(rf"\bhal[bf] ({words.replace(' ', '|')})\b", re.IGNORECASE) for name, words in _HOURS.items()}
_REAIS = lazy(r"\bR\$\s?(\d[\d.,]*\d|\d)")
_AND_HALF = lazy(r"\b(\d+) ([^\W\d_]+) and a half\b")


def plain_figures(text: str, tongue: Language) -> str:
    """The figures of a text as English writes them, before its words are looked at."""
    if tongue == "pt":
        text = _REAIS.sub(r"\1 reais", text)
    text = _with_clock(text, tongue)
    if not any(map(str.isdigit, text)):
        return text
    text = _DAY_FIRST.sub(r"\1.\2.\3", text)
    text = _DAY_MONTH.sub(lambda match: f"{match[1]} {_MONTHS.split()[int(match[2]) - 1]}", text)
    text = _THOUSANDS.sub(lambda match: match[0].replace(".", ""), text)
    text = _COMMA.sub(r"\1.\2", text)
    text = _ORDINAL_SIGN.sub(r"\1th", text)
    if tongue in _ORDINAL:
        text = _ORDINAL[tongue].sub(r"\1th", text)
    return _ORDINAL_DAY.sub(r"\1", text) if tongue == "de" else text


def finished_figures(text: str) -> str:
    """What can be told only once the words are English: `2 hours and a half`."""
    return _AND_HALF.sub(r"\1.5 \2", text)


def _with_clock(text: str, tongue: Language) -> str:
    """Times of day as 14:30; half three is half past two in German and Dutch."""
    if tongue in _HALF:
        hours = _HOURS[tongue].split()
        text = _HALF[tongue].sub(lambda match: f"{hours.index(match[1].lower()) or 12}:30", text)
    return _CLOCK.get(tongue, _CLOCK[""]).sub(_clock, text)


def _clock(match: re.Match[str]) -> str:
    hour, *rest = (group for group in match.groups() if group is not None)
    return f"{hour}:{rest[0] if rest else '00'}"
