"""The verdict of the rules on a reply, and the score from which it counts as right."""

from __future__ import annotations

from typing import Literal, NamedTuple

from proctor.reading.expected import Expected

PASSING = 0.7
"""Minimum score for a rule to call a reply right."""
WRONG_FACT = 0.45
"""Minimum score of the facts: below it an answer is wrong, whatever words it shares."""
MOST_WITHOUT_FACT = 0.3
Form = Literal["words", "facts", "list", "yes_no", "same", "declined"]


class Verdict(NamedTuple):
    """The score of a reply, from 0 to 1, with an explanation."""

    value: float
    explanation: str
    refuted: bool = False
    """Whether the reply is certainly wrong, whatever words it shares."""
    found: float = 0.0
    """Score of the words and facts, before the stance of the reply is considered."""
    factor: float = 1.0
    """Factor for that score due to the stance of the reply."""
    first: int = -1
    """Position of the first matching word, or -1."""
    form: Form = "words"
    answer: Expected | None = None
    """The spelling of the expected answer that matches best."""
    doubtful: bool = False
    """Whether something may reverse the reply, so that it should be reviewed."""
