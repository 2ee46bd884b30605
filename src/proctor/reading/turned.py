"""Detect reversed short answers: on for off, south for north, everyone for only you, half for full."""

from __future__ import annotations

from typing import NamedTuple

from proctor.reading.expected import Answered, Expected
from proctor.reading.opposites import NEGATORS, OPPOSITES
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.passage import Passage
from proctor.reading.text.words import stem_set

_PARTICLE = lazy(
    r"\b(?:turn|switch|power|log|sign|check|opt|plug|scroll|roll|swipe|zoom|slide|put|flip|clock)(?:s|t?ed|p?ed|g?ed|t?ing"
    r"|p?ing|g?ing|ing)? (?:[\w'-]{1,20} ){0,3}?(?P<way>on|off|in|out|up|down)(?!\w)"
)
_WAYS = {"on": "off", "off": "on", "in": "out", "out": "in", "up": "down", "down": "up"}
_SIDES = tuple(
    tuple(stem_set(side) for side in group.split("|"))
    for group in (
        "north northern | south southern | east eastern | west western",
        "left | right", "top | bottom", "upper | lower", "front | rear", "inside indoors | outside outdoors",
        "upstairs | downstairs", "before prior | after afterwards", "always | never | sometimes",
        "full whole entire fully completely | half partial partially partly", "low empty | full fully high",
        "more | less fewer", "most | least", "maximum | minimum",
        "include included | exclude excluded", "incoming | outgoing", "internal | external", "upload | download",
        "weekday | weekend", "morning | afternoon | evening | night",
        "open | closed", "required mandatory compulsory | optional voluntary",
        "increase | decrease reduce", "enable | disable", "oldest | newest",
        "highest | lowest", "largest biggest | smallest", "ascending | descending", "clockwise | anticlockwise",
    )
)  # fmt: skip
"""Groups of mutually exclusive words."""
_SIDED = frozenset(word for sides in _SIDES for side in sides for word in side)
_EVERYONE = lazy(
    r"\b(?:everyone|everybody|anyone|anybody|the (?:general )?public|at any time|any time|anytime|whenever you|anywhere"
    r"|everywhere|without (?:any )?(?:limit|restriction)s?|all (?:employees|staff|users|visitors|members"
    r"|customers|guests|people|colleagues))\b"
)
_NOBODY = lazy(r"\b(?:nobody|no one|none of|no (?:employees?|staff|users?|visitors?|members?|customers?|guests?))\b")
_RESTRICTS = lazy(
    r"\b(?:only|solely|exclusively|just|alone|nobody else|no one else|but|except|other than|unless|apart)\b"
)
_QUOTED = lazy(r"(?:^|(?<=[\s(]))['\"]([^'\"]{2,40})['\"](?!\w)")
_LONGEST_REPLY, _LONGEST_ANSWER = 40, 8
_REACH = 3


class TurnedRound(NamedTuple):
    """A reversal of the expected answer by the reply."""

    does: str
    """Description of the reversal."""
    sure: bool
    """Whether the reply says little else, so that the reversal decides."""


def turned_round(reply: Answered, answer: Expected, known: frozenset[str]) -> TurnedRound | None:
    """Find what a reply reverses in a short answer, or None; `known` are the content words of the question."""
    if (
        len(reply.passage) > _LONGEST_REPLY
        or len(answer.passage) > _LONGEST_ANSWER
        or answer.squeezed in reply.squeezed
    ):
        return None
    found = _other_way(reply, answer) or _others_whom(reply, answer) or _other_side(reply, answer)
    alike = _is_alike(reply, answer, known)
    if not found and alike and not answer.statement and answer.text.rstrip().endswith("."):  # a name has no opposite
        found = _opposite_word(reply, answer)
    return TurnedRound(found, alike) if found else None


def _is_alike(reply: Answered, answer: Expected, known: frozenset[str]) -> bool:
    """Whether the reply is short and has hardly any words that are not in the expected answer or the question."""
    own = [word for word in answer.weights if word not in known]
    shared = sum(word in reply.stems for word in answer.weights)
    new = [word for word in reply.stems if word not in STOP and word not in answer.weights and word not in known]
    return shared > 0 and len(new) <= max(2, len(own))


def _other_way(reply: Answered, answer: Expected) -> str:
    """`turned on the power` for `turn off the power`."""
    answer_ways = {match["way"] for match in _PARTICLE.finditer(answer.passage.folded)}
    reply_ways = {match["way"] for match in _PARTICLE.finditer(reply.passage.folded)}
    if not answer_ways or not reply_ways or answer_ways & reply_ways or not NEGATORS.isdisjoint(reply.stems):
        return ""
    return next((f"says {way!r}" for way in reply_ways if _WAYS[way] in answer_ways), "")


def _others_whom(reply: Answered, answer: Expected) -> str:
    """Find a reversed group of people: `Everyone` for `only you`, `nobody` for `everyone`."""
    answer_text, reply_text = answer.passage.folded, reply.passage.folded
    everyone = _EVERYONE.search(reply_text)
    if (
        everyone
        and not _RESTRICTS.search(reply_text)
        and (_RESTRICTS.search(answer_text) or _NOBODY.search(answer_text))
    ):
        return "" if _EVERYONE.search(answer_text) else f"says {everyone[0]!r}"
    nobody = _NOBODY.search(reply_text)
    if (
        nobody
        and _EVERYONE.search(answer_text)
        and not _EVERYONE.search(reply_text)
        and not _RESTRICTS.search(reply_text)
    ):
        return f"says {nobody[0]!r}"
    return ""


def _other_side(reply: Answered, answer: Expected) -> str:
    """Find a mutually exclusive word without a negation that would cancel it: `South` for `north`."""
    answer_stems, reply_stems = frozenset(answer.passage.stems), reply.stems
    if _SIDED.isdisjoint(answer_stems) or _SIDED.isdisjoint(reply_stems):
        return ""
    for sides in _SIDES:
        mine = [side for side in sides if side & answer_stems]
        others = [side for side in sides if side & reply_stems]
        if len(mine) != 1 or len(others) != 1 or mine[0] & reply_stems or others[0] & answer_stems:
            continue
        place = next(at for at, word in enumerate(reply.passage.stems) if word in others[0])
        ours = next(at for at, word in enumerate(answer.passage.stems) if word in mine[0])
        if _is_denied(reply.passage, place) == _is_denied(answer.passage, ours):
            return f"says {reply.passage.quote(place, place)!r}"
    return ""


def _opposite_word(reply: Answered, answer: Expected) -> str:
    """Find an opposite of a missing expected word: `Free of charge` for `paid`."""
    answer_stems, reply_stems = answer.passage.stems, reply.passage.stems
    for ours, word in enumerate(answer_stems):
        against = OPPOSITES.get(word)
        if against is None or word in reply.stems or word in STOP or not against.isdisjoint(answer_stems):
            continue
        place = next((at for at, other in enumerate(reply_stems) if other in against and other not in STOP), None)
        if place is not None and _is_denied(reply.passage, place) == _is_denied(answer.passage, ours):
            return f"says {reply.passage.quote(place, place)!r}"
    return ""


def _is_denied(passage: Passage, place: int) -> bool:
    return not NEGATORS.isdisjoint(passage.stems[max(0, place - _REACH) : place])


def lacks_label(reply: Answered, answer: Expected) -> str:
    """Return the first quoted label (`click 'Forgot password'`), if the reply has none of them; else empty."""
    if "'" not in answer.passage.folded and '"' not in answer.passage.folded:
        return ""
    labels = [label.strip() for label in _QUOTED.findall(answer.passage.folded)]
    lacking = [label for label in labels if label and label not in reply.passage.folded]
    return lacking[0] if labels and len(lacking) == len(labels) else ""
