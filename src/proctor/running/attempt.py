"""Play one attempt: ask, answer and review turn by turn, and emit records of what happened."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from proctor.benchmark import Case, Exam, Expectation
from proctor.codec.replies import to_reply
from proctor.codec.reviews import to_review
from proctor.errors import Misconfigured
from proctor.fault_injection import in_force
from proctor.findings.run.deciders import decides
from proctor.redaction.nouns import scrub_noun
from proctor.roles import Agent, Examiner, Reviewer
from proctor.run import Attempt, Failure, Finished, Owner, PendingAttempt, Record, Reviewed, Settings, Turned
from proctor.running.calls import Broken, Patience, call
from proctor.running.clock import CHARGED, LoopClock
from proctor.running.deadline import within
from proctor.running.play import Play, begin, cut_off, our_bug, over, strike_on
from proctor.running.result import case_of, result_of
from proctor.score import Review
from proctor.spending.run_limits import set_scope
from proctor.spending.self_reported import SelfReportedSpending
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage

_FAREWELL = 5.0
"""Seconds that an agent may take to forget a conversation."""


class Player:
    """Plays attempts with one agent, its reviewers and, in open exams, an examiner. Stateless between attempts."""

    def __init__(
        self,
        *,
        agent: Agent,
        reviewers: Sequence[Reviewer],
        settings: Settings,
        emit: Callable[[Record], None],
        stored: Callable[[], Awaitable[None]],
        room: Callable[[bool], Awaitable[None] | None],
        clock: LoopClock | None = None,
        cancelled_itself: Callable[[], bool] = lambda: False,
        examiner: Examiner | None = None,
        faults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """`emit` accepts a record, `stored` waits until all are on disk, `room` returns what to await before a call."""
        self._agent = agent
        self._examiner = examiner
        self._tells_conversation = _takes_conversation(examiner)
        self._reviewers = tuple(reviewers)
        self._free = tuple(map(asks_nobody, reviewers))
        others = reviewers[: len(reviewers) - len(settings.panel)]
        self._names = (*(reviewer.name for reviewer in others), *settings.panel)
        self._settings = settings
        self._has_limits = settings.conversation_tokens is not None or settings.conversation_seconds is not None
        self._emit = emit
        self._stored = stored
        self._room = room
        self._faults = faults or {}
        self._keeps_memory = _keeps_memory(agent)
        self._forgetters = tuple(_forgetters(agent, examiner))
        self._spending = SelfReportedSpending("the agent", settles=getattr(agent, "settles", False))
        self._patience = Patience(
            timeout=settings.timeout, retries=settings.retries, agent_retries=settings.retry_agent_failures,
            clock=clock, cancelled_itself=cancelled_itself,
        )  # fmt: skip

    def begin(self, pending: PendingAttempt) -> Play:
        """Prepare an attempt for `play`, from the start or from where it was interrupted."""
        play = begin(pending, keeps_memory=self._keeps_memory)
        if play.resumed == "replayed":
            self._emit(Finished(attempt=cut_off(play)))
        if play.turns and play.attempt.key.condition in self._faults:
            strike_on(play, self._faults[play.attempt.key.condition])
        return play

    async def play(self, play: Play) -> Failure | None:
        """Play to the end or to a failure, which is recorded and returned.

        A cancelled attempt can be played again: it continues where it stopped.
        """
        key = play.attempt.key
        play.charged.task = asyncio.current_task()
        CHARGED.set(play.charged)  # and the scope below: this task has a context of its own
        set_scope(case=key.exam, condition=key.condition or None, trial=key.trial)
        try:
            await self._converse(play)
            result = self._result(play, None)
        except Misconfigured:
            self.cut_off(play)
            raise
        except Broken as broken:
            result = self._result(play, broken.failure)
        except Exception as error:  # a bug in Proctor must not end the run, nor count against the agent
            play.give_up_reviews()
            result = over(play, our_bug(error))
        self._finish(play, result)
        if play.asked and self._forgetters:
            await self._forget(play.conversation)
        return result.failure

    def _result(self, play: Play, failure: Failure | None) -> Attempt:
        return result_of(play, failure, reviewers=self._names, settings=self._settings)

    def _finish(self, play: Play, result: Attempt) -> None:
        play.over = True
        self._emit(Finished(attempt=result))

    def cut_off(self, play: Play) -> None:
        """Record an interrupted attempt if it has cost anything, even if it has no result yet."""
        if play.usage():
            self._emit(Finished(attempt=cut_off(play)))

    def give_up(self, play: Play) -> Failure:
        """Record an attempt as failed whose task is cancelled each time it is played."""
        reason = f"the {play.stage} was cancelled {play.restarts + 1} times, but not by Proctor"
        owner: Owner = "agent" if play.stage == "agent" else "environment"
        failure = Failure(stage=play.stage, owner=owner, kind="cancelled", reason=reason)
        self._finish(play, self._result(play, failure))
        return failure

    async def _forget(self, conversation: str) -> None:
        """Let agent and examiner clean up, under a timeout; errors are ignored, as they cannot change the result."""
        for forget in self._forgetters:
            with contextlib.suppress(Exception):
                await within(_FAREWELL, _await_forget(forget, conversation))

    async def _converse(self, play: Play) -> None:
        single = len(play.exam.cases) == 1 and not play.exam.open
        number = 1
        while (turn := await self._next(play, number)) is not None:
            if turn.reply is None and turn.question:
                turn = await self._answer(play, turn)
            if number not in play.reviews:
                play.reviews[number] = () if turn.fault else await self._review(play, turn)
                if not single:
                    self._emit(Reviewed(key=play.attempt.key, turn=number, reviews=play.reviews[number]))
            number += 1
            if not single:
                await self._stored()  # store a turn before asking the next one
        if not single and 0 not in play.reviews:
            play.reviews[0] = await self._conclude(play)

    async def _next(self, play: Play, number: int) -> Turn | None:
        """Return the next question, already asked or from script or examiner; None ends the conversation."""
        cases = play.exam.cases
        if number <= len(play.turns):
            return play.turns[number - 1]
        if play.ended is not None:
            return None
        if number > 1 and self._has_limits and self._spent(play):
            play.ended = "budget"
        elif number <= len(cases):
            case = cases[number - 1]
            return Turn(number=number, question=case.question, case=case.id)
        elif not play.exam.open or self._examiner is None:
            play.ended = "script"
        elif number > self._settings.max_turns:
            play.ended = "turns"
        else:
            return await self._examine(play, number)
        return None

    async def _examine(self, play: Play, number: int) -> Turn | None:
        """Get the examiner's next question, and record it before it is asked: it may have cost money."""
        from proctor.findings.battle.links import link_turn  # imported late: loading its language data takes a while

        assert self._examiner is not None
        options = {"conversation": play.conversation} if self._tells_conversation else {}
        make = partial(self._examiner.ask, play.exam, tuple(play.turns), **options)
        play.stage = "examiner"
        if (room := self._room(False)) is not None:
            await room
        asked = await call("examiner", make, self._patience, turn=number, pay=play.pay)
        if not isinstance(asked, Turn):
            play.ended = "examiner"
            play.pay(asked or Usage())
            return None
        asked = scrub_noun(asked)
        turn = link_turn(play.exam, play.turns, asked if asked.number == number else replace(asked, number=number))
        play.turns.append(turn)
        self._emit(Turned(key=play.attempt.key, turn=turn))
        return turn

    def _spent(self, play: Play) -> bool:
        """Whether the conversation has used up its token or time limit."""
        tokens, seconds = self._settings.conversation_tokens, self._settings.conversation_seconds
        if seconds is not None and sum(turn.seconds or 0.0 for turn in play.turns) >= seconds:
            return True
        if tokens is None:
            return False
        used = play.usage()
        return used.input_tokens + used.output_tokens >= tokens

    async def _answer(self, play: Play, asked: Turn) -> Turn:
        """Ask the agent one question and record its reply."""
        key, number = play.attempt.key, asked.number
        request = Request(
            question=asked.question,
            conversation=play.conversation,
            context=_context(play.exam, number),
            history=tuple(play.turns[: number - 1]),
            case=asked.case,
            turn=number,
            trial=key.trial,
            condition=key.condition or None,
        )
        play.asked = True
        play.fault_tally.turn = number
        started, clock = time.time(), time.perf_counter()

        async def ask() -> Reply:
            nonlocal started, clock  # time only the successful try, without retries, pauses and queueing
            started, clock = time.time(), time.perf_counter()
            # a user's agent may return anything, including secrets
            return scrub_noun(to_reply(await self._agent.reply(request)))

        async def put() -> Reply:
            with self._in_force(play):
                return await self._spending.paid(ask, told=_usage_of)

        plain = key.condition not in self._faults and not self._spending.is_kept()
        reply: Reply | None = None
        play.stage = "agent"
        if (room := self._room(number == 1)) is not None:  # room for it was reserved when the attempt began
            await room
        try:
            reply = await call("agent", ask if plain else put, self._patience, turn=number, pay=play.pay)
        finally:
            ended = started + time.perf_counter() - clock
            turn = Turn(
                number=number, question=asked.question, reply=reply, case=asked.case, strategy=asked.strategy,
                refers_to=asked.refers_to, fault=asked.fault, started=started, ended=ended,
                examiner_usage=asked.examiner_usage,
            )  # fmt: skip
            play.turns[number - 1 :] = [turn]
            self._emit(Turned(key=key, turn=turn))
        return turn

    def _in_force(self, play: Play) -> AbstractContextManager[object]:
        """Inject the fault of the attempt's condition, counted over the whole conversation; no-op without one."""
        condition = play.attempt.key.condition
        if condition not in self._faults:
            return contextlib.nullcontext()
        return in_force(condition, self._faults[condition], tally=play.fault_tally)

    async def _review(self, play: Play, turn: Turn) -> tuple[Review, ...]:
        """Return each reviewer's review of one reply, which is recorded already and is not requested again."""
        turns = play.turns[: turn.number]
        case = case_of(play.exam, turns)
        if case is not None and case.context is not None and not self._settings.context_given:
            case = replace(case, context=None)
        makes = []
        for reviewer in self._reviewers:
            given = (
                self._case_for_improvised(play.exam, turn) if case is None and _judges_improvised(reviewer) else case
            )
            makes.append(partial(_review_turn, reviewer, given, turns))
        return await self._ask_reviewers(play, makes, turn=turn.number, decides=decides(case, self._settings))

    async def _ask_reviewers(
        self, play: Play, makes: Sequence[Callable[[], Coroutine[Any, Any, Review]]], *, turn: int | None, decides: bool
    ) -> tuple[Review, ...]:
        """Ask the reviewers one after the other.

        If one fails, the attempt fails if its score decides, unless it is on a panel of which others have answered:
        then its vote is left out.
        """
        reviews: list[Review] = []
        away: list[Broken] = []
        play.stage = "reviewer"
        checking = self._settings.checks is not None  # the reviewer for checks comes first
        for place, (make, free) in enumerate(zip(makes, self._free, strict=True)):
            if not free and (room := self._room(False)) is not None:
                await room
            try:
                reviews.append(await call("reviewer", make, self._patience, turn=turn, pay=play.pay))
            except Broken as broken:
                by_checks = checking and place == 0
                if by_checks or (not self._settings.panel and (decides or not checking)):
                    raise
                away.append(broken)
                reviews.append(Review(unscored=self._absence(place, broken)))
        if decides and away and len(away) == len(self._settings.panel):
            raise away[0]
        return tuple(reviews)

    def _absence(self, place: int, broken: Broken) -> str:
        """Explain why a score is missing whose judge did not answer."""
        reason = broken.failure.reason
        return f"{self._names[place]} gave no verdict: {reason}" if self._settings.panel else reason

    def _case_for_improvised(self, exam: Exam, turn: Turn) -> Case:
        """Build a case for an improvised question: no expected answer, with the context shared by all turns."""
        context = exam.cases[0].context if self._settings.context_given else None
        role = Expectation(role=exam.cases[0].expect.role)
        return Case(id=exam.cases[0].id, question=turn.question, context=context, expect=role)

    async def _conclude(self, play: Play) -> tuple[Review, ...]:
        """Return each reviewer's review of the whole conversation; an empty Review if it has none."""
        makes = [partial(_conclude_review, reviewer, play.exam, tuple(play.turns)) for reviewer in self._reviewers]
        return await self._ask_reviewers(play, makes, turn=None, decides=True)


def _keeps_memory(agent: Agent) -> bool:
    """Whether the agent itself keeps the conversation state, so that an interrupted conversation has to be replayed."""
    kept: bool = getattr(agent, "keeps_memory", not agent.takes_request)
    return kept


def _forgetters(agent: Agent, examiner: Examiner | None) -> Iterator[Callable[[str], Awaitable[None]]]:
    """Yield the `forget` methods to call when a conversation is over."""
    if not getattr(agent, "forgets_nothing", False):
        yield agent.forget
    if (forget := getattr(examiner, "forget", None)) is not None:
        yield forget


def _takes_conversation(examiner: Examiner | None) -> bool:
    """Whether the examiner's `ask` takes the conversation's id."""
    return examiner is not None and "conversation" in inspect.signature(examiner.ask).parameters


def asks_nobody(reviewer: Reviewer) -> bool:
    """Whether a reviewer judges by rules alone, so that a lost review costs nothing to repeat."""
    return bool(getattr(reviewer, "asks_nobody", False))


def _judges_improvised(reviewer: Reviewer) -> bool:
    """Whether a reviewer can judge replies to improvised questions, for which no answer is known."""
    return bool(getattr(reviewer, "judges_improvised", False))


async def _await_forget(forget: Callable[[str], Awaitable[None]], conversation: str) -> None:
    await forget(conversation)


def _usage_of(reply: Reply) -> Usage | None:
    return reply.usage


def _context(exam: Exam, number: int) -> str | None:
    """Return the context of a turn: its own row's in a script, the seed's in every turn of an open exam."""
    return exam.cases[0 if exam.open else number - 1].context


async def _review_turn(reviewer: Reviewer, case: Case | None, turns: Sequence[Turn]) -> Review:
    return scrub_noun(to_review(await reviewer.review(case, turns)))


async def _conclude_review(reviewer: Reviewer, exam: Exam, turns: Sequence[Turn]) -> Review:
    concluded = await reviewer.conclude(exam, turns)
    return Review() if concluded is None else scrub_noun(to_review(concluded))
