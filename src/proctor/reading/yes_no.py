"""A yes or a no held to the expected one, with what was expected beside it."""

from __future__ import annotations

from proctor.reading.expected import Answered, Expected
from proctor.reading.facts import facts_met
from proctor.reading.lexicon import akin
from proctor.reading.polarity import Said, says
from proctor.reading.question import Asked
from proctor.reading.reversal import reversed_sense
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import find_negation
from proctor.reading.text.overlap import STOP
from proctor.reading.verdict import MOST_WITHOUT_FACT, WRONG_FACT, Verdict

_UNDECIDED = 0.4
_MEANT_YES, _MEANT_NO, _STRAY_NO, _WEAKLY_MEANT, _ASSUMED = 0.82, 0.86, 0.7, 0.72, 0.65
"""How often a yes or a no that is said in other words is read rightly, a no without a word of the question, one of
which little more is said than what was asked about: as measured on the halves of our own sets that were kept aside.
A yes that is only not denied is right in two of three there, which is too little to pass."""
_WEAKLY_OTHERWISE = 0.4
"""For what is read so weakly as another answer that somebody should look at it."""
_IN_OTHER_WORDS = 6
"""From so many words on a reply that has none of the question's may answer it all the same."""
_OF_THE_SAME = lazy(r"\b(?:it|its|it's|they|them|their|he|she|that|this|there|you|your|we|our)\b|\d")
"""Words by which a sentence goes on with what was asked, or figures that answer it."""


def yes_or_no(reply: Answered, asked: Asked, answer: Expected) -> Verdict | None:
    """Whether it is the expected one; None: the reply says neither, and is held to what is expected beside it."""
    said = says(reply.passage.text, asked)
    wanted = "yes" if answer.polarity else "no"
    if said.declined:
        return Verdict(0.0, "the reply does not answer", True)
    if said.yes is None and answer.rest is not None:
        return None
    if said.yes is None and not said.depends and _goes_on(reply):
        value = _ASSUMED if answer.polarity else _WEAKLY_OTHERWISE
        return Verdict(value, f"expected {wanted}, and nothing in the reply denies what was asked")
    if said.yes is None:
        why = "makes it depend on something" if said.depends else "says neither yes nor no"
        return Verdict(_UNDECIDED, f"expected {wanted}, but the reply {why}")
    found = "yes" if said.yes else "no"
    if said.yes != answer.polarity:
        value = 0.0 if said.outright else _WEAKLY_OTHERWISE if _is_unsure(said) else 1 - _how_surely(said)
        return Verdict(value, f"expected {wanted}, found {found}", said.outright)
    return _with_clause(reply, asked, answer, wanted, _how_surely(said))


def _how_surely(said: Said) -> float:
    """How often such a yes or no is read rightly."""
    if said.outright:
        return 1.0
    if said.weak:
        return _WEAKLY_MEANT
    if said.yes:
        return _MEANT_YES
    return _STRAY_NO if said.stray else _MEANT_NO


def _is_unsure(said: Said) -> bool:
    """Whether so little speaks for it that it may well be the other."""
    return said.weak or (said.stray and not said.yes)


def _goes_on(reply: Answered) -> bool:
    """Whether a reply in other words than the question's speaks of what was asked: `We're here until 10.`"""
    passage = reply.passage
    return len(passage) >= _IN_OTHER_WORDS and _OF_THE_SAME.search(passage.folded) is not None


def _with_clause(reply: Answered, asked: Asked, answer: Expected, wanted: str, value: float) -> Verdict:
    """A yes or no as expected, with the facts that the expected answer adds to it."""
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
    """Whether a reply has a word of the condition that the expected answer puts to its yes or no, where it puts one."""
    if not _CONDITION.match(rest.passage.folded):
        return True
    told = [word for word in rest.weights if word not in STOP and word not in asked.content]
    met = [place for place, other in enumerate(reply.passage.stems) if any(akin(word, other) for word in told)]
    if rest.negative or "without" in (*rest.passage.stems, *reply.passage.stems):
        return not told or bool(met)
    return not told or any(find_negation(reply.passage, place, place) is None for place in met)
