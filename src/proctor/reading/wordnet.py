"""Words that have to do with each other: of one sense, of a near one, or one explaining the other; from WordNet 3.0.

Looser than `thesaurus`: `famine` is linked to `hunger`, which does not mean the same.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

_OF_KIND = (0.95, 0.8, 0.6)
"""How near the stems of a line's three parts are: of the same sense, of a near one, of its explanation."""
_KEPT = 32768


@lru_cache(maxsize=1)
def load_links() -> dict[str, tuple[str, ...]]:
    """Stem → the later stems it is linked to, as three texts with a blank before and after each stem."""
    text = files("proctor.reading").joinpath("wordnet.txt").read_text(encoding="utf-8")
    lines = (line.partition(" ") for line in text.partition("[links]\n")[2].splitlines())
    return {word: tuple(f" {part} " for part in linked.split("/")) for word, _, linked in lines}


@lru_cache(maxsize=_KEPT)
def nearness(one: str, other: str) -> float:
    """How near two stems are, from 0 to 1."""
    first, last = sorted((one, other))
    for kind, linked in zip(_OF_KIND, load_links().get(first, ()), strict=False):
        if f" {last} " in linked:
            return kind
    return 0.0
