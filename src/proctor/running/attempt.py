"""One attempt: ask, answer, review, turn by turn, and say what happened as records."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.errors import Misconfigured
from proctor.roles import Agent, Reviewer
from proctor.run import Attempt, Failure, Finished, Record, Reviewed, Settings, Sitting, Turned
from proctor.running import verdict
from proctor.running.calls import Broken, Patience, call
from proctor.score import CheckResult, Contradiction, Review, Score, Unscored
from proctor.transcript import Reply, Request, Transcript, Turn
from proctor.usage import Usage

_NOTHING = Usage()


@dataclass(slots=True)
class _Play:
    """An attempt while it is being played."""

    exam: Exam
    attempt: Attempt
    turns: list[Turn]
    reviews: dict[int, tuple[Review, ...]]
    conversation: str
    started: float
    asked: bool = False
    lost: Usage = _NOTHING
    """What failed tries have cost all the same, earlier sittings included."""

    def pay(self, spent: Usage) -> None:
        self.lost += spent


class Player:
    """Plays attempts with one agent and its reviewers. Keeps nothing between attempts."""

    def __init__(
        self, *, agent: Agent, reviewers: Sequence[Reviewer], settings: Settings, emit: Callable[[Record], None]
    ) -> None:
        self._agent = agent
        self._reviewers = tuple(reviewers)
        self._names = tuple(reviewer.name for reviewer in reviewers)
        self._settings = settings
        self._emit = emit
        self._patience = Patience(
            timeout=settings.timeout, retries=settings.retries, agent_retries=settings.retry_agent_failures
        )

    async def play(self, sitting: Sitting) -> Failure | None:
        """Play to the end, or to a failure, which is returned after it has been recorded."""
        play = _begin(sitting)
        try:
            await self._converse(play)
            result = self._result(play, None)
        except Misconfigured:
            raise
        except Broken as broken:
            result = self._result(play, broken.failure)
        except Exception as error:  # our own bug must not take the run down, nor count against the agent
            play.reviews.clear()
            result = _attempt(play, _our_bug(error))
        finally:
            if play.asked:
                await self._agent.forget(play.conversation)
        self._emit(Finished(attempt=result))
        return result.failure

    async def _converse(self, play: _Play) -> None:
        cases = play.exam.cases
        for number, case in enumerate(cases, 1):
            turn = play.turns[number - 1] if number <= len(play.turns) else None
            if turn is None or turn.reply is None:
                turn = await self._ask(play, case, number)
            if number not in play.reviews:
                play.reviews[number] = await self._review(play, case, number)
                if number < len(cases):
                    self._emit(Reviewed(key=play.attempt.key, turn=number, reviews=play.reviews[number]))

    async def _ask(self, play: _Play, case: Case, number: int) -> Turn:
        """Put one question to the agent and record its reply."""
        key = play.attempt.key
        request = Request(
            question=case.question,
            conversation=play.conversation,
            context=case.context,
            history=tuple(play.turns[: number - 1]),
            case=case.id,
            turn=number,
            trial=key.trial,
            condition=key.condition or None,
        )
        play.asked = True
        started, clock = time.time(), time.perf_counter()
        reply: Reply | None = None
        try:
            reply = await call("agent", lambda: self._agent.reply(request), self._patience, turn=number, pay=play.pay)
        finally:
            ended = started + time.perf_counter() - clock
            turn = Turn(number=number, question=case.question, reply=reply, case=case.id, started=started, ended=ended)
            play.turns[number - 1 :] = [turn]
            self._emit(Turned(key=key, turn=turn))
        return turn

    async def _review(self, play: _Play, case: Case, number: int) -> tuple[Review, ...]:
        """Every reviewer's word on one reply. The reply is recorded already and is not asked for again."""
        turns = play.turns[:number]
        seen = case if self._settings.context_given or case.context is None else replace(case, context=None)
        reviews = []
        for reviewer in self._reviewers:
            make = partial(_reviewed, reviewer, seen, turns)
            reviews.append(await call("reviewer", make, self._patience, turn=number, pay=play.pay))
        return tuple(reviews)

    def _result(self, play: _Play, failure: Failure | None) -> Attempt:
        """The finished attempt: marks, verdict, usage and time."""
        scores: list[Score] = []
        missing: list[Unscored] = []
        checks: list[CheckResult] = []
        contradictions: list[Contradiction] = []
        passed: list[bool | None] = []
        for turn, case in zip(play.turns, play.exam.cases, strict=False):
            reviews = play.reviews.get(turn.number)
            if reviews is None:
                passed.append(None)
                continue
            pairs = zip(self._names, reviews, strict=False)
            given, lacking = verdict.marks(pairs, turn=turn.number, settings=self._settings)
            checked = [check for review in reviews for check in review.checks]
            against = [contradiction for review in reviews for contradiction in review.contradictions]
            passed.append(
                verdict.turn_passes(case, given, lacking, checked, against, threshold=self._settings.passing_score)
            )
            scores += given
            missing += lacking
            checks += checked
            contradictions += against
        return _attempt(
            play,
            failure,
            scores=tuple(scores),
            unscored=tuple(missing),
            checks=tuple(checks),
            contradictions=tuple(contradictions),
            turn_passed=tuple(passed),
            passed=_passed(passed, failure),
        )


async def _reviewed(reviewer: Reviewer, case: Case, turns: Sequence[Turn]) -> Review:
    review = await reviewer.review(case, turns)
    if not isinstance(review, Review):
        raise TypeError(f"the reviewer {reviewer.name!r} returned a {type(review).__name__}; expected a proctor.Review")
    return review


def _begin(sitting: Sitting) -> _Play:
    key = sitting.attempt.key
    started = time.time()
    turns = list(sitting.attempt.transcript.turns)
    conversation = f"{key.run}/{key.exam}/{key.condition}/{key.trial}/{started:.6f}"
    return _Play(
        exam=sitting.exam,
        attempt=sitting.attempt,
        turns=turns,
        reviews=dict(sitting.reviews),
        conversation=conversation,
        started=sitting.attempt.started or started,
        lost=sitting.attempt.usage - _usage(turns, sitting.reviews) if sitting.attempt.usage else _NOTHING,
    )


def _attempt(play: _Play, failure: Failure | None, **marks: Any) -> Attempt:
    """An attempt that is over, with whatever marks it got."""
    return Attempt(
        key=play.attempt.key,
        place=play.attempt.place,
        transcript=Transcript(turns=tuple(play.turns), ended=_ended(failure)),
        failure=failure,
        finished=True,
        usage=play.lost + _usage(play.turns, play.reviews),
        seconds=_seconds(play.turns),
        started=play.started,
        ended=time.time(),
        **marks,
    )


def _our_bug(error: Exception) -> Failure:
    return Failure(
        stage="engine",
        owner="environment",
        reason=f"Proctor itself failed: {type(error).__name__}: {error}",
        detail="".join(traceback.format_exception(error))[-4000:],
    )


def _ended(failure: Failure | None) -> str | None:
    if failure is None:
        return "script"
    return "agent" if failure.owner == "agent" else None


def _passed(turns: Sequence[bool | None], failure: Failure | None) -> bool | None:
    """The agent's own failure is not passed; the environment's leaves it undecided."""
    if failure is not None:
        return False if failure.owner == "agent" else None
    return verdict.attempt_passes(turns)


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


def _seconds(turns: Sequence[Turn]) -> float | None:
    times = [seconds for turn in turns if (seconds := turn.seconds) is not None]
    return sum(times) if times else None
