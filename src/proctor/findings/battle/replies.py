"""How many replies of a conversation somebody judged, and whether they say anything: Replies. Needs no transcript."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proctor.benchmark import Exam
from proctor.run import Attempt


@dataclass(frozen=True, kw_only=True, slots=True)
class Replies:
    """The replies of one conversation, counted."""

    asked: int
    """Questions that stand in it; of a script that the agent's own failure cut short, all of them."""
    judged: int
    """Of them, those whose reply has a verdict; what the agent itself failed at is not passed."""
    passed: int
    """Of them, those that passed."""
    tested: bool
    """Whether more was judged than the reply to the seed question, or the agent itself failed."""
    lost: bool
    """Whether the environment broke it off."""

    @property
    def share(self) -> float | None:
        """The share of judged replies that passed; None: broken off, no test, or nothing judged."""
        return self.passed / self.judged if self.tested and self.judged and not self.lost else None


def replies_of(exam: Exam, attempt: Attempt) -> Replies:
    """Count the replies of a conversation."""
    given = [verdict for verdict in attempt.turn_passed if verdict is not None]
    crashed = attempt.outcome == "agent_failed"
    unasked = len(exam.cases) - len(attempt.turn_passed) if crashed and not exam.open else 0
    asked = max(len(attempt.turn_passed) + unasked, len(given) + crashed)
    return Replies(
        asked=asked,
        judged=min(asked, len(given) + 1 + unasked) if crashed else len(given),
        passed=sum(given),
        tested=not exam.open or is_test(attempt),
        lost=attempt.outcome == "environment_failed",
    )


def is_test(attempt: Attempt) -> bool:
    """Whether the conversation of a seed question put its agent to the test: it broke, or a later reply was judged.

    Where one turn was all that was wanted, the seed question is the test.
    """
    wanted_so = len(attempt.turn_passed) == 1 and attempt.transcript.ended == "turns"
    judged = any(verdict is not None for verdict in attempt.turn_passed[1:])
    return judged or wanted_so or attempt.outcome == "agent_failed"


def as_counted(exam: Exam, attempt: Attempt) -> Attempt:
    """The attempt without verdict and marks where it is no test, as one that was stored by older rules may be."""
    if not attempt.finished or not exam.open or is_test(attempt):
        return attempt
    kept = tuple(score for score in attempt.scores if score.of != "agent")
    return replace(attempt, passed=None, scores=kept)
