"""Negation and hedging: find what a text denies, leaves open, or declines to say."""

from __future__ import annotations

from proctor.reading.text.lazy import lazy
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem_set, words

_CONTRACTED = stem_set(
    "isn't wasn't aren't weren't don't doesn't didn't can't cannot couldn't won't wouldn't shouldn't hasn't haven't "
    "hadn't ain't mustn't"
)
NEGATIONS: frozenset[str] = _CONTRACTED | stem_set("not no never none neither nor nobody")
"""Stems that make a sentence negative."""
_FALSE = stem_set("false incorrect wrong untrue myth mistaken")
NEGATORS: frozenset[str] = NEGATIONS | _FALSE | stem_set("mistakenly hardly")
"""Stems that can negate the words near them."""
_AUXILIARIES = stem_set("is was are were has have had do does did can could will would should be been")
_SHORT_ANSWER = _AUXILIARIES | _CONTRACTED  # `it does`, `it isn't`
# Followed by these, a negator denies nothing: not only, not until, must not exceed, no doubt, no more than.
_HARMLESS_AFTER_NOT = stem_set("only just merely until to more less least later earlier long far exceed forget worry")
_HARMLESS_AFTER_NO = stem_set("doubt more less later earlier fewer matter wonder question sooner")
_EXCEPTING = tuple(
    tuple(words(cue))
    for cue in (
        "except",
        "excluding",
        "besides",
        "unlike",
        "other than",
        "rather than",
        "instead of",
        "apart from",
        "contrary to",
        "as opposed to",
        "confused with",
        "mistaken for",
    )
)
_PRONOUNS = stem_set("it they you we i he she that this there of course")
_REACH_BEFORE = 12
_REACH_AFTER = 3
_REACH_EXCEPTING = 6
_REACH_HEDGE = 4
_YES = stem_set("yes yeah yep yup")
_NO = stem_set("no nope nah")
_AGREES = stem_set("indeed correct right absolutely certainly definitely true affirmative sure")
_DISAGREES = stem_set("negative false incorrect wrong never not untrue")
_UNSURE = lazy(r"\b(?:not (?:sure|certain)|unsure|uncertain|no idea|(?:just|only) (?:a|my) guess|wild guess)\b")
_POSSIBLY = stem_set("maybe perhaps possibly might")
_DECLINES = lazy(
    r"\b(?:i|we) (?:do not|don't|cannot|can't|could not|couldn't|am not able to|am unable to|are not able to|have no)"
    r"(?: \w+){0,2} (?:know|answer|help|find|determine|tell|say|provide|recall|access|idea|information|assist)\b"
    r"|\b(?:i'm|i am) (?:sorry|unable|not able|afraid (?:that )?(?:i|we|there|that|it))\b"
    r"|\bsorry, (?:but )?i\b|\bno idea\b|\bas an ai\b"
    r"|\b(?:not|isn't|is no|no) enough (?:information|context|detail|data)\b"
    r"|\binsufficient (?:information|context|data)\b|\bno (?:information|data|answer|mention)\b"
    r"|\b(?:cannot|can't|could not|couldn't) be (?:determined|answered|found)\b"
    r"|\b(?:would|will|should) (?:have|need) to ask\b"
    r"|\b(?:it is|it's|remains|answer is) (?:un(?:known|clear|certain|available)|"
    r"not (?:known|clear|specified|stated|mentioned|given))\b"
)
_NOTHING = frozenset(
    ("unknown", "n/a", "na", "none", "nothing", "unsure", "unclear", "unanswerable", "no idea", "not known")
)


def declines(folded: str) -> bool:
    """Whether the text says that it does not know or refuses to answer."""
    return folded.strip(" .!?") in _NOTHING or _DECLINES.search(folded) is not None


def unsure(folded: str) -> bool:
    """Whether the text is explicitly unsure: not sure, a guess. `I think` and `probably` do not count."""
    return _UNSURE.search(folded) is not None


def find_negation(passage: Passage, first: int, last: int) -> int | None:
    """Return the position of the word that negates the words `first` to `last`, or None.

    A negator acts forward within its clause (`not painted by Leonardo`) and, after an auxiliary, on the words directly
    before it (`Paris is not …`).
    """
    if NEGATORS.isdisjoint(passage.stems):
        return None
    clauses = passage.clauses
    for place in range(first - 1, max(-1, first - 1 - _REACH_BEFORE), -1):
        if clauses[place] != clauses[first]:
            break
        if _denies(passage.stems, place) and "than" not in passage.stems[place:first]:
            return place  # `not larger than 20 MB` sets a bound
    return _negated_after(passage, last)


def _negated_after(passage: Passage, last: int) -> int | None:
    stems, clauses = passage.stems, passage.clauses
    for place in range(last + 1, min(len(stems), last + 1 + _REACH_AFTER)):
        if clauses[place] != clauses[last]:
            return None
        if stems[place] in _CONTRACTED and _denies(stems, place):
            return place
        if stems[place - 1] in _AUXILIARIES and (stems[place] in _FALSE or _denies(stems, place)):
            return place
    return None


def _denies(stems: list[str], place: int) -> bool:
    word = stems[place]
    if word not in NEGATORS:
        return False
    after = stems[place + 1] if place + 1 < len(stems) else ""
    if word in _FALSE:
        return after in ("that", "to")  # `it is false that …`, not `after a wrong attempt …`
    return after not in (_HARMLESS_AFTER_NO if word == "no" else _HARMLESS_AFTER_NOT)


def find_exception(passage: Passage, first: int) -> int | None:
    """Return the position of the words that exclude `first` (except, rather than, instead of), or None."""
    stems, sentences = passage.stems, passage.sentences
    for place in range(first - 1, max(-1, first - 1 - _REACH_EXCEPTING), -1):
        if sentences[place] != sentences[first]:
            return None
        for cue in _EXCEPTING:
            if stems[place] == cue[0] and tuple(stems[place : place + len(cue)]) == cue:
                return place
    return None


def find_hedge(passage: Passage, first: int) -> int | None:
    """Return the position of the word that makes `first` a mere possibility (perhaps, might, could be), or None."""
    stems, clauses = passage.stems, passage.clauses
    for place in range(first - 1, max(-1, first - 1 - _REACH_HEDGE), -1):
        if clauses[place] != clauses[first]:
            return None
        if stems[place] in _POSSIBLY or stems[place : place + 2] == ["could", "be"]:
            return place
    return None


def polarity(passage: Passage) -> bool | None:
    """Return whether a text begins with yes (True) or no (False), or None for neither."""
    opening = passage.stems[:5]
    yes, no = (not word_set.isdisjoint(opening) for word_set in (_YES, _NO))
    if yes or no:
        return None if yes and no else yes
    if len(passage) <= len(opening) and opening[-1:] and opening[-1] in _SHORT_ANSWER:
        return opening[-1] in _AUXILIARIES if _PRONOUNS.issuperset(opening[:-1]) else None
    while opening[:1] and opening[0] in ("that", "thats", "this", "it", "is", "are", "you"):
        opening = opening[1:]
    if not opening or (opening[0] not in _AGREES and opening[0] not in _DISAGREES):
        return None
    return opening[0] in _AGREES
