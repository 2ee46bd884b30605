"""One attempt: ask, answer, review, and what is recorded when something breaks."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from tests.running.players import Reviews, fresh, key, played

from proctor.benchmark import Case, Exam
from proctor.errors import AgentFault, EnvironmentFault
from proctor.run import Attempt, PendingAttempt, Turned
from proctor.running import attempt as attempt_module
from proctor.running import calls, verdict
from proctor.score import Part, Review
from proctor.transcript import Reply, Request, Transcript, Turn
from proctor.usage import Usage


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.001)


async def test_a_right_answer_passes_and_a_wrong_one_does_not() -> None:
    attempts, _, _ = await played(lambda question: "yes" if question == "q1" else "no", fresh(2))
    assert {attempt.key.exam: attempt.passed for attempt in attempts} == {"c1": True, "c2": False}


async def test_an_empty_string_is_a_reply_and_is_scored() -> None:
    (attempt,), _, _ = await played(lambda question: "", fresh())
    assert attempt.failure is None
    assert attempt.value == 0.0
    assert attempt.passed is False


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (lambda question: None, "returned None"),
        (lambda question: 42, "returned a value of type int"),
        (lambda question: {"answer": "yes"}, "without 'text'"),
        (lambda question: 1 / 0, "ZeroDivisionError"),
        (lambda question: exit(3), "sys.exit(3)"),
    ],
)
async def test_the_agents_own_failure_is_not_passed_has_no_score_and_is_not_retried(agent: object, words: str) -> None:
    (attempt,), _, _ = await played(agent, fresh())
    assert attempt.failure is not None
    assert (attempt.failure.owner, attempt.failure.stage, attempt.failure.tries) == ("agent", "agent", 1)
    assert words in attempt.failure.reason
    assert attempt.passed is False
    assert attempt.value is None


async def test_an_async_agent_that_calls_sys_exit_does_not_end_the_run() -> None:
    async def leaves(question: str) -> str:
        if question == "q1":
            raise SystemExit(1)
        return "yes"

    attempts, _, _ = await played(leaves, fresh(2))
    assert sorted(str(attempt.passed) for attempt in attempts) == ["False", "True"]


async def test_an_agent_that_cancels_itself_fails_alone() -> None:
    async def cancels(question: str) -> str:
        if question == "q1":
            raise asyncio.CancelledError
        return "yes"

    attempts, _, executor = await played(cancels, fresh(2))
    assert {attempt.key.exam: attempt.passed for attempt in attempts} == {"c1": False, "c2": True}
    assert executor.halt is None


async def test_timeout_is_a_failure_not_a_zero() -> None:
    hold = threading.Event()
    (attempt,), _, _ = await played(lambda question: hold.wait(30), fresh(), timeout=0.05)
    hold.set()
    assert attempt.failure is not None
    assert attempt.failure.owner == "agent"
    assert "within 0.05 s" in attempt.failure.reason
    assert attempt.value is None


async def test_a_refused_connection_is_retried_then_the_environments() -> None:
    tries: list[int] = []

    def refused(question: str) -> str:
        tries.append(1)
        raise ConnectionRefusedError("no route")

    (attempt,), _, _ = await played(refused, fresh(), retries=2)
    assert attempt.failure is not None
    assert attempt.failure.owner == "environment"
    assert attempt.failure.tries == 3
    assert len(tries) == 3
    assert attempt.passed is None


async def test_an_environment_failure_that_passes_leaves_no_trace() -> None:
    tries: list[int] = []

    def recovers(question: str) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise EnvironmentFault("busy")
        return "yes"

    (attempt,), _, _ = await played(recovers, fresh())
    assert attempt.passed is True
    assert attempt.failure is None


async def test_agent_failures_are_retried_only_when_asked_for() -> None:
    tries: list[int] = []

    def fails_once(question: str) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise AgentFault("oops")
        return "yes"

    (attempt,), _, _ = await played(fails_once, fresh(), retry_agent_failures=1)
    assert attempt.passed is True


async def test_a_reviewer_that_raises_costs_the_agent_nothing_and_keeps_the_reply() -> None:
    def broken(case: object, turns: object) -> Review:
        raise ValueError("judge is ill")

    (attempt,), records, _ = await played(lambda question: "yes", fresh(), reviewer=Reviews(broken), retries=1)
    assert attempt.failure is not None
    assert (attempt.failure.stage, attempt.failure.owner, attempt.failure.tries) == ("reviewer", "environment", 2)
    assert attempt.passed is None
    turned = [record for record in records if isinstance(record, Turned)]
    assert turned[0].turn.reply is not None
    assert turned[0].turn.reply.text == "yes"


async def test_a_review_that_gives_no_mark_leaves_the_attempt_unscored() -> None:
    unsure = Reviews(lambda case, turns: Review(unscored="the judge answered in verse"))
    (attempt,), _, _ = await played(lambda question: "yes", fresh(), reviewer=unsure)
    assert attempt.failure is None
    assert attempt.passed is None
    assert attempt.unscored[0].reason == "the judge answered in verse"
    assert attempt.value is None


async def test_a_stored_reply_is_reviewed_and_not_asked_for_again() -> None:
    asked: list[str] = []

    def agent(question: str) -> str:
        asked.append(question)
        return "no"

    pending = fresh()[0]
    stored = Turn(number=1, question="q1", reply=Reply(text="yes"), case="c1")
    pending = replace(pending, attempt=replace(pending.attempt, transcript=Transcript(turns=(stored,))))
    (attempt,), _, _ = await played(agent, [pending])
    assert asked == []
    assert attempt.passed is True


async def test_a_review_that_was_paid_for_is_not_asked_for_again() -> None:
    reviewed: list[int] = []

    def review(case: object, turns: object) -> Review:
        reviewed.append(1)
        return Review(parts=(Part(name="correctness", value=0.0),))

    stored = Turn(number=1, question="q1", reply=Reply(text="yes"), case="c1")
    exam = Exam(id="c1", cases=(Case(id="c1", question="q1", answer="yes"),))
    given: dict[int, tuple[Review, ...]] = {1: (Review(parts=(Part(name="correctness", value=1.0),)),)}
    pending = PendingAttempt(
        exam=exam, attempt=Attempt(key=key(), transcript=Transcript(turns=(stored,))), reviews=given
    )
    (attempt,), _, _ = await played(lambda question: "no", [pending], reviewer=Reviews(review))
    assert reviewed == []
    assert attempt.value == 1.0


async def test_the_agent_is_handed_context_history_trial_and_a_conversation_of_its_own() -> None:
    seen: list[Request] = []

    def agent(request: Request) -> str:
        seen.append(request)
        return "yes"

    await played(agent, fresh(2, context="about planets"))
    assert {request.context for request in seen} == {"about planets"}
    assert {request.trial for request in seen} == {1}
    assert len({request.conversation for request in seen}) == 2


async def test_context_use_of_an_agent_that_sees_only_the_question_is_not_marked() -> None:
    (blind,), _, _ = await played(lambda question: "yes", fresh(context="about planets"))
    (seeing,), _, _ = await played(lambda request: "yes", fresh(context="about planets"))
    assert [part.name for part in blind.scores[0].parts] == ["correctness"]
    assert [part.name for part in seeing.scores[0].parts] == ["correctness", "context"]


async def test_a_script_of_several_cases_is_one_conversation_whose_history_grows() -> None:
    cases = tuple(Case(id=f"c{n}", question=f"q{n}", answer="yes") for n in (1, 2, 3))
    histories: list[int] = []

    def agent(request: Request) -> str:
        histories.append(len(request.history))
        return "yes" if request.turn != 2 else "no"

    pending = PendingAttempt(exam=Exam(id="exam-1", cases=cases), attempt=Attempt(key=key("exam-1")))
    (attempt,), _, _ = await played(agent, [pending])
    assert histories == [0, 1, 2]
    assert attempt.turn_passed == (True, False, True)
    assert attempt.passed is False


async def test_a_reviewer_that_returns_something_else_is_a_reviewer_failure() -> None:
    wrong = Reviews(lambda case, turns: "not a review")
    (attempt,), _, _ = await played(lambda question: "yes", fresh(), reviewer=wrong)
    assert attempt.failure is not None
    assert attempt.failure.stage == "reviewer"
    assert "expected a proctor.Review" in attempt.failure.reason


async def test_a_bug_of_ours_is_an_engine_failure_and_never_the_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    def buggy(*args: object, **options: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(verdict, "marks", buggy)
    (attempt,), _, _ = await played(lambda question: "yes", fresh())
    assert attempt.failure is not None
    assert (attempt.failure.stage, attempt.failure.owner) == ("engine", "environment")
    assert attempt.passed is None
    assert attempt.transcript.turns[0].reply is not None


async def test_usage_adds_up_agent_and_reviewer() -> None:
    agent_usage = Usage(input_tokens=3, output_tokens=4, calls=1, cost=0.5)
    review = Review(parts=(Part(name="correctness", value=1.0),), usage=Usage(input_tokens=10, calls=2, cost=0.25))
    (attempt,), _, _ = await played(
        lambda question: Reply(text="yes", usage=agent_usage), fresh(), reviewer=Reviews(lambda case, turns: review)
    )
    assert attempt.usage == Usage(input_tokens=13, output_tokens=4, calls=3, cost=0.75)


async def test_the_time_of_a_reply_is_measured_where_the_agent_does_not_tell_it() -> None:
    began = time.perf_counter()
    (attempt,), _, _ = await played(lambda question: "yes", fresh())
    assert attempt.seconds is not None
    assert 0 < attempt.seconds <= time.perf_counter() - began


async def test_what_a_failed_try_has_cost_is_counted_too() -> None:
    tries: list[int] = []

    class Dropped(EnvironmentFault):
        spent = Usage(input_tokens=7, calls=1, cost=0.1)

    def review(case: object, turns: object) -> Review:
        tries.append(1)
        if len(tries) == 1:
            raise Dropped("cut off in the middle of a repair")
        return Review(parts=(Part(name="correctness", value=1.0),), usage=Usage(input_tokens=3, calls=1, cost=0.2))

    (attempt,), _, _ = await played(lambda question: "yes", fresh(), reviewer=Reviews(review))
    assert attempt.usage.input_tokens == 10
    assert attempt.usage.calls == 2
    assert attempt.usage.cost == pytest.approx(0.3)


async def test_a_secret_in_an_exception_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-123")

    def leaks(question: str) -> str:
        raise ValueError("bad key sk-very-secret-123")

    (attempt,), _, _ = await played(leaks, fresh())
    assert attempt.failure is not None
    assert "sk-very-secret-123" not in attempt.failure.reason + attempt.failure.detail
    assert "$SOME_API_KEY" in attempt.failure.reason


async def test_what_an_earlier_sitting_lost_is_still_counted_and_what_it_kept_is_not_counted_twice() -> None:
    kept = Usage(input_tokens=5, calls=1, cost=0.1)
    stored = Turn(number=1, question="q1", reply=Reply(text="yes", usage=kept), case="c1")
    lost = Usage(input_tokens=7, calls=2, cost=0.5)
    pending = fresh()[0]
    begun = replace(pending.attempt, transcript=Transcript(turns=(stored,)), usage=lost + kept, lost=lost)
    (attempt,), _, _ = await played(lambda question: "no", [replace(pending, attempt=begun)])
    assert attempt.usage == lost + kept
    assert attempt.lost == lost


class Forgetful:
    """A whole agent whose `forget` misbehaves."""

    name = "forgetful"
    takes_request = True

    def __init__(self, forget: Callable[[], Awaitable[None]]) -> None:
        self._forget = forget

    async def reply(self, request: Request) -> Reply:
        return Reply(text="yes")

    async def forget(self, conversation: str) -> None:
        await self._forget()

    async def close(self) -> None:
        pass


async def test_an_agent_that_breaks_while_it_forgets_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks() -> None:
        raise RuntimeError("cannot forget")

    async def hangs() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(attempt_module, "_FAREWELL", 0.01)
    for forget in (breaks, hangs):
        attempts, _, executor = await played(Forgetful(forget), fresh(5))
        assert [attempt.passed for attempt in attempts] == [True] * 5
        assert executor.halt is None


async def test_the_time_of_a_reply_leaves_out_failed_tries_and_the_pauses_between() -> None:
    tries: list[int] = []

    def slow_then_quick(question: str) -> str:
        tries.append(1)
        if len(tries) == 1:
            time.sleep(0.2)
            raise ConnectionRefusedError("busy")
        return "yes"

    (attempt,), _, _ = await played(slow_then_quick, fresh())
    assert attempt.seconds is not None
    assert attempt.seconds < 0.2


async def test_an_answer_that_comes_after_the_time_limit_is_late_even_if_the_cancellation_was_swallowed() -> None:
    async def swallows(question: str) -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(30)
        return "yes"

    (attempt,), _, _ = await played(swallows, fresh(), timeout=0.02)
    assert attempt.failure is not None
    assert attempt.failure.owner == "agent"
    assert "within 0.02 s" in attempt.failure.reason


async def test_a_whole_agent_that_returns_no_reply_fails_and_does_not_break_the_store() -> None:
    class Careless(Forgetful):
        async def reply(self, request: Request) -> Reply:
            return Reply(text=5)  # type: ignore[arg-type]

    async def forgets() -> None:
        pass

    (attempt,), _, _ = await played(Careless(forgets), fresh())
    assert attempt.failure is not None
    assert attempt.failure.owner == "agent"


async def test_checks_that_cannot_be_made_are_the_environments_and_are_tried_again() -> None:
    def away(case: Case | None, turns: object) -> Review:
        raise EnvironmentFault("the sources are not mounted")

    checked = {"checks": "own", "passing_score": None, "retries": 0}
    [attempt], _, _ = await played(lambda question: "yes", fresh(), reviewer=Reviews(away), **checked)
    assert attempt.failure is not None, "an attempt without one would count as done, and never be checked"
    assert (attempt.failure.stage, attempt.failure.owner) == ("reviewer", "environment")
