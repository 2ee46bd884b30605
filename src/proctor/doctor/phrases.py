"""Does a keyword stand in a text? As the checks ask it: whole words in any plain form, or a pattern after `re:`."""

from __future__ import annotations

import re
from functools import lru_cache

from proctor.text.fold import fold
from proctor.text.inflection import phrase_pattern
from proctor.text.patterns import Unsearchable, search

PATTERN = "re:"
EXACT = "="
# Thai to Khmer, Chinese, Japanese and Korean write words without blanks between them, so they have no edges to tell.
_LETTER = r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"


def stands_in(keyword: str, text: str) -> bool | None:
    """Whether it does; None: the pattern is broken, or could take too long to try."""
    if keyword.startswith(PATTERN):
        return _pattern_stands_in(keyword.removeprefix(PATTERN).strip(), text)
    folded = fold(text)
    if keyword.startswith(EXACT):
        return phrase_stands_in(keyword.removeprefix(EXACT), folded)
    return phrase_stands_in(keyword, folded) or _form_stands_in(keyword, folded)


def phrase_stands_in(phrase: str, folded: str) -> bool:
    """Whether a phrase stands in a folded text as whole words and whole numbers."""
    words = fold(phrase).split()
    if not words or not all(word in folded for word in words):
        return False
    return _whole(tuple(words)).search(folded) is not None


def _form_stands_in(phrase: str, folded: str) -> bool:
    """Whether the phrase stands there in another form of its words."""
    other = phrase_pattern(" ".join(fold(phrase).split()))
    if other is None:
        return False
    return re.search(f"(?<!{_LETTER}){other.pattern}(?!{_LETTER})", folded) is not None


@lru_cache(maxsize=2048)
def _whole(words: tuple[str, ...]) -> re.Pattern[str]:
    inside = r"\s+".join(map(re.escape, words))
    first, last = words[0][0], words[-1][-1]
    before = f"(?<!{_LETTER})" * _is_letter(first) + r"(?<!\d[.,])" * first.isdecimal()
    after = f"(?!{_LETTER})" * _is_letter(last) + r"(?![.,]\d)" * last.isdecimal()
    return re.compile(before + inside + after)


def _is_letter(sign: str) -> bool:
    return re.match(_LETTER, sign) is not None


def _pattern_stands_in(pattern: str, text: str) -> bool | None:
    try:
        return search(pattern, text) is not None
    except Unsearchable:
        return None
