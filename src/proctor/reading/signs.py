"""Determine the sign of a clause: whether it affirms or denies, given the words of the question."""

from __future__ import annotations

from functools import lru_cache

from proctor.reading.lexicon import concept
from proctor.reading.opposites import ADVERSE, NEGATORS, OPPOSITES, PREFIXED, without_prefix
from proctor.reading.signed_phrases import BOUNDLESS, CHOICE, DENIED, NEEDLESS, UNMOVED
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem_set

_ENDINGS = (
    *("able", "abl", "ibl", "ible", "ful", "al", "ant", "ent", "ed"),
    *("ing", "ic", "ive", "iv", "ous", "f", "t", "r", "y"),
)
"""Endings of adjectives that `un` and `non` negate."""
WITHOUT = "without"
"""The stem that negates only if its object relates to the question."""
VERBS = stem_set("is are was were has have there it we you they can may will must i")
"""Verbs and their subjects, which end a phrase without a comma."""
_NEWS = stem_set("unfortunately unfortunate regret regrettably alas afraid sadly sorry")
"""Words that announce bad news, and deny only if nothing else does."""
_LIMITS = stem_set(
    "limit cap capped limited minimum maximum restriction restricted quota ceiling code rule fixed reserved assigned"
)
_MATTERS = stem_set("matter change influence difference depend")
_ROOT = 5
"""Minimum number of shared initial letters of words with the same root."""


def sign_of(
    stems: tuple[str, ...], wanted: frozenset[str], neutral: frozenset[str], *, plain: bool = False, need: bool = False
) -> int:
    """Return 1 or -1: each word that denies, by itself or as an opposite of the question's, inverts the sign."""
    sign = 1
    adverse = opposite = stray = has_news = False
    for place, word in enumerate(stems):
        if word in neutral or (word == WITHOUT and not _concerns(stems[place + 1 : place + 4], wanted)):
            continue
        if word in NEGATORS or word == DENIED:
            sign = -sign
        elif word == CHOICE:
            sign = -sign if (need and WITHOUT not in wanted) or not _LIMITS.isdisjoint(wanted) else sign
        elif word == UNMOVED:
            sign = sign if _MATTERS.isdisjoint(wanted) else -sign
        elif word in _NEWS:
            has_news = True
        elif word == BOUNDLESS and stems[place + 1] in wanted:
            sign = -sign  # `no limit` for a question whether there is one
        elif plain or word in wanted:
            adverse = adverse or is_adverse(word)
        elif bears_on(word, wanted, stems):
            opposite = opposite or not _is_adverse_pair(word, wanted)
            adverse = adverse or is_adverse(word)
        elif not is_adverse(word):
            continue
        elif concept(word) in _concepts(wanted):
            adverse = adverse or any(is_adverse(other) for other in wanted if concept(other) == concept(word))
        else:
            stray = True
    if not opposite:
        adverse = adverse or stray
    if NEEDLESS in stems and (need or plain or adverse or opposite or DENIED in stems):
        sign = -sign
    if has_news and sign > 0 and not adverse and not opposite:
        return -1
    return -sign if adverse != opposite else sign


@lru_cache(maxsize=256)
def _without_prefixes(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(map(without_prefix, stems))


@lru_cache(maxsize=256)
def _concepts(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(map(concept, stems))


def bears_on(word: str, wanted: frozenset[str], context: tuple[str, ...] = ()) -> bool:
    """Whether a word is the opposite of one in the question, unless the clause contains both: `day and night`."""
    opposites = OPPOSITES.get(word, frozenset()) & wanted
    if opposites:
        return opposites.isdisjoint(context)
    plain = without_prefix(word)
    return plain in wanted or word in _without_prefixes(wanted)


def _concerns(stems: tuple[str, ...], wanted: frozenset[str]) -> bool:
    """Whether the object of `without` relates to the question."""
    stems = stems[: next((place for place, word in enumerate(stems) if word in VERBS - {"it"}), None)]
    if stems[:1] and stems[0] in ("it", "them", "1", "that"):
        return True
    return any(
        bears_on(word, wanted)
        or is_adverse(word)
        or (word not in STOP and any(is_root(word, other) for other in wanted))
        for word in stems
    )


@lru_cache(maxsize=16384)
def is_adverse(word: str) -> bool:
    """Whether a word is negative by its meaning or prefix: closed, unsafe."""
    if word in ADVERSE or word in PREFIXED:
        return True
    plain = without_prefix(word)
    return len(plain) > 3 and plain not in ADVERSE and word.startswith(("un", "non")) and word.endswith(_ENDINGS)


def _is_adverse_pair(word: str, wanted: frozenset[str]) -> bool:
    """Whether exactly one word of a pair of opposites is adverse: `closed` and `open`."""
    others = OPPOSITES.get(word, frozenset()) & wanted
    plain = without_prefix(word)
    if plain in wanted:
        return is_adverse(word)
    return any(is_adverse(word) != is_adverse(other) for other in others) or any(
        without_prefix(other) == word and is_adverse(other) != is_adverse(word) for other in wanted
    )


def is_root(word: str, other: str) -> bool:
    """Whether two words share enough initial letters to have the same root."""
    return word == other or (len(word) > _ROOT and word[:_ROOT] == other[:_ROOT])
