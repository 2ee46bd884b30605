"""Measure how much of the expected reasoning a reply covers, and whether it is grounded in its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from proctor.reading.contradiction import contradiction
from proctor.reading.expected import Answered, Expected, read_answer, read_facts
from proctor.reading.question import understand
from proctor.reading.text.claims import claims
from proctor.reading.text.negation import NEGATIONS
from proctor.reading.text.overlap import content, coverage
from proctor.reading.text.passage import Passage, passage_of
from proctor.reading.verdict import Verdict

_ENOUGH = 0.6
"""Share of a point that counts as full coverage: nobody repeats every word."""
_OPPOSITE = 0.5
"""Factor applied if a point is negative and the reply has no negation."""
_WRONG_STEP = 0.6
"""Maximum score of a derivation with a wrong number."""
_WRONG_REASON = 0.6
"""Maximum score of reasons for a wrong answer."""
_BARE_BUT_RIGHT = 0.5
"""Score of a correct answer without any reason: a pass, but not full marks."""
_BARE_WORDS = 4
"""Maximum number of extra words in a reply that gives no reason."""
_NOT_RESTING = 0.4
"""Maximum score of a wrong answer for being grounded in its context."""
_ABOUT_THE_SAME = 0.5
_SHOWN = 60
_KEPT = 1024


@dataclass(frozen=True, slots=True)
class _Point:
    """A sentence of the expected text, with the weights of its words."""

    text: str
    weights: dict[str, float]
    """Weights of the words that the question does not contain, or of all words if it contains all."""
    negative: bool


def reason_given(question: str, answer: str, reasoning: str, reply: Answered, *, right: bool) -> Verdict:
    """Score how much of the expected reasoning a reply gives, by its words or by the numbers of the derivation."""
    if _is_bare(question, answer, reply):
        return Verdict(_BARE_BUT_RIGHT if right and answer else 0.0, "gives no reason")
    words = judge_coverage(question, reasoning, reply)
    derived = _judge_derivation(question, answer, reasoning, reply)
    best = words if derived is None or words.value >= derived.value else derived
    if derived is not None and derived.refuted:
        best = Verdict(min(best.value, _WRONG_STEP), derived.explanation)
    return best if right else best._replace(value=min(best.value, _WRONG_REASON))


def _is_bare(question: str, answer: str, reply: Answered) -> bool:
    """Whether a reply gives hardly more than its answer and the words of the question."""
    known = understand(question).words | set(passage_of(answer).stems)
    return len([word for word in reply.passage.stems if word not in known]) <= _BARE_WORDS and not _shows_work(
        answer, reply
    )


def _shows_work(answer: str, reply: Answered) -> bool:
    """Whether the reply contains numbers other than those of the answer."""
    own = {number.value for number in read_facts(passage_of(answer).folded).quantities}
    return any(number.value not in own for number in reply.facts.quantities)


def _judge_derivation(question: str, answer: str, reasoning: str, reply: Answered) -> Verdict | None:
    """Score how many numbers of the reasoning the reply gives, or return None if it has fewer than two."""
    wanted = {number.value for number in read_facts(passage_of(reasoning).folded).quantities}
    if len(wanted) < 2:
        return None
    found = {number.value for number in reply.facts.quantities}
    given = {number.value for text in (question, answer) for number in read_facts(passage_of(text).folded).quantities}
    steps = wanted - given or wanted
    share = len(steps & found) / len(steps)
    strange = found - wanted - given
    explanation = f"gives {len(steps & found)} of {len(steps)} numbers of the reasoning"
    return Verdict(
        share, explanation + (f", and {min(strange):g}, which is none of them" if strange else ""), bool(strange)
    )


def judge_coverage(question: str, expected: str, reply: Answered) -> Verdict:
    """Score how much of the expected text the reply covers: the mean over its sentences."""
    points = _points(question, expected)
    if not points:
        return Verdict(1.0, "nothing is expected")
    shares = [_share(point, reply) for point in points]
    mark = sum(shares) / len(shares)
    return Verdict(mark, _explain_mark(mark, points, shares))


def _explain_mark(mark: float, points: Sequence[_Point], shares: Sequence[float]) -> str:
    """Explain a coverage score, naming the point that was covered least."""
    least, point = min(zip(shares, points, strict=True), key=itemgetter(0))
    if len(points) == 1:
        return f"covers {100 * mark:.0f} % of {_short(point.text)!r}"
    text = f"covers {100 * mark:.0f} % of {len(points)} points"
    return text if least >= 1.0 else f"{text}; least {_short(point.text)!r} ({100 * least:.0f} %)"


# Context


def context_used(question: str, context: str, wanted: str, reply: Answered, *, right: bool | None) -> Verdict | None:
    """Score whether a reply is grounded in its context; 0 if it contradicts the context.

    Return None if the expected answer takes no words from the context beyond those of the question, and nothing is
    contradicted.
    """
    against = _against(question, context, reply)
    if against:
        return Verdict(0.0, f"says what the context excludes: {_short(against)!r}", True)
    needed = _needed_words(question, context, wanted)
    if not needed:
        return None
    missing = [word for word in needed if word not in reply.stems]
    explanation = f"uses {len(needed) - len(missing)} of {len(needed)} words that the answer needs from the context"
    if missing:
        explanation += f"; missing: {', '.join(missing[:5])}"
    share = min(1.0, coverage(needed, reply.stems) / _ENOUGH)
    if right:
        return Verdict(1.0, "gives the answer, which comes from the context" if missing else explanation)
    return Verdict(min(share, _NOT_RESTING) if right is False else share, explanation)


def _against(question: str, context: str, reply: Answered) -> str:
    """Return the sentence of the context that the reply contradicts; empty if there is none."""
    for sentence in _statements(question, context):
        shared = coverage(sentence.weights, reply.stems)
        if shared >= _ABOUT_THE_SAME and (contradiction(reply, sentence) or _denies(reply, sentence)):
            return sentence.text
    return ""


def _denies(reply: Answered, sentence: Expected) -> bool:
    """Whether the reply states without a negation a fact that the sentence of the context negates."""
    facts = sentence.facts
    if not sentence.negative or not (facts.dates or facts.quantities or facts.clocks):
        return False
    texts = [sentence.passage.cut(fact.start, fact.end).strip().lower() for fact in facts]
    return any(text in reply.passage.folded for text in texts) and NEGATIONS.isdisjoint(reply.stems)


@lru_cache(maxsize=_KEPT)
def _statements(question: str, context: str) -> tuple[Expected, ...]:
    return tuple(read_answer(question, sentence)[0] for sentence in claims(context))


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
def _needed_words(question: str, context: str, wanted: str) -> dict[str, float]:
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
