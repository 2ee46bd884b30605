"""State of an attempt being played: where it starts, what it has cost, and its resulting Attempt: Play."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.benchmark import Exam
from proctor.failures import detail_of, short_message
from proctor.fault_injection import Tally
from proctor.run import Attempt, Failure, PendingAttempt, Resumed, Stage
from proctor.running.clock import ChargedAttempt
from proctor.score import Review
from proctor.transcript import InjectedLie, Transcript, Turn
from proctor.usage import Usage

_NOTHING = Usage()


@dataclass(slots=True)
class Play:
    """State of an attempt being played."""

    exam: Exam
    attempt: Attempt
    turns: list[Turn]
    reviews: dict[int, tuple[Review, ...]]
    """Turn → reviews; 0 for the whole conversation."""
    conversation: str
    charged: ChargedAttempt
    """Charged for time in which the attempt blocks the event loop."""
    started: float
    ended: str | None = None
    asked: bool = False
    resumed: Resumed = ""
    lost: Usage = _NOTHING
    """Usage of failed tries, including earlier sessions."""
    fault_tally: Tally = field(default_factory=Tally)
    """How often the fault of its condition has occurred."""
    stage: Stage = "agent"
    """Role that was called last."""
    over: bool = False
    """Whether its end has been recorded."""
    restarts: int = 0
    """How often it continued in a new task because the old one had been cancelled."""

    def pay(self, spent: Usage) -> None:
        """Add the usage of a failed try."""
        self.lost += spent

    def give_up_reviews(self) -> None:
        """Discard the reviews, but keep their usage."""
        self.lost += _usage((), self.reviews)
        self.reviews.clear()

    def usage(self) -> Usage:
        """Return the total usage so far."""
        return self.lost + _usage(self.turns, self.reviews)


def begin(pending: PendingAttempt, *, keeps_memory: bool) -> Play:
    """Start an attempt from the beginning, or from where it was interrupted."""
    key, transcript = pending.attempt.key, pending.attempt.transcript
    started = time.time()
    play = Play(
        exam=pending.exam,
        attempt=pending.attempt,
        turns=list(transcript.turns),
        reviews=dict(pending.reviews),
        conversation=f"{key.run}/{key.exam}/{key.condition}/{key.trial}/{started:.6f}",
        started=pending.attempt.started or started,
        ended=transcript.ended,
        lost=pending.attempt.lost,
        charged=ChargedAttempt(key),
    )
    answered = len([turn for turn in transcript.turns if turn.reply is not None])
    if answered and _goes_on(pending.exam, transcript, answered):
        if keeps_memory:
            play.lost += _usage(transcript.turns, pending.reviews)
            play.turns, play.reviews = [], {}
            play.resumed = "replayed"
        else:
            play.resumed = "continued"
    return play


def strike_on(play: Play, fault: Mapping[str, Any]) -> None:
    """Restore the fault counters from earlier sessions, so that "fails twice" remains twice per conversation.

    Counts are taken from the calls in the replies, or from the stored attempt if that has more.
    """
    for turn in play.turns:
        if turn.reply is None:
            continue
        calls, steps = turn.reply.tool_calls, turn.reply.steps
        play.fault_tally.calls += len(calls)
        play.fault_tally.tokens += (
            turn.reply.usage.input_tokens + turn.reply.usage.output_tokens if turn.reply.usage else 0
        )
        play.fault_tally.hits += sum(call.name == fault.get("tool") for call in calls)
        play.fault_tally.hits += sum(step.kind == "delegate" and step.agent == fault.get("sub_agent") for step in steps)
    play.fault_tally.hits = max(play.fault_tally.hits, play.attempt.struck or 0)
    play.fault_tally.lie = play.attempt.lie


def paid_for(attempt: Attempt, reviews: Mapping[int, Sequence[Review]]) -> Usage:
    """Return the usage so far of an attempt that is not over, whether it failed or was interrupted."""
    return attempt.lost + _usage(attempt.transcript.turns, reviews)


def _goes_on(exam: Exam, transcript: Transcript, answered: int) -> bool:
    """Whether the conversation has more questions to ask."""
    return transcript.ended is None and (exam.open or answered < len(exam.cases))


def over(play: Play, failure: Failure | None, **marks: Any) -> Attempt:
    """Build the finished Attempt, with its scores and verdicts."""
    before = play.attempt.failure
    if failure is not None and failure.owner == "environment" and before is not None:
        failure = replace(failure, setbacks=before.setbacks)
    return Attempt(
        key=play.attempt.key,
        place=play.attempt.place,
        transcript=Transcript(turns=tuple(play.turns), ended=_ended_by(play, failure)),
        failure=failure,
        resumed=play.resumed,
        finished=True,
        usage=play.usage(),
        lost=play.lost,
        seconds=_seconds(play.turns),
        first_token=_first_token(play.turns),
        struck=_met(play),
        lie=_judged_lie(play),
        cut_off=_cut_off(play.turns),
        changed=play.attempt.changed,
        started=play.started,
        ended=time.time(),
        **marks,
    )


def cut_off(play: Play) -> Attempt:
    """Build the Attempt, with its usage, of an attempt that is interrupted; `resume` continues it.

    Also used for one that is about to be replayed: earlier turns and reviews are discarded, but were paid for.
    """
    return Attempt(
        key=play.attempt.key,
        place=play.attempt.place,
        transcript=Transcript(turns=tuple(play.turns), ended=play.ended),
        failure=play.attempt.failure,
        resumed=play.resumed,
        usage=play.usage(),
        lost=play.lost,
        seconds=_seconds(play.turns),
        first_token=_first_token(play.turns),
        struck=_met(play),
        lie=play.fault_tally.lie,
        cut_off=_cut_off(play.turns),
        changed=play.attempt.changed,
        started=play.started,
        ended=time.time(),
    )


def _met(play: Play) -> int | None:
    """Return how often the fault was hit; when stored replies are only judged again, the stored count is kept."""
    if not play.attempt.key.condition:
        return None
    return play.fault_tally.met if play.asked or play.fault_tally.met else play.attempt.struck


def _judged_lie(play: Play) -> InjectedLie | None:
    """Return the agent's reaction to a false tool result; the stored one is kept if nothing was asked since."""
    if not play.asked:
        return play.attempt.lie
    if play.fault_tally.lie is None:
        return None
    from proctor.findings.run.reactions import react  # imported late: loading its language data takes a while

    return react(play.fault_tally.lie, play.turns)


def our_bug(error: Exception) -> Failure:
    """Return the failure for an exception caused by a bug in Proctor."""
    return Failure(
        stage="engine",
        owner="environment",
        reason=f"Proctor itself failed: {type(error).__name__}: {short_message(error)}",
        kind="bug",
        detail=detail_of(error),
    )


def _ended_by(play: Play, failure: Failure | None) -> str | None:
    return "agent" if failure is not None and failure.owner == "agent" else play.ended


def _usage(turns: Sequence[Turn], reviews: Mapping[int, Sequence[Review]]) -> Usage:
    """Return the total usage of replies, examiner questions and reviews."""
    total = _NOTHING
    for turn in turns:
        if turn.reply is not None and turn.reply.usage is not None:
            total += turn.reply.usage
        if turn.examiner_usage is not None:
            total += turn.examiner_usage
    for given in reviews.values():
        for review in given:
            if review.usage is not None:
                total += review.usage
    return total


def _cut_off(turns: Sequence[Turn]) -> int:
    return len([turn for turn in turns if turn.reply is not None and turn.reply.cut_off])


def _first_token(turns: Sequence[Turn]) -> float | None:
    times = [turn.reply.first_token for turn in turns if turn.reply is not None]
    known = [time for time in times if time is not None]
    return sum(known) / len(known) if known else None


def _seconds(turns: Sequence[Turn]) -> float | None:
    times = [seconds for turn in turns if (seconds := turn.seconds) is not None]
    return sum(times) if times else None
