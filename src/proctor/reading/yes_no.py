"""Judge a yes or no against the expected one, with any condition or fact expected beside it."""

from __future__ import annotations

from proctor.reading.expected import Answered, Expected
from proctor.reading.facts import facts_met
from proctor.reading.lexicon import akin
from proctor.reading.polarity import Said, read_polarity
from proctor.reading.question import Asked
from proctor.reading.reversal import reversed_sense
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import find_negation
from proctor.reading.text.overlap import STOP
from proctor.reading.verdict import MOST_WITHOUT_FACT, WRONG_FACT, Verdict

_UNDECIDED = 0.4
_MEANT_YES, _MEANT_NO, _STRAY_NO, _WEAKLY_MEANT, _ASSUMED = 0.82, 0.86, 0.7, 0.72, 0.65
"""Measured accuracy of an implied yes, no, no without words of the question, weak evidence, and no denial.

Measured on held-out halves of our own datasets. A yes that is merely not denied is right in two of three cases, which
is too little to pass.
"""
_WEAKLY_OTHERWISE = 0.4
"""Score of a different answer read from weak evidence: left undecided."""
_IN_OTHER_WORDS = 6
"""Minimum number of words for a reply without words of the question to count as an answer."""
_OF_THE_SAME = lazy(r"\b(?:it|its|it's|they|them|their|he|she|that|this|there|you|your|we|our)\b|\d")
"""Match words that refer back to the question, or digits that answer it."""


def yes_or_no(reply: Answered, asked: Asked, answer: Expected) -> Verdict | None:
    """Judge the yes or no of a reply; None if it has neither and the expected answer has more to compare."""
    stance = read_polarity(reply.passage.text, asked)
    wanted = "yes" if answer.polarity else "no"
    if stance.declined:
        return Verdict(0.0, "the reply does not answer", True)
    if stance.yes is None and answer.rest is not None:
        return None
    if stance.yes is None and not stance.depends and _goes_on(reply):
        value = _ASSUMED if answer.polarity else _WEAKLY_OTHERWISE
        return Verdict(value, f"expected {wanted}, and nothing in the reply denies what was asked")
    if stance.yes is None:
        why = "makes it depend on something" if stance.depends else "says neither yes nor no"
        return Verdict(_UNDECIDED, f"expected {wanted}, but the reply {why}")
    found = "yes" if stance.yes else "no"
    if stance.yes != answer.polarity:
        value = 0.0 if stance.outright else _WEAKLY_OTHERWISE if _is_unsure(stance) else 1 - _how_surely(stance)
        return Verdict(value, f"expected {wanted}, found {found}", stance.outright)
    return _with_clause(reply, asked, answer, wanted, _how_surely(stance))


def _how_surely(polarity: Said) -> float:
    """Return the measured accuracy of such a yes or no."""
    if polarity.outright:
        return 1.0
    if polarity.weak:
        return _WEAKLY_MEANT
    if polarity.yes:
        return _MEANT_YES
    return _STRAY_NO if polarity.stray else _MEANT_NO


def _is_unsure(polarity: Said) -> bool:
    """Whether the evidence is so weak that the opposite is well possible."""
    return polarity.weak or (polarity.stray and not polarity.yes)


def _goes_on(reply: Answered) -> bool:
    """Whether a reply without words of the question refers to it: `We're here until 10.`"""
    passage = reply.passage
    return len(passage) >= _IN_OTHER_WORDS and _OF_THE_SAME.search(passage.folded) is not None


def _with_clause(reply: Answered, asked: Asked, answer: Expected, wanted: str, value: float) -> Verdict:
    """Judge a matching yes or no together with the facts that the expected answer adds."""
    if not answer.facts and answer.rest is not None and not has_condition(reply, asked, answer.rest):
        return Verdict(_UNDECIDED, f"{wanted} as expected, without the condition that was expected beside it")
    facts = facts_met(reply, asked, answer) if answer.facts else None
    against = reversed_sense(reply, answer.rest) if answer.rest is not None else ""
    if against:
        return Verdict(MOST_WITHOUT_FACT, f"{wanted} as expected, but the reply {against}", True)
    if facts is not None and facts.value < WRONG_FACT:
        return Verdict(MOST_WITHOUT_FACT, f"{wanted} as expected, but {facts.explanation}", True)
    if answer.facts and facts is None:
        return Verdict(_UNDECIDED, f"{wanted} as expected, without what was expected beside it")
    return Verdict(value, f"expected {wanted}, found {wanted}")


_CONDITION = lazy(r"\W*(?:but|only|if|unless|except|provided|as long as|without|with|for)\b")


def has_condition(reply: Answered, asked: Asked, rest: Expected) -> bool:
    """Whether a reply mentions the condition of the expected answer, if it has one."""
    if not _CONDITION.match(rest.passage.folded):
        return True
    condition_words = [word for word in rest.weights if word not in STOP and word not in asked.content]
    met = [
        place for place, other in enumerate(reply.passage.stems) if any(akin(word, other) for word in condition_words)
    ]
    if rest.negative or "without" in (*rest.passage.stems, *reply.passage.stems):
        return not condition_words or bool(met)
    return not condition_words or any(find_negation(reply.passage, place, place) is None for place in met)
