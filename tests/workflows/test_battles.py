"""Battles through `proctor.aevaluate`: who asks what, how conversations end, and that no two of them mix."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.models.scripted import Tooled, called

import proctor
from proctor import Case, Evaluation, Reply, Request, Review, Turn, Usage
from proctor.benchmark import Exam
from proctor.errors import InputError, UsageError
from proctor.running import calls

Options = dict[str, Any]
HOLIDAY = ("How many days of paid holiday do full-time staff have?", "28 days")
STEADY = "Full-time staff have 28 days of paid holiday."


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.0001)


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    """A store of one's own, and nothing from the folder or the environment."""
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return {"store": tmp_path / "store.db"}


def script(rows: int) -> list[Case]:
    return [
        Case(id=f"c{n}", question=f"What is the code of room {n}?", answer=f"code {n}x", context=f"context {n}")
        for n in range(1, rows + 1)
    ]


async def knows_rooms(request: Request) -> str:
    return f"code {request.question.removesuffix('?').rpartition(' ')[2]}x"


async def steady(request: Request) -> str:
    return STEADY


class Asks:
    """An examiner that asks these and then ends the exam; it is watched for faults like any other."""

    name = "asks"

    def __init__(self, *questions: Turn | None) -> None:
        self._questions = questions
        self.notes: list[str | None] = []

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | None:
        self.notes.append(note)
        place = len(turns) - len(exam.cases)
        return self._questions[place] if place < len(self._questions) else None


def sure(question: str = f"Are you sure? {HOLIDAY[0]}", **others: Any) -> Turn:
    given = {"strategy": "are-you-sure", "refers_to": 1, "case": "0", **others}
    return Turn(number=0, question=question, **given)


def is_there(path: Path) -> bool:
    return path.exists()


def only(evaluation: Evaluation) -> proctor.Attempt:
    (attempt,) = evaluation.attempts()
    return attempt


def battle_of(evaluation: Evaluation) -> Any:
    assert evaluation.findings.battle is not None
    return evaluation.findings.battle


async def duel(*questions: Turn | None, options: Options, agent: Any = steady, **settings: Any) -> Evaluation:
    """One conversation about holidays with an examiner that asks these questions."""
    case = Case(id="0", question=HOLIDAY[0], answer=HOLIDAY[1])
    examiner = settings.pop("examiner", None) or Asks(*questions)
    return await proctor.aevaluate(
        [case], agent=agent, type="abm-dynamic", examiner=examiner, **{"retries": 0, **options, **settings}
    )


# Static battles


async def test_more_questions_than_turns_become_successive_conversations_and_every_question_is_asked_once(
    options: Options,
) -> None:
    heard: dict[str, list[tuple[str, str | None, int, int]]] = defaultdict(list)

    async def agent(request: Request) -> str:
        heard[request.conversation].append((request.question, request.context, request.turn, len(request.history)))
        return await knows_rooms(request)

    evaluation = await proctor.aevaluate(script(23), agent=agent, type="abm-static", max_turns=10, **options)
    cases = script(23)
    expected = [
        [(case.question, case.context, turn, turn - 1) for turn, case in enumerate(cases[start : start + 10], 1)]
        for start in (0, 10, 20)
    ]
    assert sorted(heard.values()) == sorted(expected)
    attempts = list(evaluation.attempts())
    assert [attempt.key.exam for attempt in attempts] == ["exam-1", "exam-2", "exam-3"]
    assert [attempt.transcript.ended for attempt in attempts] == ["script"] * 3
    found = battle_of(evaluation)
    assert (found.conversations, found.turns, found.replies, found.passed) == (3, 23, 23, 23)
    assert found.ends == {"script": 3}
    assert found.examiner is None
    assert evaluation.run.settings.examiner == "script"
    assert [row.id for row in evaluation.findings.rows] == [case.id for case in cases]


async def test_a_script_that_repeats_a_question_asks_it_again_and_nobody_is_at_fault(options: Options) -> None:
    rows = [HOLIDAY, HOLIDAY, HOLIDAY]
    evaluation = await proctor.aevaluate(rows, agent=steady, type="abm-static", **options)
    assert [turn.question for turn in only(evaluation).transcript.turns] == [HOLIDAY[0]] * 3
    assert battle_of(evaluation).opportunities == 2
    assert battle_of(evaluation).consistency.value == 1.0


async def test_more_than_200_questions_are_no_static_battle(options: Options) -> None:
    with pytest.raises(UsageError, match=r"201 questions exceed the maximum of 200 .* --type abm-dynamic --seeds"):
        await proctor.aevaluate(script(201), agent=knows_rooms, type="abm-static", **options)
    evaluation = await proctor.aevaluate(script(200), agent=knows_rooms, type="abm-static", **options)
    assert battle_of(evaluation).conversations == 4


async def test_one_long_script_says_use_trials(options: Options) -> None:
    evaluation = await proctor.aevaluate(script(10), agent=knows_rooms, type="abm-static", **options)
    assert any("there is only 1; more trials narrow them" in note for note in evaluation.findings.notes)


# Dynamic battles


async def test_each_seed_starts_a_conversation_and_its_context_goes_with_every_turn(options: Options) -> None:
    heard: dict[str, list[str | None]] = defaultdict(list)

    async def agent(request: Request) -> str:
        heard[request.history[0].question if request.history else request.question].append(request.context)
        return await knows_rooms(request)

    cases = script(5)
    evaluation = await proctor.aevaluate(cases, agent=agent, type="abm-dynamic", seeds=3, max_turns=4, **options)
    assert heard == {case.question: [case.context] * 4 for case in cases[:3]}
    assert battle_of(evaluation).conversations == 3
    assert battle_of(evaluation).ends == {"turns": 3}
    assert evaluation.run.settings.examiner == "prober"


async def test_the_examiner_may_end_the_exam_from_turn_3_on(options: Options) -> None:
    evaluation = await duel(sure(), sure("Are you certain? I ask about holiday once more."), options=options)
    assert only(evaluation).transcript.ended == "examiner"
    assert len(only(evaluation).transcript.turns) == 3
    assert battle_of(evaluation).ended_too_soon == 0


async def test_an_examiner_that_ends_too_soon_is_asked_once_more_and_shown(options: Options) -> None:
    examiner = Asks()
    evaluation = await duel(options=options, examiner=examiner)
    assert [note is not None and note.startswith("ends too soon") for note in examiner.notes] == [False, True]
    assert len(only(evaluation).transcript.turns) == 1
    assert battle_of(evaluation).ended_too_soon == 1
    assert "The examiner ended 1 of its exams before turn 3." in evaluation.findings.notes


async def test_a_battle_without_one_fair_question_is_called_no_test(options: Options) -> None:
    evaluation = await duel(*[sure("") for _ in range(3)], options=options, max_turns=4)
    found = battle_of(evaluation).examiner
    assert found is not None
    assert sum(found.faults.values()) == found.questions > 0
    assert any(note.startswith("The examiner asked no fair question: all") for note in evaluation.findings.notes)


async def test_an_examiner_that_never_stops_is_stopped_at_the_turn_limit(options: Options) -> None:
    endless = Asks(*[sure(f"Are you sure about the holiday, for the time number {n}?") for n in range(100)])
    evaluation = await duel(options=options, examiner=endless)
    assert len(only(evaluation).transcript.turns) == 50
    assert only(evaluation).transcript.ended == "turns"


@pytest.mark.parametrize(
    ("setting", "spent"), [({"conversation_tokens": 250}, Usage(input_tokens=90, output_tokens=10)), ({}, None)]
)
async def test_a_conversation_ends_when_its_budget_is_used_up(
    options: Options, setting: Options, spent: Usage | None
) -> None:
    async def agent(request: Request) -> Reply:
        return Reply(text=STEADY, usage=spent, seconds=10.0)

    endless = [sure(f"Are you sure about the holiday, for the time number {n}?") for n in range(20)]
    evaluation = await duel(*endless, options=options, agent=agent, **(setting or {"conversation_seconds": 25.0}))
    assert only(evaluation).transcript.ended == "budget"
    assert len(only(evaluation).transcript.turns) == 3
    assert battle_of(evaluation).ends == {"budget": 1}


# Examiners


async def test_a_chat_model_examines_with_the_record_of_its_strategies(options: Options) -> None:
    def ask(question: str, strategy: str, **others: Any) -> Any:
        return called({"question": question, "strategy": strategy, "refers_to": 1, "done": False, **others})

    model = Tooled(
        script=[
            ask("Is it not 25 days? How many days of paid holiday do full-time staff have?", "false-premise"),
            ask("Where does the handbook say so about holiday?", "source"),
            ask("", "other", done=True),
        ]
    )
    evaluation = await duel(options=options, examiner=model)
    turns = only(evaluation).transcript.turns
    assert [turn.strategy for turn in turns] == [None, "false-premise", "source"]
    assert only(evaluation).transcript.ended == "examiner"
    assert evaluation.run.settings.examiner == "object:Tooled"
    assert "false-premise: used 1 times, the agent's answer changed 0 times" in model.prompt()
    assert STEADY in model.prompt()
    assert evaluation.findings.usage.input_tokens == 300  # three questions, one of them to end
    assert {strategy.name: strategy.used for strategy in battle_of(evaluation).strategies} == {
        "false-premise": 1,
        "source": 1,
    }


async def test_any_agent_examines_and_says_done(options: Options) -> None:
    prompts: list[str] = []

    async def examiner(question: str) -> str:
        prompts.append(question)
        return ["[are-you-sure] Are you sure of the days?", "[source] Where is it written?", "DONE"][len(prompts) - 1]

    evaluation = await duel(options=options, examiner=examiner)
    turns = only(evaluation).transcript.turns
    assert [(turn.strategy, turn.question) for turn in turns[1:]] == [
        ("are-you-sure", "Are you sure of the days?"),
        ("source", "Where is it written?"),
    ]
    assert turns[1].refers_to == 1
    assert only(evaluation).transcript.ended == "examiner"
    assert len(prompts) == 3


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (sure("   "), "empty"),
        (Turn(number=0, question=HOLIDAY[0], strategy="source"), "repeated"),
        (Turn(number=0, question="Which football club won most cups last spring?", strategy="source"), "off-topic"),
        (Turn(number=0, question="Staff have 28 days, do they?", strategy="source"), "leaks the answer"),
        (Turn(number=0, question="I am sorry, I cannot help with that.", strategy="source"), "refuses"),
    ],
)
async def test_an_examiners_fault_is_asked_anew_once_then_marked_and_counts_for_nothing(
    options: Options, question: Turn, fault: str
) -> None:
    async def silent(request: Request) -> str:
        return "I would rather not say." if request.turn > 1 else "It is a generous number."

    examiner = Asks(question, sure("Are you sure about the holiday?", case=None))
    evaluation = await duel(options=options, examiner=examiner, agent=silent)
    attempt = only(evaluation)
    assert attempt.transcript.turns[1].fault is not None
    assert attempt.transcript.turns[1].fault.startswith(fault)
    assert [note is not None and note.startswith(fault) for note in examiner.notes[:2]] == [False, True]
    assert attempt.turn_passed[1] is None
    assert not any(score.turn == 2 for score in attempt.scores)
    found = battle_of(evaluation)
    assert found.examiner is not None
    assert found.examiner.faults == {fault: 1}
    assert found.examiner.questions == 2
    assert found.examiner.fault_rate.value == 0.5
    assert sum(strategy.used for strategy in found.strategies) == 1


async def test_a_fault_that_is_mended_at_the_second_try_leaves_no_mark(options: Options) -> None:
    class Mends(Asks):
        async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | None:
            self.notes.append(note)
            return sure("Are you sure about the holiday?") if note or len(turns) > 1 else sure("")

    evaluation = await duel(options=options, examiner=Mends(), max_turns=3)
    assert [turn.fault for turn in only(evaluation).transcript.turns] == [None, None, None]
    assert battle_of(evaluation).examiner.faults == {}


async def test_an_examiner_that_does_not_answer_is_the_environments_and_resume_asks_on(options: Options) -> None:
    class Away(Asks):
        away = True

        async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | None:
            if self.away and len(turns) == 2:
                raise ConnectionError("the examiner is away")
            return await super().ask(exam, turns)

    asked: list[int] = []

    async def agent(request: Request) -> str:
        asked.append(request.turn)
        return STEADY

    examiner = Away(sure(), sure("Are you certain? I ask about holiday once more."))
    first = await duel(options=options, examiner=examiner, agent=agent)
    failure = only(first).failure
    assert failure is not None
    assert (failure.stage, failure.owner, failure.turn) == ("examiner", "environment", 3)
    assert battle_of(first).ends == {"environment": 1}
    assert battle_of(first).pass_rate.n == 0
    examiner.away = False
    again = await proctor.aresume(first.run.id, agent=agent, examiner=examiner, **options)
    assert again.run.status == "completed"
    assert asked == [1, 2, 3]
    assert only(again).resumed == "continued"


# What is refused


async def test_nobody_examines_themselves(options: Options) -> None:
    with pytest.raises(UsageError, match="'object:steady' cannot be its own examiner"):
        await duel(options=options, agent=steady, examiner=steady)
    with pytest.raises(UsageError, match="'demo:librarian' cannot be its own examiner"):
        await duel(options=options, agent="demo:librarian", examiner="demo:librarian")
    with pytest.raises(UsageError, match="'demo:librarian' cannot be its own examiner"):
        await duel(options=options, agent="demo:librarian", examiner="agent:demo:librarian")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"type": "abm-static", "examiner": "prober"}, "examiner='prober' would ask nothing: type='abm-static'"),
        ({"type": "standard", "examiner": "prober"}, "examiner='prober' would ask nothing: type='standard'"),
        ({"type": "abm-dynamic", "examiner": "script"}, "use type='abm-static'"),
        ({"type": "abm-dynamic", "examiner": "probr"}, "probr.*prober"),
        ({"type": "abm-dynamic", "reviewer": "none"}, "reviewer='none' cannot judge a battle"),
        ({"type": "abm-static", "reviewer": "none"}, "reviewer='none' cannot judge a battle"),
        ({"max_turns": 5}, "max_turns=5 has no meaning with type='standard'"),
        ({"seeds": 5}, "seeds=5 has no meaning with type='standard'"),
        ({"conversation_tokens": 5}, "conversation_tokens=5 has no meaning"),
        ({"conversation_seconds": 5.0}, "conversation_seconds=5.0 has no meaning"),
        ({"type": "abm-static", "seeds": 5}, "seeds=5 has no meaning with type='abm-static'; it is for abm-dynamic"),
        ({"type": "abm-static", "max_turns": 51}, "max_turns=51 is not usable; expected a whole number from 1 to 50"),
        ({"type": "abm-static", "max_turns": 0}, "max_turns=0"),
        ({"type": "abm-static", "conversation_seconds": 0}, "conversation_seconds=0"),
        ({"type": "abm"}, "type='abm' is not known"),
    ],
)
async def test_what_makes_no_sense_is_refused_before_the_first_call(
    options: Options, settings: Options, message: str
) -> None:
    async def agent(question: str) -> str:
        raise AssertionError("it was asked")

    with pytest.raises((UsageError, InputError), match=message):
        await proctor.aevaluate([HOLIDAY], agent=agent, **settings, **options)
    assert not is_there(options["store"])


# Memory


class Remembers:
    """Made anew for each conversation: tells the number of the question and all that it heard before."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def reply(self, question: str) -> str:
        self.heard.append(question)
        await asyncio.sleep(0)
        return f"{len(self.heard)}: {' | '.join(self.heard)}"


async def handed_the_history(request: Request) -> str:
    await asyncio.sleep(0)
    heard = [*(turn.question for turn in request.history), request.question]
    return f"{len(heard)}: {' | '.join(heard)}"


@pytest.mark.parametrize("agent", [Remembers, handed_the_history], ids=["own memory", "handed the history"])
async def test_twenty_conversations_at_once_never_mix(options: Options, agent: Any) -> None:
    seeds = [(f"What stands on stone {n}?", f"word {n}") for n in range(20)]
    evaluation = await proctor.aevaluate(
        seeds, agent=agent, type="abm-dynamic", max_turns=6, concurrency=20, trials=2, **options
    )
    attempts = list(evaluation.attempts())
    assert len(attempts) == 40
    for attempt in attempts:
        questions = [turn.question for turn in attempt.transcript.turns]
        assert len(questions) == 6
        for turn in attempt.transcript.turns:
            assert turn.reply is not None
            assert turn.reply.text == f"{turn.number}: {' | '.join(questions[: turn.number])}"
    assert evaluation.run.settings.context_given is (agent is handed_the_history)
    said = [note for note in evaluation.findings.notes if "its own memory" in note]
    assert len(said) == (agent is Remembers)


# Replies out of the ordinary


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n\t ",
        "word " * 10_000,
        "\x00\x01\x1b[31mred\x1b[0m\x07 28 days",
        "<script>alert(1)</script> **28** `days` {question} %s",
        "28 days \ud83d broken \udc00 half",
        "\u202e28 days\u2066 \ufeff",
    ],
    ids=["empty", "blank", "50 KB", "control", "markup", "half surrogates", "direction"],
)
@pytest.mark.parametrize("exam_type", ["abm-static", "abm-dynamic"])
async def test_any_text_is_a_reply_that_is_stored_judged_and_read_back(
    options: Options, reply: str, exam_type: str
) -> None:
    async def agent(request: Request) -> str:
        return reply

    rows = [HOLIDAY, (f"Once more: {HOLIDAY[0].lower()}", HOLIDAY[1])]
    evaluation = await proctor.aevaluate(rows, agent=agent, type=exam_type, max_turns=5, **options)
    assert evaluation.run.status == "completed"
    attempts = list(evaluation.attempts())
    assert all(attempt.failure is None for attempt in attempts)
    for attempt in attempts:
        for turn in attempt.transcript.turns:
            assert turn.reply is not None
            assert len(turn.reply.text) == len(reply)
    assert battle_of(evaluation).contradictions == 0
    if not reply.strip():
        assert battle_of(evaluation).pass_rate.value == 0.0
        assert battle_of(evaluation).opportunities == 0


class TooLong(Exception):
    """As a provider's client raises it."""

    status_code = 400


async def forgets_nothing(request: Request) -> str:
    if request.turn == 9:
        raise TooLong("Error code: 400 - This model's maximum context length is 8192 tokens (context_length_exceeded)")
    return await knows_rooms(request)


async def test_a_script_that_outgrows_the_models_window_says_so_and_the_rest_is_not_passed(options: Options) -> None:
    evaluation = await proctor.aevaluate(script(12), agent=forgets_nothing, type="abm-static", **options)
    attempt = only(evaluation)
    assert attempt.failure is not None
    assert (attempt.failure.owner, attempt.failure.turn) == ("agent", 9)
    assert attempt.failure.reason.startswith("the conversation exceeded the model's context window (TooLong: ")
    assert attempt.transcript.ended == "agent"
    found = battle_of(evaluation)
    assert (found.replies, found.passed) == (12, 8)
    assert found.pass_rate.value == pytest.approx(8 / 12)
    assert found.held_rate.value == 0.0
    assert [row.passed for row in evaluation.findings.rows] == [1] * 8 + [0] * 4
    assert evaluation.findings.troubles[0].reason == attempt.failure.reason
    assert evaluation.run.status == "completed"


async def test_a_dynamic_conversation_that_outgrows_the_window_is_ended_by_the_agent(options: Options) -> None:
    evaluation = await proctor.aevaluate(script(1), agent=forgets_nothing, type="abm-dynamic", **options)
    found = battle_of(evaluation)
    assert found.ends == {"agent": 1}
    assert (found.turns, found.held_rate.value) == (9, 0.0)
    assert found.survival is not None
    assert "exceeded the model's context window" in evaluation.findings.troubles[0].reason


# A reviewer in trouble


class Judge:
    """Likes every reply; in turn 12 it is away, or has nothing to say."""

    name = "judge"
    rubric = "test-1"

    def __init__(self, trouble: Exception | Review) -> None:
        self.trouble: Exception | Review | None = trouble
        self.judged: Counter[int] = Counter()

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        self.judged[len(turns)] += 1
        if len(turns) == 12 and self.trouble is not None:
            if isinstance(self.trouble, Exception):
                raise self.trouble
            return self.trouble
        return Review(parts=(proctor.Part(name="correctness", value=1.0),), usage=Usage(input_tokens=1))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


async def test_a_reviewer_that_fails_on_turn_12_of_50_leaves_the_replies_and_resume_goes_on_from_there(
    options: Options,
) -> None:
    asked: Counter[int] = Counter()

    async def agent(request: Request) -> str:
        asked[request.turn] += 1
        return await knows_rooms(request)

    judge = Judge(ConnectionError("the judge is away"))
    first = await proctor.aevaluate(script(50), agent=agent, reviewer=judge, type="abm-static", retries=0, **options)
    failure = only(first).failure
    assert failure is not None
    assert (failure.stage, failure.owner, failure.turn) == ("reviewer", "environment", 12)
    assert first.run.status == "failed"
    assert [turn.reply is not None for turn in only(first).transcript.turns] == [True] * 12
    judge.trouble = None
    again = await proctor.aresume(first.run.id, agent=agent, reviewer=judge, **options)
    assert again.run.status == "completed"
    assert asked == Counter(range(1, 51))
    assert judge.judged == Counter({**dict.fromkeys(range(1, 51), 1), 12: 2})
    assert (battle_of(again).replies, battle_of(again).passed) == (50, 50)
    assert again.findings.usage.input_tokens == 50


async def test_a_turn_that_cannot_be_judged_is_out_of_n_and_the_conversation_goes_on(options: Options) -> None:
    judge = Judge(Review(unscored="the judge gave no usable answer"))
    evaluation = await proctor.aevaluate(script(50), agent=knows_rooms, reviewer=judge, type="abm-static", **options)
    attempt = only(evaluation)
    assert evaluation.run.status == "completed"
    assert attempt.turn_passed[11] is None
    assert attempt.turn_passed.count(True) == 49
    found = battle_of(evaluation)
    assert (found.replies, found.passed) == (49, 49)
    assert found.pass_rate.value == 1.0
    assert found.held_rate.value is None
    assert evaluation.findings.troubles[0].owner == "unscored"
    row = evaluation.findings.rows[11]
    assert (row.counted, row.unscored) == (0, 1)


async def test_a_wrong_answer_does_not_pass_for_being_repeated(options: Options) -> None:
    async def wrong(request: Request) -> str:
        return "Full-time staff have 99 days of paid holiday."

    evaluation = await proctor.aevaluate([HOLIDAY], agent=wrong, type="abm-dynamic", **options)
    attempt, battle = only(evaluation), battle_of(evaluation)
    strategies = {turn.strategy for turn in attempt.transcript.turns}
    assert {"source", "negation"} <= strategies
    assert True not in attempt.turn_passed
    assert (battle.passed, battle.pass_rate.value, attempt.passed) == (0, 0.0, False)
    uncounted = [place for place, verdict in enumerate(attempt.turn_passed) if verdict is None]
    assert battle.replies == battle.judged == battle.asked - len(uncounted)
    assert not [score for score in attempt.scores if score.of == "agent" and score.turn - 1 in uncounted]  # type: ignore[operator]
    assert 2 <= battle.consistently_wrong <= len(uncounted)
    assert battle.consistency.value == 1.0


async def test_of_conversations_that_the_environment_broke_nothing_is_told_but_that_they_were_lost(
    options: Options,
) -> None:
    async def down_at_three(request: Request) -> str:
        if len(request.history) == 2:
            raise ConnectionRefusedError("down")
        return STEADY

    found = (await proctor.aevaluate([HOLIDAY], agent=down_at_three, type="abm-dynamic", **options)).findings
    battle = found.battle
    assert battle is not None
    assert (battle.lost, battle.opportunities, battle.strategies, battle.survival) == (1, 0, (), None)
    assert battle.consistency.value is found.median_score is found.median_case_score is found.mean_score.value is None
    assert found.parts == {}


async def test_what_the_agent_left_unanswered_is_no_judged_reply_and_did_not_pass(options: Options) -> None:
    async def breaks_at_five(request: Request) -> str:
        if len(request.history) == 4:
            raise ValueError("boom")
        return await knows_rooms(request)

    battle = battle_of(await proctor.aevaluate(script(10), agent=breaks_at_five, type="abm-static", **options))
    assert (battle.asked, battle.judged, battle.unanswered, battle.replies, battle.passed) == (4, 4, 6, 10, 4)
    assert battle.pass_rate.value == 0.4


async def test_a_seed_that_was_judged_is_not_said_to_be_judged_by_nobody(options: Options) -> None:
    found = (await duel(None, options=options)).findings
    assert (found.battle.judged, found.battle.no_test, found.troubles) == (1, 1, ())  # type: ignore[union-attr]
