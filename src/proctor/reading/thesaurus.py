"""Words that can replace each other in a statement, and phrases that equal one word: a table of everyday English.

Wider than `lexicon`, whose words ask the same: here `raise` can replace `lift`, and also `increase`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from proctor.reading.lexicon import akin
from proctor.reading.text.words import stem

_ENDINGS = frozenset(
    (
        *("", "e", "s", "d", "es", "ed", "er", "ers", "or", "ing", "ion", "ation", "ition", "ment", "ness"),
        *("ity", "y", "al", "ial", "ical", "ic", "ous", "eous", "ious", "ful", "ive", "ativ", "iv", "abl"),
        *("ibl", "able", "ible", "ant", "ent", "anc", "enc", "ance", "ence", "ancy", "ency", "en", "ish", "ist"),
        *("iz", "ise", "ize", "th", "t", "ur", "ag", "ship", "ery", "ary", "ory", "at", "ify", "ification", "ational"),
        *("ional", "ly", "ian", "an", "tion", "sion", "icity", "hood", "less"),
    )
)
"""Endings after the common root of two related words."""
_ROOT, _SHORT_ROOT = 5, 4
_KEPT = 32768


class Thesaurus(NamedTuple):
    """The parsed table."""

    groups: dict[str, frozenset[int]]
    """Stem -> numbers of the groups it belongs to."""
    phrases: dict[str, str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def load_thesaurus() -> Thesaurus:
    """Load the table shipped with the package."""
    text = files("proctor.reading").joinpath("thesaurus.txt").read_text(encoding="utf-8")
    near, _, phrase_lines = text.partition("[near]\n")[2].partition("[phrases]\n")
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(near.splitlines()):
        for word in line.split():
            groups.setdefault(stem(word), set()).add(number)
    phrases = dict(line.split(" = ") for line in phrase_lines.splitlines())
    either = "|".join(sorted(map(re.escape, phrases), key=len, reverse=True))
    return Thesaurus(
        {word: frozenset(numbers) for word, numbers in groups.items()}, phrases, re.compile(rf"\b(?:{either})\b")
    )


def plain_phrases(folded: str) -> str:
    """Return a normalised text with its phrases replaced by single words."""
    table = load_thesaurus()
    return table.pattern.sub(lambda match: table.phrases[match[0]], folded)


@lru_cache(maxsize=_KEPT)
def likeness(one: str, other: str) -> float:
    """Return the probability, from 0 to 1, that two stems can replace each other."""
    if one == other:
        return 1.0
    if one[0].isdigit() or other[0].isdigit():
        return 0.0
    if akin(one, other) or _is_of_one_family(one, other):
        return 0.95
    groups = load_thesaurus().groups
    return 0.9 if not groups.get(one, frozenset()).isdisjoint(groups.get(other, ())) else 0.0


def _is_of_one_family(one: str, other: str) -> bool:
    """Whether two stems share a root and differ only in derivational endings: `gravity`, `gravitational`."""
    shared = 0
    for letter, other_letter in zip(one, other, strict=False):
        if letter != other_letter:
            break
        shared += 1
    if shared < _SHORT_ROOT or (shared < _ROOT and shared < min(len(one), len(other))):
        return False
    return one[shared:] in _ENDINGS and other[shared:] in _ENDINGS
