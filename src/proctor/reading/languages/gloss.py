"""Gloss a text in another language: replace small words, numbers, dates, units, yes, no and not by English ones.

The rest stays as it is, so that the rules for English apply: `Es sind fünfundzwanzig Tage` becomes `it are 25 days`.
This is no translation, and is shown only where a score is explained.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from proctor.reading.languages import dutch, french, german, italian, portuguese, spanish
from proctor.reading.languages.detect import Language, is_english
from proctor.reading.text.fold import without_accents
from proctor.reading.text.lazy import lazy

_TABLES = {
    "de": german,
    "fr": french,
    "it": italian,
    "es": spanish,
    "pt": portuguese,
    "nl": dutch,
}
_TOKEN = lazy(r"[^\W\d_]+'?")
_ADDRESS = lazy(r"[/@_\\]")
_QUOTES = str.maketrans("’‘ʼ´`", "'''''")
_BEGINS = lazy(r"(?:^|[.!?¡¿\n]\s*)\W*$")
_STOPS = lazy(r"\s*(?:[,.;:!]|$)")
_ALONE = {"not": "no", "of course": "yes, of course"}
"""Meaning of a word that opens a sentence and stands alone: the first word of `No, no hace falta` is an answer."""
_LOOK_BACK = 8
_NE_PLUS = lazy(r"\b(?:ne |n')(\w+) plus\b(?! (?:de|que|d')\b)", re.IGNORECASE)
"""Match `ne … plus` (no longer); without `ne`, `plus` means more."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Vocabulary of one language: normalised tokens -> English."""

    entries: dict[tuple[str, ...], str]
    longest: dict[str, int]
    """First token -> number of tokens in the longest entry that begins with it."""


def gloss(text: str, tongue: Language) -> str:
    """Replace the known words of a text by English ones; a text that is clearly English stays unchanged."""
    if tongue not in _TABLES or is_english(text):
        return text
    table, text = _table(tongue), plain_figures(text.translate(_QUOTES), tongue)
    if tongue == "fr":
        text = _NE_PLUS.sub(r"\1 plus du tout", text)
    tokens = list(_TOKEN.finditer(text))
    keys = [token[0].casefold() for token in tokens]
    pieces: list[str] = []
    place = end = 0
    while place < len(tokens):
        count, english = _longest_entry(table, text, tokens, keys, place)
        first, last = tokens[place].start(), tokens[place + count - 1].end()
        pieces += (text[end:first], _translate_piece(text, first, last, english))
        place, end = place + count, last
    english_text = finished_figures("".join([*pieces, text[end:]]))
    # In German every noun is capitalised, so capitals do not indicate names.
    return english_text.lower() if tongue == "de" else english_text


def _longest_entry(
    table: _Table, text: str, tokens: Sequence[re.Match[str]], keys: Sequence[str], place: int
) -> tuple[int, str | None]:
    """Return the number of tokens in the longest entry that starts here, and its English or None."""
    if _ADDRESS.search(text, max(0, tokens[place].start() - 1), tokens[place].end() + 1):
        return 1, None
    most = min(table.longest.get(keys[place], 0), len(keys) - place)
    for count in range(most, 0, -1):
        english = table.entries.get(tuple(keys[place : place + count]))
        if english is not None and _are_joined(text, tokens[place : place + count]):
            return count, english
    return 1, None


def _are_joined(text: str, tokens: Sequence[re.Match[str]]) -> bool:
    """Whether the tokens are separated only by spaces and hyphens."""
    return all(not text[one.end() : other.start()].strip(" -\t") for one, other in pairwise(tokens))


def _translate_piece(text: str, first: int, last: int, english: str | None) -> str:
    word = text[first:last]
    if english is None:
        return word
    if english in _ALONE and _BEGINS.search(text[max(0, first - _LOOK_BACK) : first]) and _STOPS.match(text, last):
        return _ALONE[english]
    return f"{english} " if word.endswith("'") else english


@lru_cache(maxsize=len(_TABLES))
def _table(tongue: Language) -> _Table:
    known = _TABLES[tongue]
    entries: dict[tuple[str, ...], str] = {}
    for line in known.WORDS.strip().splitlines():
        english, _, words = line.partition("=")
        for word in words.split(","):
            entries.setdefault(_key(word), english.strip())
    for word, place in known.ordinals():
        entries.setdefault(_key(word), f"{place}th")
    for word, value in known.numbers():
        entries.setdefault(_key(word), f"{value:g}")
    for key, english in list(entries.items()):
        entries.setdefault(tuple(map(without_accents, key)), english)
    longest: dict[str, int] = {}
    for key in entries:
        longest[key[0]] = max(longest.get(key[0], 0), len(key))
    return _Table(entries, longest)


def _key(words: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(words.casefold()))


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
    """Rewrite numbers, dates and times in English notation, before the words are replaced."""
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
    """Rewrite what is recognisable only after the words are English: `2 hours and a half`."""
    return _AND_HALF.sub(r"\1.5 \2", text)


def _with_clock(text: str, tongue: Language) -> str:
    """Rewrite times of day as 14:30; half three means 2:30 in German and Dutch."""
    if tongue in _HALF:
        hours = _HOURS[tongue].split()
        text = _HALF[tongue].sub(lambda match: f"{hours.index(match[1].lower()) or 12}:30", text)
    return _CLOCK.get(tongue, _CLOCK[""]).sub(_clock, text)


def _clock(match: re.Match[str]) -> str:
    hour, *rest = (group for group in match.groups() if group is not None)
    return f"{hour}:{rest[0] if rest else '00'}"
