"""Check whether a later exchange stays in scope: the same subject, with times and amounts within the earlier bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from proctor.reading.conflicts.agreement import is_more, measure_one_thing
from proctor.reading.conflicts.pair import Pair
from proctor.reading.expected import read_facts
from proctor.reading.inquiry import is_light
from proctor.reading.lexicon import akin
from proctor.reading.statement import Claim
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import words

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SERIES = (_MONTHS, _DAYS)
_SEASONS = {
    "winter": ("december", "january", "february"), "spring": ("march", "april", "may"),
    "summer": ("june", "july", "august"), "autumn": ("september", "october", "november"),
    "fall": ("september", "october", "november"), "weekend": ("saturday", "sunday"),
    "weekday": tuple(_DAYS[:5]), "christmas": ("december",), "easter": ("april",),
}  # fmt: skip
_TIME = "|".join((*_MONTHS, *_DAYS, *_SEASONS))
_NAMED = lazy(rf"\b({_TIME})s?\b(?! (?:i|you|we|one|they|he|she|be|not|have|it|cross|take|use|enter)\b)")
_LEADS_TO_MONTH = lazy(
    r"\b(?:in|of|from|to|until|till|since|between|and|early|late|mid|this|next|last|before|after|by) $"
)
_RANGE = lazy(rf"\b({_TIME})s? (?:and|to|till|until|through|-|–) ({_TIME})s?\b")
_BETWEEN = lazy(r"\b(?:between|from) $")
_RELATIVE = lazy(r"\b(?:tomorrow|yesterday|tonight|next (?:week|month|year)|last (?:week|month|year))\b")
_ALWAYS = lazy(
    r"\b(?:every day|daily|all (?:the )?year(?: round)?|all year|year[- ]round|always|at any time|any day|never"
    r"|seven days|24/7|round the clock|at all times|no exceptions?)\b"
)
_SUPPOSES = lazy(r"\b(?:if|suppose|supposing|unless|in case|imagine|assuming|provided|as long as)\b")
_IF_I = lazy(r"\bif (?:i|we)\b")
_CONDITION = lazy(
    r"\b(?:if|unless|as long as|provided|providing|except|only (?:if|when|with|for|on|in|from|until)|but (?:not|only)"
    r"|depends?|depending|in some cases|sometimes|usually|most|some|many|often|generally|mostly"
    r"|not (?:below|above|under|over))\b(?! i(?:'ve| have)\b)"
)
_ANOTHER = lazy(
    r"(?:(?:ok(?:ay)?|so|great|alright|all right|fine|right)\b[,.]? )*(?:and|what about|how about|what of)\b"
    r"(?! (?:if|when|what|which|who|how|why|where|is|are|does|do|can|will)\b)"
)
OF_THAT = lazy(
    r"(?:that|this)(?:'s|'d|'ll| is| was| would| will| isn't| wasn't| wouldn't| won't| does| doesn't| can| can't)\b"
)
QUOTED = lazy(r"(?<!\w)['\"‘“«](?:[^\s'\"”»]+ ){2,}[^\"”»]+?['\"’”»](?!\w)")
"""Match a quotation of three words or more, which are not the speaker's own."""
_NAME = lazy(r"(?<=[a-z,;'’] )(?!I\b)[A-Z][\w'’-]+")
_OF_ALL = lazy(r"\b(?:none of|no|all|all of|every|each|each of|any of) ((?:the |our |these |its |their )?[\w'-]+)")
_OTHERS = lazy(r"\b(?:the|our|your|all) others?\b|\bother (?:ones?|days|times)\b")
_OPENING = lazy(
    r"(?:(?:yes|no|well|but|and)\b,? )*(?:in|on|at|near|by|for|during|with|under|inside|outside|from"
    r"|before|after|above|below) ((?:the |an? |your |our |my )?[\w'-]+(?: [\w'-]+)?)"
)
"""Match the opening of a sentence that sets its scene: `near the shore, …`"""
_GRANTS = lazy(r"(?:your|the|that|his|her|their) (?:\w+ )?\w+ (?:is|was) (?:\w+ )?(?:right|correct)\b[^\w]*")
_SUBJECT = lazy(r"(?:(?:yes|no|well|sorry)\b,? )*(?:the |an? |your |our |my |his |her |their |such )?([\w'-]+)")
_LED = lazy(r"\b(?:in|on|at|near|by|for|with|inside|outside) ((?:the |an? |your |our |my |this |that )?[\w'-]+)")
_THEN = lazy(
    r"(?:then|in that case|if so|in this case),? (?:the|it|you|we|they|he|she|i|that|this|there|an?|your|our|my)\b"
)
"""Match a conclusion from what was just said: `Then it doesn't …`"""
_OTHER = lazy(r"\b(?:other|another|else|different|instead|besides|next one|second one|elsewhere)\b")


@lru_cache(maxsize=256)
def _fold(text: str) -> str:
    return fold(text, accents=False)


@lru_cache(maxsize=256)
def _quantities(folded: str) -> tuple[Quantity, ...]:
    return tuple(read_facts(folded).quantities)


@lru_cache(maxsize=1024)
def times_of(folded: str) -> frozenset[str]:
    """Return the months and days of the week that a text names; ranges and seasons are expanded."""
    return frozenset(_times_of(folded))


def _times_of(folded: str) -> Iterator[str]:
    for match in _RANGE.finditer(folded):
        if "and" not in match[0].split() or _BETWEEN.search(folded[: match.start()]):
            yield from _between(match[1], match[2])
    for match in _NAMED.finditer(folded):
        if match[1] != "may" or _LEADS_TO_MONTH.search(folded[: match.start()]):
            yield from _SEASONS.get(match[1], (match[1],))


def _between(first: str, last: str) -> Iterator[str]:
    for series in _SERIES:
        if first in series and last in series:
            start, end = series.index(first), series.index(last)
            yield from (series[at % len(series)] for at in range(start, end + 1 + (len(series) if end < start else 0)))


def is_always(folded: str) -> bool:
    """Whether a text is about all times."""
    return _ALWAYS.search(folded) is not None


def is_conditional(claim: Claim) -> bool:
    """Whether a sentence holds only under a condition or with exceptions."""
    return _CONDITION.search(claim.passage.folded) is not None


def keeps_to(pair: Pair, claim: Claim, *, amounts: bool = True, supposed: bool = False) -> bool:
    """Whether a sentence of the later reply, given its question, stays within the scope of the earlier answer.

    Without `amounts`, numbers in the question are ignored; with `supposed`, so are conditions about the speaker (`if I
    …`).
    """
    question = _fold(pair.said[1].question)
    if supposed:
        question = _IF_I.sub(" ", question)
    if _SUPPOSES.search(question) or _OTHER.search(question) or _OTHERS.search(claim.passage.folded):
        return False
    if is_of_what_came_later(pair, claim):
        return False
    if (names_another(pair) and not (supposed and _IF_I.search(pair.asked[1].asked))) or _sets_scene(pair, claim):
        return False
    if is_always(claim.passage.folded) and _shares_time(pair, claim):
        return True
    return _time_is_covered(pair, claim) and (not amounts or _amounts_are_covered(pair))


def is_of_what_came_later(pair: Pair, claim: Claim) -> bool:
    """Whether a sentence begins with what the later question introduced, or with `that`, and is therefore about it."""
    if OF_THAT.match(claim.body.folded):
        return True
    opening = _SUBJECT.match(_GRANTS.sub("", claim.body.folded))
    if _is_one_of_all(pair, pair.asked[1].stems):
        return False
    return any(word in pair.asked[1].stems for word in _new_words(opening[1] if opening else "", _spoken(pair)))


def _shares_time(pair: Pair, claim: Claim) -> bool:
    return not times_of(claim.passage.folded).isdisjoint(times_of(_fold(pair.said[0].reply)))


def _sets_scene(pair: Pair, claim: Claim) -> bool:
    """Whether a sentence is about a case of its own: `that`, or a place that it names or was asked about."""
    folded = claim.passage.folded
    if OF_THAT.match(claim.body.folded) or (_THEN.match(folded) and not _has_amounts(pair)):
        return True
    if pair.asked[1].kind == "where":
        return False  # then the place is the answer
    opening = _OPENING.match(folded)
    if _new_words(opening[1] if opening else "", _spoken(pair) | pair.asked[1].stems):
        return True
    led = (word for match in _LED.finditer(folded) for word in _new_words(match[1], _spoken(pair)))
    return any(word in pair.asked[1].stems for word in led)


def _new_words(text: str, known: frozenset[str]) -> list[str]:
    own = [word for word in words(text) if word not in STOP and not is_light(word) and not word[:1].isdigit()]
    return [word for word in own if not any(akin(word, other) for other in known)]


def _has_amounts(pair: Pair) -> bool:
    return bool(_quantities(_fold(pair.said[1].question)))


def names_another(pair: Pair) -> bool:
    """Whether the later question changes the subject: `And the charger?`, or a new name."""
    text = pair.said[1].question
    asked = _fold(text).strip()
    turned = _ANOTHER.match(asked)
    rest = words(asked[turned.end() :]) if turned else []
    new = [word for word in rest if word not in STOP and not is_light(word) and not word[:1].isdigit()]
    names = [word for match in _NAME.finditer(text) for word in words(_fold(match[0]))]
    known = _spoken(pair)
    apart = [word for word in (*new, *names) if not times_of(word) and not any(akin(word, other) for other in known)]
    return bool(apart) and not _is_one_of_all(pair, frozenset((*new, *names)) - frozenset(apart))


def _is_one_of_all(pair: Pair, met: frozenset[str]) -> bool:
    """Whether the later question is about a member of a group just mentioned: none of the cottages, Rose Cottage."""
    kinds = (word for match in _OF_ALL.finditer(_fold(pair.said[0].reply)) for word in words(match[1]))
    return any(akin(word, kind) for kind in kinds for word in met)


@lru_cache(maxsize=256)
def _exchange_words(question: str, reply: str) -> frozenset[str]:
    return frozenset(words(_fold(f"{question} {reply}")))


def _spoken(pair: Pair) -> frozenset[str]:
    return _exchange_words(*pair.said[0]) | pair.topic.stems


def _time_is_covered(pair: Pair, claim: Claim) -> bool:
    """Whether the times in the later exchange lie within those of the earlier one."""
    before = times_of(_fold(f"{pair.topic.asked} {pair.said[0].question} {pair.said[0].reply}"))
    later = _fold(f"{pair.said[1].question} {claim.text}")
    before_it = _fold(f"{pair.said[0].question} {pair.said[0].reply}")
    if not _relative_days(claim.passage.folded) <= _relative_days(before_it):
        return False
    after = times_of(later)
    if not before:
        return not after or is_always(_fold(pair.said[0].reply))
    return after <= before if after else is_always(claim.passage.folded)


def _relative_days(folded: str) -> frozenset[str]:
    return frozenset(match[0] for match in _RELATIVE.finditer(folded))


def _amounts_are_covered(pair: Pair) -> bool:
    """Whether each number in the later question occurred in the earlier exchange, or lies within a bound set there."""
    before = list(_quantities(_fold(f"{pair.topic.asked} {pair.said[0].reply}")))
    question = _fold(pair.said[1].question)
    after = (found for found in _quantities(question) if "-" not in question[found.start : found.end + 1])
    own = (found for found in after if found.dimension or found.value != 1)  # not real numbers: `one`, `two-line`
    return all(any(_covers(bound, found, pair) for bound in before) for found in own)


def _covers(bound: Quantity, found: Quantity, pair: Pair) -> bool:
    if bound.value == found.value and bound.dimension == found.dimension:
        return True
    if not (bound.dimension and found.dimension and measure_one_thing(bound, found)):
        return False
    lasting = re.search(r"\bfor (?:\w+ )?$", _fold(f"{pair.topic.asked} {pair.said[0].reply}")[: bound.start])
    if bound.bound == "low":
        return is_more(found, bound)
    return (bound.bound == "high" or lasting is not None) and not is_more(found, bound)
