"""Example labels: a careful reader's verdicts on the librarian's replies to the thirty questions."""

from __future__ import annotations

import random
from collections.abc import Sequence

from proctor.run import Attempt

COUNT = 50
WHO = "example"
"""Author of the labels, named so that nobody takes them for human ones."""
_UNLIKE_THE_JUDGE = {
    "When does the office open?": (False, "there are three offices, and it does not ask which one is meant"),
    "How many parking spaces are there?": (False, "it answers for Bergen alone, and does not say so"),
}
"""Question → verdict and note where the reader disagrees with the embedded reviewer."""
_FOLLOWS = "an example label, which follows the embedded reviewer"


def sample_attempts(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Draw up to fifty attempts with a verdict, always the same; several may belong to one case."""
    judged = [attempt for attempt in attempts if attempt.passed is not None and attempt.failure is None]
    order = list(range(len(judged)))
    random.Random(WHO).shuffle(order)
    return [judged[place] for place in sorted(order[:COUNT])]


def label(attempt: Attempt) -> tuple[bool, str]:
    """Return the reader's verdict on a reply, and a note."""
    question = attempt.transcript.turns[0].question
    return _UNLIKE_THE_JUDGE.get(question, (bool(attempt.passed), _FOLLOWS))
