"""Coverage: how much of an expected text, sentence by sentence, a reply takes up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from proctor.reading.expected import Answered
from proctor.reading.question import understand
from proctor.reading.rules import Verdict
from proctor.text.claims import claims
from proctor.text.negation import NEGATIONS
from proctor.text.overlap import content, coverage
from proctor.text.passage import Passage

_ENOUGH = 0.75
"""Nobody repeats every word: who takes up this share of a point has made it."""
_OPPOSITE = 0.5
"""What is left where one of the two is negative and the other is not."""
_SHOWN = 60
_KEPT = 1024


@dataclass(frozen=True, slots=True)
class _Point:
    """One sentence of the expected text."""

    text: str
    weights: dict[str, float]
    """What the question does not say already, or all of it where it says everything."""
    negative: bool


def covered(question: str, expected: str, reply: Answered) -> Verdict:
    """How much of the expected text the reply covers: the mean over its sentences."""
    points = _points(question, expected)
    if not points:
        return Verdict(1.0, "nothing is expected")
    shares = [_share(point, reply) for point in points]
    mark = sum(shares) / len(shares)
    return Verdict(mark, _told(mark, points, shares))


def _told(mark: float, points: Sequence[_Point], shares: Sequence[float]) -> str:
    """The mark in words, with the point that was covered least."""
    least, point = min(zip(shares, points, strict=True), key=itemgetter(0))
    if len(points) == 1:
        return f"covers {100 * mark:.0f} % of {_short(point.text)!r}"
    told = f"covers {100 * mark:.0f} % of {len(points)} points"
    return told if least >= 1.0 else f"{told}; least {_short(point.text)!r} ({100 * least:.0f} %)"


def context_used(question: str, context: str, wanted: str, reply: Answered) -> Verdict | None:
    """How much the reply takes from the context of what the expected answer or reasoning takes from it.

    None: they take nothing that the question does not say, so that use of the context cannot be seen in words.
    """
    needed = _needed(question, context, wanted)
    if not needed:
        return None
    missing = [word for word in needed if word not in reply.stems]
    told = f"takes up {len(needed) - len(missing)} of {len(needed)} words that the answer owes to the context"
    if missing:
        told += f"; missing {', '.join(missing[:5])}"
    return Verdict(min(1.0, coverage(needed, reply.stems) / _ENOUGH), told)


@lru_cache(maxsize=_KEPT)
def _points(question: str, expected: str) -> tuple[_Point, ...]:
    asked = understand(question).content
    found = []
    for claim in claims(expected):
        passage = Passage(claim)
        weights = content(passage.folded)
        new = {word: value for word, value in weights.items() if word not in asked}
        if weights:
            found.append(_Point(claim, new or weights, not NEGATIONS.isdisjoint(passage.stems)))
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def _needed(question: str, context: str, wanted: str) -> dict[str, float]:
    asked = understand(question).content
    owed = content(Passage(wanted).folded)
    given = content(Passage(context).folded)
    return {word: value for word, value in given.items() if word in owed and word not in asked}


def _share(point: _Point, reply: Answered) -> float:
    share = min(1.0, coverage(point.weights, reply.stems) / _ENOUGH)
    opposite = point.negative and NEGATIONS.isdisjoint(reply.stems)
    return share * _OPPOSITE if opposite else share


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"
