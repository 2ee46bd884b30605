"""Yes or no by what the clauses of a reply say: by negations, opposites and words of an adverse meaning."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from proctor.reading.opposites import ADVERSE, NEGATORS, OPPOSITES, PREFIXED, without_prefix
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import AFFIRMED, DENIED, marked_phrases
from proctor.reading.text.words import stem_set, stems_of

_CLAUSE = re.compile(
    r"(?P<end>[.!?;\n]+(?:\s|$)|:\s|\s-+\s|[()\"])|,\s|\b(?:(?P<turn>but|however|though|although|yet|whereas"
    r"|instead|still|nevertheless|nonetheless)|and|because|as|since|while|which|who|so|if"
    r"|(?P<cut>unless)\b[^.;!?]*|even before[^.;!?]*)\b"
)
_ENDINGS = (
    "able",
    "abl",
    "ibl",
    "ible",
    "ful",
    "al",
    "ant",
    "ent",
    "ed",
    "ing",
    "ic",
    "ive",
    "iv",
    "ous",
    "f",
    "t",
    "r",
    "y",
)
"""Of adjectives that `un` and `non` deny."""
_ONLY = stem_set("only solely exclusively")
_STRONG, _SHARED, _TELLING, _TURNED = 1.5, 0.5, 2.0, 2.0
_MOST_SHARED = 4


class Clause(NamedTuple):
    """A stretch of a reply with one sign."""

    stems: list[str]
    turned: bool
    """Whether it comes after `but` or the like."""
    sentence: int


def by_meaning(folded: str, asked: Asked) -> tuple[bool | None, bool]:
    """What the clause says that tells most about the question, and whether any does."""
    theirs = _clauses(folded)
    wanted = stems_of(marked_phrases(asked.folded))
    positive = _sign(wanted, frozenset(), plain=True) > 0
    best: tuple[float, bool] | None = None
    for clause in theirs:
        strength, sign = _weigh(clause, wanted, asked)
        if best is None or strength > best[0] or (strength == best[0] and clause.turned):
            best = strength, (sign > 0) == positive
    return (None, False) if best is None else (best[1], best[0] > 0)


def taken_back(folded: str, asked: Asked) -> float:
    """How strongly what comes after the first clause of a reply says no to the question; 0: it does not."""
    wanted = stems_of(marked_phrases(asked.folded))
    positive = _sign(wanted, frozenset(), plain=True) > 0
    said = (_weigh(clause, wanted, asked) for clause in _clauses(folded)[1:])
    return max((strength for strength, sign in said if (sign > 0) != positive), default=0.0)


def _clauses(folded: str) -> list[Clause]:
    found: list[Clause] = []
    start, turned, sentence = 0, False, 0
    marked = marked_phrases(folded)
    for match in _CLAUSE.finditer(marked):
        _add(found, marked[start : match.start()], turned, sentence)
        start = match.end()
        turned = turned or match["turn"] is not None
        sentence += match["end"] is not None
    _add(found, marked[start:], turned, sentence)
    return found


def _add(found: list[Clause], text: str, turned: bool, sentence: int) -> None:
    stems = list(stems_of(text))
    if stems:
        found.append(Clause(stems, turned, sentence))


_ROOT = 5
"""Letters."""


def _weigh(clause: Clause, wanted: tuple[str, ...], asked: Asked) -> tuple[float, int]:
    """How much a clause tells about the question, and its sign as it stands."""
    known = frozenset(wanted)
    if _sets_apart(clause, wanted, asked):
        return _STRONG + _TELLING, -1 if _sign(clause.stems, known) > 0 else 1
    shared = min(_MOST_SHARED, sum(_is_of(word, asked.content) for word in clause.stems))
    sign = _sign(clause.stems, known)
    bears = any(_bears(word, known) for word in clause.stems)
    telling = sign < 0 or bears or AFFIRMED in clause.stems
    strength = _STRONG * bears + _SHARED * shared + _TELLING * telling + _TURNED * clause.turned
    return strength, sign


def _sets_apart(clause: Clause, wanted: tuple[str, ...], asked: Asked) -> bool:
    """`Only on Windows`: of something else than what the question ends with, and so not of that."""
    if _ONLY.isdisjoint(clause.stems) or not _ONLY.isdisjoint(wanted):
        return False
    scope = next((word for word in reversed(wanted) if word in asked.content), None)
    after = clause.stems[next(place for place, word in enumerate(clause.stems) if word in _ONLY) + 1 :]
    return scope is not None and bool(after) and not any(_is_of(word, (scope,)) for word in clause.stems)


def _is_of(word: str, content: Collection[str]) -> bool:
    """Whether a word is one of these, or of one root with it: registration, register."""
    return word in content or (len(word) > _ROOT and any(word[:_ROOT] == other[:_ROOT] for other in content))


def _bears(word: str, wanted: frozenset[str]) -> bool:
    """Whether a word is the reverse of one of the question's."""
    if not OPPOSITES.get(word, frozenset()).isdisjoint(wanted):
        return True
    plain = without_prefix(word)
    return plain in wanted or any(without_prefix(other) == word for other in wanted)


def _sign(stems: tuple[str, ...] | list[str], wanted: frozenset[str], *, plain: bool = False) -> int:
    """1 or -1: each word that denies turns a clause round, whether by itself or as the reverse of the question's."""
    sign = 1
    adverse = opposite = False
    for word in stems:
        if word in NEGATORS or word == DENIED:
            sign = -sign
        elif plain or word in wanted:
            adverse = adverse or _is_adverse(word)
        elif _bears(word, wanted):
            opposite = opposite or not _is_adverse_pair(word, wanted)
            adverse = adverse or _is_adverse(word)
        else:
            adverse = adverse or _is_adverse(word)
    return -sign if adverse != opposite else sign


def _is_adverse(word: str) -> bool:
    if word in ADVERSE or word in PREFIXED:
        return True
    plain = without_prefix(word)
    return len(plain) > 3 and plain not in ADVERSE and word.startswith(("un", "non")) and word.endswith(_ENDINGS)


def _is_adverse_pair(word: str, wanted: frozenset[str]) -> bool:
    """Whether the two opposites already differ in that one of them is adverse: `closed` and `open`."""
    others = OPPOSITES.get(word, frozenset()) & wanted
    plain = without_prefix(word)
    if plain in wanted:
        return _is_adverse(word)
    return any(_is_adverse(word) != _is_adverse(other) for other in others) or any(
        without_prefix(other) == word and _is_adverse(other) != _is_adverse(word) for other in wanted
    )
