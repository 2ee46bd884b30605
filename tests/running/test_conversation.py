"""Conversations: scripts, examiners, budgets, and going on where one was cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.running.players import Reviews, SaysRight, executed, key

from proctor.agents.function import adapt
from proctor.benchmark import Case, Exam
from proctor.run import Attempt, Finished, PendingAttempt, Record, Reviewed, Settings, Turned
from proctor.running import calls
from proctor.running.schedule import LocalExecutor
from proctor.score import Contradiction, Part, Review
from proctor.threads import Stage
from proctor.transcript import Reply, Request, Transcript, Turn
from proctor.usage import Usage

CASES = tuple(Case(id=f"c{n}", question=f"q{n}", answer="yes", context=f"context {n}") for n in range(1, 6))
SCRIPT = Exam(id="exam-1", cases=CASES)
SEED = Exam(id="c1", cases=CASES[:1], open=True)


class Asks:
    """An examiner that asks these, then stops."""

    name = "asks"

    def __init__(self, *questions: Turn | None) -> None:
        self.questions = questions
        self.calls = 0

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        self.calls += 1
        place = len(turns) - 1
        return self.questions[place] if place < len(self.questions) else None


def asked(question: str, **fields: object) -> Turn:
    return Turn(number=0, question=question, **fields)  # type: ignore[arg-type]


async def converse(
    agent: object, pending: PendingAttempt, *, examiner: Asks | None = None, reviewer: object = None, **settings: object
) -> tuple[Attempt, list[Record]]:
    def make(stage: Stage) -> LocalExecutor:
        return LocalExecutor(
            agent=adapt(agent, name="agent"),
            reviewers=(reviewer or SaysRight(),),  # type: ignore[arg-type]
            settings=Settings(**{"type": "abm-dynamic", **settings}),  # type: ignore[arg-type]
            stage=stage,
            examiner=examiner,
        )

    records, _ = await executed(make, [pending])
    (finished,) = [record.attempt for record in records if isinstance(record, Finished) and record.attempt.finished]
    return finished, records


def sitting_of(exam: Exam, *turns: Turn, **reviews: object) -> PendingAttempt:
    return PendingAttempt(exam=exam, attempt=Attempt(key=key(exam.id), transcript=Transcript(turns=turns)))


def answered(number: int, text: str = "yes") -> Turn:
    return Turn(number=number, question=f"q{number}", reply=Reply(text=text), case=f"c{number}")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.001)


async def test_a_script_is_asked_word_for_word_with_each_rows_context() -> None:
    seen: list[tuple[str, str | None, int]] = []

    def agent(request: Request) -> str:
        seen.append((request.question, request.context, len(request.history)))
        return "yes"

    attempt, _ = await converse(agent, sitting_of(SCRIPT))
    assert seen == [(f"q{n}", f"context {n}", n - 1) for n in range(1, 6)]
    assert attempt.transcript.ended == "script"
    assert attempt.passed is True


async def test_every_turn_and_every_review_is_recorded_as_it_happens() -> None:
    _, records = await converse(lambda request: "yes", sitting_of(SCRIPT))
    kinds = [type(record) for record in records]
    assert kinds == [Turned, Reviewed] * 5 + [Finished]


async def test_an_examiner_goes_on_after_the_seed_until_it_is_done() -> None:
    examiner = Asks(asked("sure?", strategy="are-you-sure", refers_to=1), asked("why?"))
    attempt, _ = await converse(
        lambda request: "yes", sitting_of(SEED), examiner=examiner, reviewer=Reviews(mark_known)
    )
    assert [turn.question for turn in attempt.transcript.turns] == ["q1", "sure?", "why?"]
    assert [turn.number for turn in attempt.transcript.turns] == [1, 2, 3]
    assert attempt.transcript.turns[1].strategy == "are-you-sure"
    assert attempt.transcript.turns[1].refers_to == 1
    assert attempt.transcript.ended == "examiner"


def mark_known(case: Case | None, turns: Sequence[Turn]) -> Review:
    return Review(parts=(Part(name="correctness" if case else "consistency", value=1.0),))


async def test_the_seeds_context_goes_with_every_turn() -> None:
    contexts: list[str | None] = []

    def agent(request: Request) -> str:
        contexts.append(request.context)
        return "yes"

    await converse(agent, sitting_of(SEED), examiner=Asks(asked("why?")), reviewer=Reviews(mark_known))
    assert contexts == ["context 1", "context 1"]


async def test_an_examiner_that_never_stops_is_stopped_at_the_turn_limit() -> None:
    examiner = Asks(*[asked(f"and {n}?") for n in range(100)])
    attempt, _ = await converse(
        lambda request: "yes", sitting_of(SEED), examiner=examiner, reviewer=Reviews(mark_known), max_turns=7
    )
    assert len(attempt.transcript.turns) == 7
    assert attempt.transcript.ended == "turns"


async def test_a_question_is_recorded_before_it_is_put_so_that_it_is_not_paid_twice() -> None:
    def agent(request: Request) -> str:
        if request.turn == 2:
            raise ConnectionRefusedError("down")
        return "yes"

    examiner = Asks(asked("why?"))
    attempt, _ = await converse(agent, sitting_of(SEED), examiner=examiner, reviewer=Reviews(mark_known), retries=0)
    assert attempt.failure is not None
    assert attempt.transcript.turns[1].question == "why?"
    reopened = replace(attempt, failure=None, finished=False)
    again, _ = await converse(
        lambda request: "yes",
        PendingAttempt(exam=SEED, attempt=reopened),
        examiner=examiner,
        reviewer=Reviews(mark_known),
    )
    assert [turn.question for turn in again.transcript.turns] == ["q1", "why?"]
    assert examiner.calls == 2  # the question once, the end once


async def test_an_unfair_question_is_left_out_of_the_marks() -> None:
    examiner = Asks(asked("off topic", fault="off-topic"), asked("", fault="empty"), asked("fair"))
    attempt, _ = await converse(
        lambda request: "yes", sitting_of(SEED), examiner=examiner, reviewer=Reviews(mark_known)
    )
    assert attempt.turn_passed == (True, None, None, True)
    assert attempt.passed is True
    assert attempt.transcript.turns[2].reply is None


async def test_a_conversation_goes_on_where_it_was_cut_off_with_an_agent_that_is_handed_the_history() -> None:
    seen: list[tuple[str, int]] = []

    def agent(request: Request) -> str:
        seen.append((request.question, len(request.history)))
        return "yes"

    attempt, _ = await converse(agent, sitting_of(SCRIPT, answered(1), answered(2), answered(3)))
    assert seen == [("q4", 3), ("q5", 4)]
    assert attempt.resumed == "continued"
    assert attempt.passed is True


async def test_a_conversation_is_replayed_from_the_start_with_an_agent_that_keeps_its_own_memory() -> None:
    seen: list[str] = []

    def agent(question: str) -> str:
        seen.append(question)
        return "yes"

    attempt, _ = await converse(agent, sitting_of(SCRIPT, answered(1, "stale"), answered(2)))
    assert seen == ["q1", "q2", "q3", "q4", "q5"]
    assert attempt.resumed == "replayed"
    assert attempt.passed is True


async def test_a_whole_conversation_that_only_lacks_its_review_is_not_replayed() -> None:
    def agent(question: str) -> str:
        raise AssertionError("it was asked again")

    attempt, _ = await converse(agent, sitting_of(SCRIPT, *[answered(n) for n in range(1, 6)]))
    assert attempt.failure is None
    assert attempt.passed is True


async def test_a_conversation_ends_when_its_tokens_are_used_up() -> None:
    def agent(request: Request) -> Reply:
        return Reply(text="yes", usage=Usage(input_tokens=100))

    attempt, _ = await converse(agent, sitting_of(SCRIPT), conversation_tokens=250)
    assert len(attempt.transcript.turns) == 3
    assert attempt.transcript.ended == "budget"


async def test_a_conversation_ends_when_its_time_is_used_up() -> None:
    def agent(request: Request) -> Reply:
        return Reply(text="yes", seconds=10.0)

    attempt, _ = await converse(agent, sitting_of(SCRIPT), conversation_seconds=15.0)
    assert len(attempt.transcript.turns) == 2
    assert attempt.transcript.ended == "budget"


async def test_a_contradiction_fails_the_later_turn() -> None:
    class Finds(SaysRight):
        async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
            found = Contradiction(turns=(1, 3), quotes=("yes", "yes"), kind="yes-no", reason="r")
            return Review(contradictions=(found,))

    attempt, _ = await converse(lambda request: "yes", sitting_of(SCRIPT), reviewer=Finds())
    assert attempt.turn_passed == (True, True, False, True, True)
    assert attempt.passed is False
    assert len(attempt.contradictions) == 1


async def test_the_agents_failure_in_the_middle_ends_the_conversation_and_keeps_what_was_said() -> None:
    def agent(request: Request) -> str:
        if request.turn == 3:
            raise ValueError("lost the thread")
        return "yes"

    attempt, _ = await converse(agent, sitting_of(SCRIPT))
    assert attempt.failure is not None
    assert attempt.failure.turn == 3
    assert attempt.transcript.ended == "agent"
    assert attempt.turn_passed == (True, True, None)
    assert attempt.passed is False


def only_the_seed(case: Case | None, turns: Sequence[Turn]) -> Review:
    return Review(parts=(Part(name="correctness", value=1.0),)) if case else Review()


async def test_an_improvised_question_that_nobody_can_judge_decides_nothing() -> None:
    attempt, _ = await converse(
        lambda request: "yes, it is blue",
        sitting_of(SEED),
        examiner=Asks(asked("why?"), asked(f"Are you sure? {SEED.cases[0].question}")),
        reviewer=Reviews(only_the_seed),
    )
    assert attempt.turn_passed == (True, None, True)
    assert attempt.passed is True


async def test_an_attempt_in_which_only_the_seed_was_judged_is_undecided() -> None:
    attempt, _ = await converse(
        lambda request: "yes", sitting_of(SEED), examiner=Asks(asked("why?")), reviewer=Reviews(only_the_seed)
    )
    assert attempt.turn_passed == (True, None)
    assert (attempt.passed, attempt.outcome) == (None, "undecided")


async def test_a_challenge_without_a_tag_goes_to_the_reviewer_with_the_seeds_expectations() -> None:
    judged: list[str | None] = []

    def keep(case: Case | None, turns: Sequence[Turn]) -> Review:
        judged.append(case.id if case else None)
        return only_the_seed(case, turns)

    plain = [Turn(number=0, question=question) for question in ("Really?", "A friend says you are wrong.", "why?")]
    attempt, _ = await converse(
        lambda request: "yes, it is blue", sitting_of(SEED), examiner=Asks(*plain), reviewer=Reviews(keep)
    )
    seed = SEED.cases[0].id
    assert judged == [seed, seed, seed, None]
    assert [turn.refers_to for turn in attempt.transcript.turns] == [None, 1, 2, None]


async def test_a_reviewer_that_judges_what_was_improvised_gets_a_case_without_an_answer() -> None:
    class Judges(Reviews):
        judges_improvised = True

    seen: list[Case | None] = []

    def keep(case: Case | None, turns: Sequence[Turn]) -> Review:
        seen.append(case)
        return Review(parts=(Part(name="consistency", value=1.0),))

    await converse(lambda request: "yes", sitting_of(SEED), examiner=Asks(asked("why?")), reviewer=Judges(keep))
    assert seen[1] == Case(id=SEED.cases[0].id, question="why?", context=SEED.cases[0].context)


async def test_an_examiner_that_wants_to_is_told_its_conversation_and_when_it_is_over() -> None:
    class Remembers(Asks):
        def __init__(self, *questions: Turn | None) -> None:
            super().__init__(*questions)
            self.told: list[str] = []
            self.over: list[str] = []

        async def ask(self, exam: Exam, turns: Sequence[Turn], *, conversation: str = "") -> Turn | None:
            self.told.append(conversation)
            return await super().ask(exam, turns)

        async def forget(self, conversation: str) -> None:
            self.over.append(conversation)

    examiner = Remembers(asked("one?"), asked("two?"))
    heard: set[str] = set()

    def answer(request: Request) -> str:
        heard.add(request.conversation)
        return "yes"

    await converse(answer, sitting_of(SEED), examiner=examiner, reviewer=Reviews(mark_known))
    assert len(examiner.told) == 3
    assert set(examiner.told) == set(examiner.over) == heard
