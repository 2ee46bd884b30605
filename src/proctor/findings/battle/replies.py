"""How many replies of a conversation somebody judged, and whether they say anything: Replies. Needs no transcript."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proctor.benchmark import Exam
from proctor.run import Attempt


@dataclass(frozen=True, kw_only=True, slots=True)
class Replies:
    """The replies of one conversation, counted."""

    asked: int
    """Questions that stand in it, but for those that the agent's own failure left without a reply."""
    judged: int
    """Of them, those whose reply has a verdict."""
    passed: int
    """Of them, those that passed."""
    unanswered: int
    """What the agent itself failed at, and what of a script was not asked any more: not passed."""
    tested: bool
    """Whether more was judged than the reply to the seed question, or the agent itself failed."""
    lost: bool
    """Whether the environment broke it off."""

    @property
    def counted(self) -> int:
        """What the share is of: judged replies, and those that the agent's own failure took away."""
        return self.judged + self.unanswered

    @property
    def share(self) -> float | None:
        """The share of these that passed; None: broken off, no test, or nothing judged."""
        return self.passed / self.counted if self.tested and self.counted and not self.lost else None


def replies_of(exam: Exam, attempt: Attempt) -> Replies:
    """Count the replies of a conversation."""
    given = [verdict for verdict in attempt.turn_passed if verdict is not None]
    crashed = attempt.outcome == "agent_failed"
    unasked = len(exam.cases) - len(attempt.turn_passed) if crashed and not exam.open else 0
    wanted = max(len(attempt.turn_passed) + unasked, len(given) + crashed)
    unanswered = min(wanted - len(given), 1 + unasked) if crashed else 0
    return Replies(
        asked=wanted - unanswered,
        judged=len(given),
        passed=sum(given),
        unanswered=unanswered,
        tested=not exam.open or is_test(attempt),
        lost=attempt.outcome == "environment_failed",
    )


def is_test(attempt: Attempt) -> bool:
    """Whether the conversation of a seed question put its agent to the test: it broke, or a later reply was judged."""
    return any(verdict is not None for verdict in attempt.turn_passed[1:]) or attempt.outcome == "agent_failed"


def judged_seed_alone(attempt: Attempt) -> bool:
    """Whether the conversation has no verdict because nothing was judged in it but the reply to its seed question."""
    over = attempt.finished and attempt.failure is None and attempt.passed is None
    undecided = attempt.unscored or any(check.passed is None for check in attempt.checks)
    return over and not undecided and attempt.turn_passed[:1] not in ((), (None,)) and not is_test(attempt)


def as_counted(exam: Exam, attempt: Attempt) -> Attempt:
    """The attempt without verdict and marks where it is no test, as one that was stored by older rules may be.

    Nor has one marks that the environment broke off: it is out of n, and `resume` plays it to its end.
    """
    lost = attempt.outcome == "environment_failed" and bool(attempt.scores)
    if not lost and (not attempt.finished or not exam.open or is_test(attempt)):
        return attempt
    kept = tuple(score for score in attempt.scores if score.of != "agent")
    return replace(attempt, passed=None, scores=kept)
