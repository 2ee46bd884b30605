"""Answer a yes-no question from a cleft sentence: `It was Beethoven who was deaf`."""

from __future__ import annotations

import re

from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set, stems_of
from proctor.reading.thesaurus import likeness
from proctor.reading.wanted import takes_up, wanted_by

_CLEFT = lazy(
    r"\bit(?:'s| is| was| were) (?P<not>not )?(?P<who>[\w.' -]{2,60}?) (?:who|that|which)\b(?P<rest>[^.;!?]*)"
)
_NOT_OTHER = lazy(r",? (?:and |but )?not\b")
_IMPERSONAL = stem_set(
    "true clear known said likely unlikely possible certain obvious important fact case myth rumour shame pity"
    " believed thought"
    " reported good evident time only"
)
"""Words that make such a sentence impersonal, so that it singles out nobody: `It is clear that …`."""

_ASKS_ROLE = lazy(
    r"^(?:and |so |but )?(?:is|was)(?:n't)? (?P<who>[\w.' -]+?) (?P<role>the [a-z][\w'-]*(?: [\w'-]+)*?)"
    r"(?: (?:of|in|for|at) .*)?\??$"
)
_HELD = r"(?:is|was) (?P<not>not |n't )?(?:actually |in fact |really |now |currently )?"


_IS_NAME = lazy(
    r"(?:^|[.!?;:]\s+|,\s+(?:but )?|\b[Bb]ut )(?:[Tt]hat|[Ii]t|[Tt]his)(?:'s|’s| is| was| would be|'d be|'ll be) "
    r"(?:actually |in fact )?(?P<name>[A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3})(?=[.!,;]|$)"
)
"""Match a sentence that identifies somebody: `That was Chaucer.`"""


def identifies(text: str, asked: Asked) -> bool | None:
    """Whether a short reply identifies somebody whom the question names; None if it identifies nobody."""
    match = _IS_NAME.search(text)
    if match is None or len(text.split()) > _SHORT:
        return None
    wanted = wanted_by(asked)
    return any(takes_up(word, wanted) for word in stems_of(match["name"].lower()))


_SHORT = 15
"""Maximum number of words of a reply that says hardly anything else."""


def holds_role(text: str, asked: Asked) -> bool | None:
    """Whether the reply names whom the question names: `the capital is Canberra`; None if it names nobody."""
    question = _ASKS_ROLE.match(asked.folded)
    if question is None or asked.negative:
        return None
    role, who = re.escape(question["role"]), frozenset(stems_of(question["who"])) - STOP
    name = r"(?P<name>[A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3})"
    found = re.search(rf"(?i:\b{role}\b(?: (?:of|in|for|at) [\w' -]+?)? {_HELD}){name}", text) or re.search(
        rf"{name} (?i:{_HELD}{role}\b)", text
    )
    if found is None or found["not"] is not None or not who:
        return None
    return not who.isdisjoint(stems_of(found["name"].lower()))


def singled_out(folded: str, asked: Asked) -> bool | None:
    """Whether a cleft sentence singles out what the question asks about; None if the reply has no such sentence."""
    match = _CLEFT.search(folded)
    if match is None:
        return None
    wanted = wanted_by(asked)
    named = [word for word in stems_of(_NOT_OTHER.split(match["who"])[0]) if word not in STOP]
    rest = stems_of(match["rest"])
    if not named or not _IMPERSONAL.isdisjoint(named) or not NEGATORS.isdisjoint(rest):
        return None
    if not any(takes_up(word, wanted) for word in rest):
        return None
    return any(takes_up(word, wanted) for word in named) != (match["not"] is not None)


_PLACE = lazy(r"\b(in|on|from|by) (?:the )?([a-z][\w'-]+)\W*$")
"""Match the place or date at the end of a question."""
_BEGINNING = lazy(r"\W*[^.,;:!?]+")
_ROOT, _LIKE = 4, 0.9


def in_another_place(text: str, asked: Asked) -> bool | None:
    """Return False if the reply names another place than the question: `Kilimanjaro lies in Tanzania` for Kenya.

    Return None if it names no other place.
    """
    slot, opening = _PLACE.search(asked.folded), _BEGINNING.match(text)
    if slot is None or opening is None or NEGATORS & stem_set(opening[0].lower()):
        return None
    part, stems = opening[0].rstrip(), stems_of(opening[0].lower())
    led = rf"(?<!except )(?<!unlike )\b{slot[1]} (?:the |an? )?"
    other = re.search(rf"{led}(?P<name>[A-Z][\w'-]+)", part)
    if other is None and _says_again(stems, asked, slot.start()):
        other = re.search(rf"{led}(?P<name>[\w'-]+(?: [\w'-]+){{0,2}})$", part)
    if other is None or slot[2][:_ROOT] in part.lower() or asked.words & stem_set(other["name"].lower()):
        return None
    return None if any(likeness(word, stem(slot[2])) >= _LIKE for word in stems) else False


def _says_again(stems: tuple[str, ...], asked: Asked, end: int) -> bool:
    """Whether a reply repeats the word before the place: `painted on canvas` for whether it is painted on wood."""
    relation = [word for word in stems_of(asked.folded[:end]) if word in asked.content]
    return bool(relation) and any(likeness(relation[-1], word) >= _LIKE for word in stems)
