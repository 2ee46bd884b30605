"""Related words: words that can replace each other, or one of which explains the other.

Looser than `thesaurus`: `famine` is linked to `hunger`, though they do not mean the same.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from importlib.resources import files

from proctor.reading.text.words import stem

_ALIKE, _BESIDE = 0.9, 0.6
"""Similarity of words that can replace each other, and of a word and one that explains it."""
_KEPT = 32768

Groups = dict[str, set[int]]
"""Stem -> numbers of the groups it belongs to."""


@lru_cache(maxsize=1)
def load_groups() -> tuple[Groups, Groups]:
    """Load the groups whose members can replace each other, and those of the words that explain them."""
    text = files("proctor.reading").joinpath("linked_words.txt").read_text(encoding="utf-8")
    alike: Groups = defaultdict(set)
    related_groups: Groups = defaultdict(set)
    for number, line in enumerate(text.splitlines()):
        if line.startswith("#"):
            continue
        own, _, explaining = line.partition("/")
        for words, groups in ((own, alike), (explaining, related_groups)):
            for word in map(stem, words.split()):
                if not word[0].isdecimal():  # number words have digits as stems
                    groups[word].add(number)
    return dict(alike), dict(related_groups)


@lru_cache(maxsize=_KEPT)
def nearness(one: str, other: str) -> float:
    """Return the similarity of two stems, from 0 to 1."""
    alike, related_groups = load_groups()
    one_groups, other_groups = alike.get(one, set()), alike.get(other, set())
    if one_groups & other_groups:
        return _ALIKE
    return (
        _BESIDE
        if one_groups & related_groups.get(other, set()) or other_groups & related_groups.get(one, set())
        else 0.0
    )
