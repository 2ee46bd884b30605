"""What stands around a place in a text, and what comes nearest to a phrase that does not stand there."""

from __future__ import annotations

import re
from functools import lru_cache

from proctor.reading.text.fold import fold
from proctor.reading.text.phrases import Span

folded = lru_cache(maxsize=64)(fold)
"""`fold`, which several checks of one reply share."""
_WORD = re.compile(r"\w+")
_AROUND = 32
"""Characters quoted on either side of what was found."""
_ALIKE = 0.6
"""How alike two words must be for the one to be a near miss of the other."""
_COMPARED = 200
"""Words that are looked at for a near miss, so that a long reply costs no more than a short one."""


def around(text: str, span: Span) -> str:
    """What stands at a place, with a few words before and after it."""
    start, end = span
    left, right = max(0, start - _AROUND), min(len(text), end + _AROUND)
    if left:
        left = max(left, text.find(" ", left, start) + 1)
    if right < len(text) and (blank := text.rfind(" ", end, right)) >= 0:
        right = blank
    return f"“{'…' * (left > 0)}{text[left:right]}{'…' * (right < len(text))}”"


def quote_around(text: str, span: Span) -> str:
    """The words around a place of the folded text, as they were written where folding has moved nothing."""
    read = folded(text)
    return around(text if len(read) == len(text) else read, span)


def near_miss(text: str, phrase: str) -> str:
    """What in a folded text comes nearest to a phrase that does not stand there; empty: nothing does."""
    inside = text.find(phrase)
    if inside >= 0:
        return f"it is only inside {around(text, (inside, inside + len(phrase)))}"
    words = _WORD.findall(phrase)
    seen = set(_WORD.findall(text))
    lacking = [word for word in words if word not in seen]
    if not lacking:
        return "all its words are there, but not together" if len(words) > 1 else ""
    nearest = [alike for word in lacking if (alike := _most_alike(word, seen))]
    said = f"the nearest is {_quote_words(nearest)}" if nearest else ""
    there = [word for word in words if word in seen]
    only = f"only {_quote_words(there)} {'is' if len(there) == 1 else 'are'} there" if there else ""
    return "; ".join(filter(None, [only, said]))


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


def _quote_words(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
