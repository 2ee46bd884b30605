"""An attempt while it is being played: where it starts, what it has cost, and what it comes to: Play."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.benchmark import Exam
from proctor.failures import detail_of, said
from proctor.fault_injection import Tally
from proctor.run import Attempt, Failure, PendingAttempt, Resumed, Stage
from proctor.running.clock import ChargedAttempt
from proctor.score import Review
from proctor.transcript import InjectedLie, Transcript, Turn
from proctor.usage import Usage

_NOTHING = Usage()


@dataclass(slots=True)
class Play:
    """One attempt, under way."""

    exam: Exam
    attempt: Attempt
    turns: list[Turn]
    reviews: dict[int, tuple[Review, ...]]
    """By turn; 0 stands for the conversation."""
    conversation: str
    charged: ChargedAttempt
    """To whom time is charged in which it holds up the others."""
    started: float
    ended: str | None = None
    asked: bool = False
    resumed: Resumed = ""
    lost: Usage = _NOTHING
    """What failed tries have cost all the same, earlier sessions included."""
    fault_tally: Tally = field(default_factory=Tally)
    """How often the fault of its condition has happened."""
    stage: Stage = "agent"
    """Who was called last."""
    over: bool = False
    """Whether its end has been recorded."""
    restarts: int = 0
    """How often it went on in a new task because somebody had cancelled the old one."""

    def pay(self, spent: Usage) -> None:
        """Count what a failed try has cost."""
        self.lost += spent

    def give_up_reviews(self) -> None:
        """Drop the reviews, but not what they have cost."""
        self.lost += _usage((), self.reviews)
        self.reviews.clear()

    def usage(self) -> Usage:
        """All that it has cost so far."""
        return self.lost + _usage(self.turns, self.reviews)


def begin(pending: PendingAttempt, *, keeps_memory: bool) -> Play:
    """Where an attempt starts: from the beginning, or where it was cut off."""
    key, said = pending.attempt.key, pending.attempt.transcript
    started = time.time()
    play = Play(
        exam=pending.exam,
        attempt=pending.attempt,
        turns=list(said.turns),
        reviews=dict(pending.reviews),
        conversation=f"{key.run}/{key.exam}/{key.condition}/{key.trial}/{started:.6f}",
        started=pending.attempt.started or started,
        ended=said.ended,
        lost=pending.attempt.lost,
        charged=ChargedAttempt(key),
    )
    answered = len([turn for turn in said.turns if turn.reply is not None])
    if answered and _goes_on(pending.exam, said, answered):
        if keeps_memory:
            play.lost += _usage(said.turns, pending.reviews)
            play.turns, play.reviews = [], {}
            play.resumed = "replayed"
        else:
            play.resumed = "continued"
    return play


def strike_on(play: Play, fault: Mapping[str, Any]) -> None:
    """Count what an earlier session has met of a fault already, so that "fails twice" stays twice in a conversation.

    The replies tell it, if they tell their calls; a session that was not killed has noted it besides.
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
    """What an attempt that is not over has cost so far, whether it broke or was cut off."""
    return attempt.lost + _usage(attempt.transcript.turns, reviews)


def _goes_on(exam: Exam, said: Transcript, answered: int) -> bool:
    """Whether there is more to ask in this conversation."""
    return said.ended is None and (exam.open or answered < len(exam.cases))


def over(play: Play, failure: Failure | None, **marks: Any) -> Attempt:
    """An attempt that is over, with whatever marks it got."""
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
    """An attempt that is not over but cannot go on now, with what it has cost; `resume` takes it up again.

    Also one that is about to be replayed: what was said and judged before is no longer kept, but was paid.
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
    """How often the fault was met; who only judges what was said before knows no more than was known then."""
    if not play.attempt.key.condition:
        return None
    return play.fault_tally.met if play.asked or play.fault_tally.met else play.attempt.struck


def _judged_lie(play: Play) -> InjectedLie | None:
    """What the agent made of a lie; what was judged before stands where nobody was asked anything since."""
    if not play.asked:
        return play.attempt.lie
    if play.fault_tally.lie is None:
        return None
    from proctor.findings.run.reactions import react  # it reads language, which takes a while to load

    return react(play.fault_tally.lie, play.turns)


def our_bug(error: Exception) -> Failure:
    """The failure for an exception that only Proctor can be blamed for."""
    return Failure(
        stage="engine",
        owner="environment",
        reason=f"Proctor itself failed: {type(error).__name__}: {said(error)}",
        kind="bug",
        detail=detail_of(error),
    )


def _ended_by(play: Play, failure: Failure | None) -> str | None:
    return "agent" if failure is not None and failure.owner == "agent" else play.ended


def _usage(turns: Sequence[Turn], reviews: Mapping[int, Sequence[Review]]) -> Usage:
    """What the replies, the questions and the reviews cost."""
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
