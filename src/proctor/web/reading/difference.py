"""Two texts, word by word: what stands only in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from proctor.reports.words import clean

LONGEST = 20_000
"""Characters of each text that are looked at."""
_WORDS = re.compile(r"\w+|[^\w\s]|\s+")

Piece = tuple[str, bool]
"""Some text, and whether it stands only on its side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """Both texts in pieces."""

    a: tuple[Piece, ...]
    b: tuple[Piece, ...]
    same: bool
    """Whether they are word for word the same."""
    cut: bool
    """Whether there is more of them than is shown."""


def difference(a: str, b: str) -> Difference:
    """What changed from A to B; white space alone is no change."""
    left, right = (_WORDS.findall(clean(text[:LONGEST])) for text in (a, b))
    words = [[place for place, word in enumerate(side) if not word.isspace()] for side in (left, right)]
    matcher = SequenceMatcher(None, [left[at] for at in words[0]], [right[at] for at in words[1]])
    only: tuple[set[int], set[int]] = set(), set()
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        if kind != "equal":
            only[0].update(_with_gaps(words[0][from_a:to_a]))
            only[1].update(_with_gaps(words[1][from_b:to_b]))
    return Difference(
        a=_pieces(left, only[0]),
        b=_pieces(right, only[1]),
        same=not only[0] and not only[1],
        cut=max(len(a), len(b)) > LONGEST,
    )


def _with_gaps(places: list[int]) -> Iterable[int]:
    """Words in a row, and the white space between them."""
    return range(places[0], places[-1] + 1) if places else ()


def _pieces(words: list[str], only: set[int]) -> tuple[Piece, ...]:
    told = ((word, place in only) for place, word in enumerate(words))
    return tuple(("".join(word for word, _ in run), alone) for alone, run in groupby(told, key=lambda each: each[1]))
