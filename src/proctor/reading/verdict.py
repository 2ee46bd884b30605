"""What the rules say of a reply: Verdict; and from which value on they call it right."""

from __future__ import annotations

from typing import Literal, NamedTuple

from proctor.reading.expected import Expected

PASSING = 0.7
"""From here on a rule calls a reply right."""
WRONG_FACT = 0.45
"""Under this share of its facts an answer is wrong, whatever words it shares."""
MOST_WITHOUT_FACT = 0.3
Form = Literal["words", "facts", "list", "yes_no", "same", "declined"]


class Verdict(NamedTuple):
    """How right a reply is, from 0 to 1, and why."""

    value: float
    explanation: str
    refuted: bool = False
    """Whether it is surely wrong, whatever words it shares."""
    found: float = 0.0
    """How well the words and facts are met, before how the reply stands by them."""
    factor: float = 1.0
    """What is left of that by how the reply stands by them."""
    first: int = -1
    """The place of the first matching word; -1: none."""
    form: Form = "words"
    """Of what form the expected answer is."""
    answer: Expected | None = None
    """The spelling of the expected answer that is met best."""
    doubtful: bool = False
    """Whether something in it may turn it round, so that somebody should look at it."""
