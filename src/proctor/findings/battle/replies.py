"""Count judged replies of a conversation and whether it was a real test: Replies. Needs no transcript."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proctor.benchmark import Exam
from proctor.run import Attempt


@dataclass(frozen=True, kw_only=True, slots=True)
class Replies:
    """Counts of the replies in one conversation."""

    asked: int
    """Number of questions, without those unanswered because the agent itself failed."""
    judged: int
    """Number of those whose reply has a verdict."""
    passed: int
    """Number of those that passed."""
    unanswered: int
    """Questions at which the agent itself failed, and the rest of a script; not passed."""
    tested: bool
    """Whether it was a real test: more was judged than the reply to the seed question, or the agent itself failed."""
    lost: bool
    """Whether the environment interrupted it."""

    @property
    def counted(self) -> int:
        """Denominator of the share: judged replies plus unanswered questions."""
        return self.judged + self.unanswered

    @property
    def share(self) -> float | None:
        """Share that passed; None if interrupted, no real test, or nothing was judged."""
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
    """Whether a conversation tested the agent beyond the seed question: it failed, or a later reply was judged."""
    return any(verdict is not None for verdict in attempt.turn_passed[1:]) or attempt.outcome == "agent_failed"


def judged_seed_alone(attempt: Attempt) -> bool:
    """Whether the conversation has no verdict because nothing was judged in it but the reply to its seed question."""
    over = attempt.finished and attempt.failure is None and attempt.passed is None
    undecided = attempt.unscored or any(check.passed is None for check in attempt.checks)
    return over and not undecided and attempt.turn_passed[:1] not in ((), (None,)) and not is_test(attempt)


def as_counted(exam: Exam, attempt: Attempt) -> Attempt:
    """Remove verdict and scores if the attempt was no real test, as stored by older versions.

    Scores of an attempt interrupted by the environment are removed too: it is excluded, and `resume` plays it to its
    end.
    """
    lost = attempt.outcome == "environment_failed" and bool(attempt.scores)
    if not lost and (not attempt.finished or not exam.open or is_test(attempt)):
        return attempt
    kept = tuple(score for score in attempt.scores if score.of != "agent")
    return replace(attempt, passed=None, scores=kept)
