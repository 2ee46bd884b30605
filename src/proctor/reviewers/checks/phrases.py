"""Where a phrase stands in a text: whole words, whatever the case, width and style of quotes; and the nearest miss."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.text.fold import fold
from proctor.text.inflection import phrase_pattern

Span = tuple[int, int]

folded = lru_cache(maxsize=64)(fold)
"""`fold`, which several checks of one reply share."""
_WORD = re.compile(r"\w+")
_THOUSANDS = re.compile(r",\d{3}(?!\d)")
_AROUND = 32
"""Characters quoted on either side of what was found."""
_ALIKE = 0.6
"""How alike two words must be for the one to be a near miss of the other."""
_COMPARED = 200
"""Words that are looked at for a near miss, so that a long reply costs no more than a short one."""
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
    if span is not None or " " not in phrase:
        return span
    start = text.find(phrase[: phrase.index(" ")])
    if start < 0:
        return None
    spans = (match.span() for match in _spaced(phrase).finditer(text, start))
    return next((span for span in spans if _stands_alone(text, *span)), None)


def find_inflected(text: str, phrase: str) -> Span | None:
    """Where a phrase stands in another form of its words: a plural, a possessive, a verb's -s, -ed or -ing."""
    pattern = phrase_pattern(phrase)
    if pattern is None:
        return None
    spans = (match.span() for match in pattern.finditer(text))
    return next((span for span in spans if _stands_alone(text, *span)), None)


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
def _spaced(phrase: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, phrase.split())))


@lru_cache(maxsize=4096)
def prepared(phrase: str) -> str:
    """A phrase as `find` takes it."""
    return " ".join(fold(phrase).split())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether neither edge cuts a word or a number in two."""
    if start > 0 and _joined(text[start - 1], text[start]):
        return False
    if end < len(text) and _joined(text[end - 1], text[end]):
        return False
    return not (_cuts_number(text, start) or _cuts_number(text, end))


def _joined(before: str, after: str) -> bool:
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


def around(text: str, span: Span) -> str:
    """What stands at a place, with a few words before and after it."""
    start, end = span
    left, right = max(0, start - _AROUND), min(len(text), end + _AROUND)
    if left:
        left = max(left, text.find(" ", left, start) + 1)
    if right < len(text) and (blank := text.rfind(" ", end, right)) >= 0:
        right = blank
    return f"“{'…' * (left > 0)}{text[left:right]}{'…' * (right < len(text))}”"


def quoted(text: str, span: Span) -> str:
    """The words around a place of the folded text, as they were written where folding has moved nothing."""
    read = folded(text)
    return around(text if len(read) == len(text) else read, span)


def near_miss(text: str, phrase: str) -> str:
    """What in a folded text comes nearest to a phrase that does not stand there; empty: nothing does."""
    inside = text.find(phrase)
    if inside >= 0:
        return f"it stands only inside {around(text, (inside, inside + len(phrase)))}"
    words = _WORD.findall(phrase)
    seen = set(_WORD.findall(text))
    lacking = [word for word in words if word not in seen]
    if not lacking:
        return "all its words stand there, but not together" if len(words) > 1 else ""
    nearest = [alike for word in lacking if (alike := _most_alike(word, seen))]
    said = f"the nearest is {_listed(nearest)}" if nearest else ""
    there = [word for word in words if word in seen]
    return "; ".join(filter(None, [f"of it only {_listed(there)} stands there" if there else "", said]))


def _most_alike(word: str, words: set[str]) -> str | None:
    """The word most like this one, among those that begin or end as it does."""
    begin, end = word[:2], word[-3:]
    near = sorted(other for other in words if other[:2] == begin or other[-3:] == end)[:_COMPARED]
    best = max(near, key=lambda other: _likeness(word, other), default=None)
    return best if best is not None and _likeness(word, best) >= _ALIKE else None


def _likeness(one: str, other: str) -> float:
    """The share of two words' letters that lie in their common beginning and end: a slip of the pen leaves most."""
    shorter = min(len(one), len(other))
    begin = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    end = next((i for i in range(shorter - begin) if one[-1 - i] != other[-1 - i]), shorter - begin)
    return 2 * (begin + end) / (len(one) + len(other))


def _listed(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
