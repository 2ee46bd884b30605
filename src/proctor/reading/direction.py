"""Determine the direction of a question: doer or object, in or out, the longest day or the longest year."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stem, words

Role = Literal["doer", "done to", ""]
"""The role that a question asks for, if its grammar shows it: `which team beat Lyon`, `which team did Lyon beat`."""

_WH = r"(?:who|whom|which|what)"
_BE = r"(?:is|are|was|were|being|been|be|gets?|got)"
_SMALL = r"(?:in|on|at|from|to|for|of|with|since|under|about|after|against|into|over|through)"
_BY_WHOM = lazy(rf"\bby {_WH}\b|\b{_BE}\b[^?]* by\W*$")
_LED_UP_TO = lazy(rf"\b{_SMALL} (?:{_WH}|whose)\b|\b{_SMALL}\W*$")
_DONE_BY = lazy(rf"\b{_WH}(?: [\w'-]+){{0,3}}? {_BE} (?:[\w'-]+ ){{1,3}}by (?!\w+ing\b)")
_DOES = lazy(
    rf"\b{_WH}(?: [\w'-]+){{0,2}}? (?:do|does|did)(?! (?:it|the one|this|that)\W*$)(?! (?:i|we|you|one|people)\b)\b"
)
_HAS_DONE = lazy(
    rf"\b{_WH}(?: [\w'-]+){{0,2}}? (?:has|have|had) (?!been\b|ever\b|already\b|just\b|never\b|\w+ly\b|\w+ed\b)"
    r"(?:the |an? |your |our |his |her |their )?[\w'-]+ (?!to\b)\w+(?:ed|en|ght|wn|ost|aid|ade|ent|eld|ept|on|un)\b"
)
_PASSIVE = lazy(
    r"\b(?:what|which)(?: [\w'-]+){0,2}? (?:is|are|was|were|has been|have been) (?:\w+ly )?"
    r"[\w'-]+(?:ed|[^ev]en|wn|ung|old|ught|ost|aid|ade|ent|eld|ept)\b"
)
_OWNED = lazy(r"\b([\w-]+?)(?:'s|s') ([\w-]+)|\b([\w-]+) of (?:the |an? |his |her |their |our )?([\w-]+)")
_WHOSE = lazy(r"\bwhose ([\w-]+) (?:is|was|are|were) (?:the |an? |his |her |their |our )?([\w-]+)")
_PLAIN = lazy(rf"\W*(?:(?:and|so|but|then) )?{_WH} ")
_HELPING = lazy(
    r"\b(?:do|does|did|is|are|was|were|am|be|been|has|have|had|can|could|will|would|shall|should|may|might|must)\b"
)
_PARTICLE = lazy(
    r"\b(off|out|up|down|away|back|over)\b|\b(in|on)(?= (?:for|during|when|while|with|from|by|at|in|on|after|before)\b"
    r"|\W*$|,)|\b(?:get|gets|got|put|puts|log|turn|turns|switch|go|come|step|hop) (in|on)\b"
)
_APART = (
    {"up", "down"},
    {"in", "out"},
    {"in", "off"},
    {"on", "off"},
    {"in", "away"},
    {"away", "back"},
    {"out", "back"},
)
_LIGHT_APART = tuple(
    frozenset(map(stem, pair.split()))
    for pair in (
        "give take", "give get", "give receive", "come go", "come leave", "enter leave", "enter exit", "send receive",
        "send get", "bring take", "put take", "keep give", "find put", "stay go", "stay leave",
    )
)  # fmt: skip
_GIVEN = lazy(r"\b(?:am|are|is|was|were|be|been|being|i'm|they're|you're|we're|get|gets) (?:[\w'-]+ ){0,3}?given\b")
_SUPERLATIVE = lazy(r"\b(?:most|least|(?!interest|for|at|near)[a-z]{2,}[a-z]est|best|worst|first|last)\b")
_SPAN = lazy(
    r"(?<!what )(?<!which )(?<!many )(?<!per )(?<!each )(?<!every )\b(day|week|month|year|hour|minute|second|night)s?\b"
)


class Direction(NamedTuple):
    """The features of a question that distinguish opposite directions."""

    role: Role
    particles: frozenset[str]
    """Particles that change the meaning of a verb: take in, give off."""
    light: frozenset[str]
    """Stems of its light verbs that have an opposite: give, take."""
    most: frozenset[str]
    """Units of time in a superlative question: the shortest day."""
    owned: frozenset[tuple[str, str]]
    """Pairs (owner, owned): the patient's doctor."""


def direction_of(asked: str) -> Direction:
    """Return the direction of a normalised question."""
    found = _PARTICLE.finditer(asked)
    return Direction(
        role=_role(asked),
        particles=frozenset(match[match.lastindex or 0] for match in found),
        light=frozenset(words(_GIVEN.sub("get", asked))) & _LIGHT,
        most=frozenset(match[1] for match in _SPAN.finditer(asked)) if _SUPERLATIVE.search(asked) else frozenset(),
        owned=frozenset(_find_owners(asked)),
    )


def _find_owners(asked: str) -> Iterator[tuple[str, str]]:
    for match in _OWNED.finditer(asked):
        owner, thing = (match[1], match[2]) if match[1] else (match[4], match[3])
        yield stem(owner), stem(thing)
    for match in _WHOSE.finditer(asked):
        yield stem(match[1]), stem(match[2])


_LIGHT = frozenset().union(*_LIGHT_APART)


def apart(one: Direction, other: Direction) -> bool:
    """Whether two similarly worded questions ask in opposite directions."""
    if {one.role, other.role} == {"doer", "done to"} or one.most != other.most:
        return True
    if any((thing, owner) in other.owned for owner, thing in one.owned):
        return True
    return _are_apart(one.particles, other.particles, _APART) or _are_apart(one.light, other.light, _LIGHT_APART)


def _are_apart(one: frozenset[str], other: frozenset[str], pairs: tuple[set[str] | frozenset[str], ...]) -> bool:
    first_only, second_only = one - other, other - one
    return any({first, second} in pairs for first in first_only for second in second_only)


def _role(asked: str) -> Role:
    if _BY_WHOM.search(asked):
        return "doer"
    if _LED_UP_TO.search(asked):
        return ""
    if _DONE_BY.search(asked) or _DOES.search(asked) or _HAS_DONE.search(asked) or _PASSIVE.search(asked):
        return "done to"
    return "doer" if _PLAIN.match(asked) and not _HELPING.search(asked) else ""
