"""Comparisons: who of two has more of something, to a question that asks it."""

from __future__ import annotations

import re

from proctor.reading.opposites import NEGATORS, are_opposite
from proctor.reading.outright import SENTENCE
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set, stems_of

_LESS = stem_set("less fewer least")
_COMPARED = re.compile(r"(\w+er|more \w+|less \w+|better|worse) than (.+?)(?:[,.;!?]|$)")


def compared(folded: str, question: str) -> bool | None:
    """`Iron is less dense than lead` to `Is lead denser than iron?`: by who stands first, and which way."""
    asked = _COMPARED.search(question)
    if asked is None:
        return None
    before = set(stems_of(question[: asked.start()])) - STOP
    after = set(stems_of(asked[2])) - STOP
    for sentence in reversed(SENTENCE.split(folded)):
        way = _way(sentence, asked[1])
        first = _first_of(sentence, before - after, after - before)
        if way is not None and first is not None:
            denied = any(word in NEGATORS for word in stems_of(sentence))
            return (way == first) != denied
    return None


def _way(sentence: str, comparative: str) -> bool | None:
    """Whether a sentence compares in the question's direction; None: it does not compare."""
    wanted = stem(comparative.split()[-1])
    base = wanted.removesuffix("er")
    stems = stems_of(sentence)
    for place, word in enumerate(stems):
        less = place > 0 and stems[place - 1] in _LESS
        if word == wanted or (
            len(base) > 2 and word in (base, base + "e", wanted + "st", base + "est") and (less or word.endswith("est"))
        ):
            return not less
        if are_opposite(word, wanted) or are_opposite(word, base):
            return less
    return None


def _first_of(sentence: str, ones: set[str], others: set[str]) -> bool | None:
    """Whether the first thing that a sentence names is the one that the question asks about."""
    for word in stems_of(sentence):
        if word in ones:
            return True
        if word in others:
            return False
    return None
