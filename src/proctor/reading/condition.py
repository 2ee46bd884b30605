"""The condition that an expected yes or no comes with: `Yes, if the doctor agrees`."""

from __future__ import annotations

from proctor.reading.expected import Answered, Expected
from proctor.reading.lexicon import akin
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import find_negation
from proctor.reading.text.overlap import STOP

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
