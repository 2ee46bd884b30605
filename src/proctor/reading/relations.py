"""Synonyms for comparing questions: a table of everyday relations, wider than `lexicon`."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from proctor.reading.lexicon import akin, concept, is_derived
from proctor.reading.names import are_one
from proctor.reading.opposites import OPPOSITES, are_opposite
from proctor.reading.text.words import stem, stem_set
from proctor.reading.thesaurus import likeness

_KEPT = 32768
_NEAR = 0.9
_SHORTEST = 4


_ALSO_OPPOSITE = (
    "gratis: charge pay cost fee price | organic: conventional | calm: wild strong dangerous | reusable: disposable"
    "| employed: unemployed jobless | vaccinated: unvaccinated | encrypted: unencrypted | childless: child son daughter"
    "| coastal: inland | inhabited: uninhabited | merge: split | attach: detach | insert: extract | defrost: freeze"
    "| build: demolish | deposit: withdraw | pack: unpack | plug: unplug | subscribe: unsubscribe | upload: download"
)
"""Opposites that count only between two statements of the same speaker."""
_ADMITTING = frozenset(map(concept, stem_set("open allow include accept admit welcome")))
_REFUSING = frozenset(map(concept, stem_set("exclude ban forbid prohibit refuse bar")))


class Relations(NamedTuple):
    """The parsed table of relations."""

    groups: dict[str, frozenset[int]]
    """Stem -> numbers of the groups it belongs to."""
    phrases: dict[str, str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def load_relations() -> Relations:
    """Load the table shipped with the package."""
    text = files("proctor.reading").joinpath("relations.txt").read_text(encoding="utf-8")
    listed, _, phrase_lines = text.partition("[groups]\n")[2].partition("[phrases]\n")
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(line for line in listed.splitlines() if not line.startswith("#")):
        for word in _keys(line):
            groups.setdefault(word, set()).add(number)
    phrases = {
        phrase: plain.strip() for phrase, _, plain in (line.partition(" =") for line in phrase_lines.splitlines())
    }
    either = "|".join(sorted(map(re.escape, phrases), key=len, reverse=True))
    return Relations(
        {word: frozenset(numbers) for word, numbers in groups.items()}, phrases, re.compile(rf"\b(?:{either})\b")
    )


def _keys(line: str) -> set[str]:
    """Return the stems of a group, and each `lexicon` concept that several of them share, since one may be
    ambiguous."""
    stems = [stem(word) for word in line.split()]
    shared = Counter(map(concept, stems))
    return {*stems, *(name for name, count in shared.items() if count > 1)}


def _opposite_concepts() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _ALSO_OPPOSITE.split("|"):
        one, other = (stem_set(side) for side in pair.split(":"))
        for words_of, others in ((one, other), (other, one)):
            for word in words_of:
                found.setdefault(concept(word), set()).update(map(concept, others))
    for word, others in OPPOSITES.items():
        found.setdefault(concept(word), set()).update(map(concept, others))
    return {word: frozenset(others - {word}) for word, others in found.items()}


OPPOSITE_CONCEPTS = _opposite_concepts()
"""Concept of `lexicon` -> concepts of the opposite meaning."""


@lru_cache(maxsize=16384)
def are_opposed(one: str, other: str) -> bool:
    """Whether two stems are opposites, directly or by synonyms; derived words (`freezer`) only directly."""
    if are_opposite(one, other):
        return True
    if {one, other} & _ADMITTING and {one, other} & _REFUSING:
        return True
    if is_derived(one) or is_derived(other):
        return False
    return concept(other) in OPPOSITE_CONCEPTS.get(concept(one), ())


@lru_cache(maxsize=_KEPT)
def may_stand_for(word: str, other: str) -> bool:
    """Whether a stem of one question may stand for a stem of another; opposites never do."""
    if akin(word, other) or are_one(word, other) or _bare(word) == _bare(other):
        return True
    if word[:1].isdigit() or other[:1].isdigit() or are_opposed(word, other):
        return False
    groups = load_relations().groups
    word_groups, other_groups = (groups.get(each, frozenset()) for each in (word, other))
    return not word_groups.isdisjoint(other_groups) or likeness(word, other) >= _NEAR


def _bare(word: str) -> str:
    """Return a stem without the remains of a plural: calorie, calories; kiwi, kiwis."""
    return word.rstrip("iys") if len(word) > _SHORTEST else word


def plain_relations(folded: str) -> str:
    """Return a normalised question with its phrases replaced by plain words."""
    table = load_relations()
    return table.pattern.sub(lambda match: table.phrases[match[0]], folded)
