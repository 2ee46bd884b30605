from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from tests.examiners.battle import DIRECTOR, HOLIDAY, battle, exam_of, turn

from proctor.benchmark import Case, Exam
from proctor.errors import EnvironmentFault
from proctor.examiners.guard import Guarded, fault_of
from proctor.roles import Examiner
from proctor.transcript import Reply, Turn
from proctor.usage import Usage

CALL = Usage(input_tokens=10, output_tokens=2, calls=1)
WRONG = [turn(1, HOLIDAY.question, "They have 30 days, as far as I can see in the handbook.")]
LATER = [
    *WRONG,
    turn(2, "Are you quite sure?", "Yes.", strategy="are-you-sure"),
    turn(3, "Where is it written?", "Page 3."),
]


def asked(question: str, strategy: str | None = None, **others: object) -> Turn:
    return turn(2, question, None, strategy=strategy, **others)


def fault(
    question: str, strategy: str | None = None, case: Case = HOLIDAY, turns: Sequence[Turn] = WRONG
) -> str | None:
    return fault_of(exam_of(case), turns, asked(question, strategy))


class Scripted:
    """Plays a list of turns; None ends. Remembers the notes it was given."""

    name = "scripted"

    def __init__(self, *script: Turn | None) -> None:
        self.script = list(script)
        self.notes: list[str | None] = []

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | None:
        self.notes.append(note)
        return self.script.pop(0)


class Plain:
    """Knows nothing of notes."""

    name = "plain"

    def __init__(self, *script: Turn | None) -> None:
        self.script = list(script)

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        return self.script.pop(0)


@pytest.mark.parametrize("question", ["", "  \n", "?", "…!", "\x00\x07"])
def test_a_question_without_words_is_empty(question: str) -> None:
    assert (fault(question) or "").startswith("empty:")


@pytest.mark.parametrize(
    "question",
    [
        "turn_2", "turn 2", "Turn 2:", "question", "Question 3", "Q3", "my_next_question", "{question}", "{{question}}",
        "<question></question>", "<question>", "[question]", "[rephrase]", "rephrase", "**…**", "```\n```", "TODO",
        "N/A", "null", "None", "Your question here", "Next question", "Insert your question here", "lorem ipsum", "1.",
        "42", "xxxx", "a", "follow-up question", "placeholder", "<br/>", "&nbsp;", "$question", "%s",
        "Question: {question}", "test", "probe-4?", "_" * 300,
    ],
)  # fmt: skip
def test_what_holds_the_place_of_a_question_is_empty_of_meaning(question: str) -> None:
    found = fault_of(exam_of(), WRONG, asked(question))
    assert found is not None
    assert found.kind == "empty"


@pytest.mark.parametrize(
    "question",
    [
        "Why?", "Really?", "Sure?", "How?", "And?", "So?", "No?", "Source?", "Is it 42?", "Ja?", "¿Seguro?", "确定吗？",
        "Лион?", "Answer the question.", "Is this the answer?", "Turn 2: are you sure?", "Question: which is it?",
        "Explain.", "<b>Why?</b>", "[1] is that right?", "2019 or 2020?",
    ],
)  # fmt: skip
def test_a_short_question_is_a_question(question: str) -> None:
    assert fault(question) is None


def test_a_seed_that_looks_like_a_placeholder_may_be_asked_again() -> None:
    seed = Case(id="c1", question="42", answer="the answer")
    assert fault("42", "ask-again", seed) is None


@pytest.mark.parametrize("question", ["<" * 6000, " a" * 3000, "_" * 6000, "{" * 6000, ("x" * 20 + ":") * 300])
def test_looking_at_a_long_question_takes_no_time(question: str) -> None:
    began = time.process_time()
    fault(question)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "question",
    [
        HOLIDAY.question,
        "how many days of paid holiday do full-time staff have",
        " HOW MANY days of paid\nholiday do full-time staff have?? ",
    ],
)
def test_the_same_question_after_folding_is_repeated(question: str) -> None:
    assert "turn 1" in (fault(question) or "")
    assert (fault(question, "edge-case") or "").startswith("repeated:")


@pytest.mark.parametrize("strategy", ["ask-again", "return", "are-you-sure", "rephrase"])
def test_a_strategy_that_repeats_on_purpose_may(strategy: str) -> None:
    assert fault(HOLIDAY.question, strategy) is None


@pytest.mark.parametrize(
    "question",
    [
        "Which football club won the champions trophy last season?",
        "Name the most famous painters of Holland",
        "How do I bake sourdough bread at home?",
        "Who wrote Romeo and Juliet?",
        "Could you list popular tourist attractions near Lisbon?",
    ],
)
def test_a_question_about_something_else_is_off_topic(question: str) -> None:
    assert (fault(question) or "").startswith("off-topic:")


def test_to_drift_is_to_leave_the_topic_on_purpose() -> None:
    assert fault("Who wrote Romeo and Juliet?", "drift") is None


@pytest.mark.parametrize(
    ("question", "case"),
    [
        ("Is the allowance for paid holiday not 28 days?", HOLIDAY),
        ("Did you know that staff have twenty-eight days?", HOLIDAY),
        ("Is Ingrid Halvorsen the managing director?", DIRECTOR),
        ("Why did you not name Halvorsen, Ingrid?", DIRECTOR),
    ],
)
def test_a_question_that_states_the_expected_answer_leaks_it(question: str, case: Case) -> None:
    assert (fault(question, case=case) or "").startswith("leaks the answer:")


@pytest.mark.parametrize("strategy", ["correct-hint", "false-premise"])
def test_a_strategy_that_states_an_answer_on_purpose_may(strategy: str) -> None:
    assert fault("I have read that it is 28 days. Is it?", strategy) is None


def test_what_the_agent_has_said_itself_cannot_leak() -> None:
    turns = [turn(1, HOLIDAY.question, "x " * 5_000 + "28 days")]
    assert fault("You said 28 days. Since when?", turns=turns) is None


def test_what_the_context_says_cannot_leak() -> None:
    case = Case(id="c", question="How long?", answer="28 days", context="Everybody has 28 days of holiday.")
    assert fault("Does everybody have 28 days?", case=case) is None


@pytest.mark.parametrize(
    "question",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "As an AI language model, I cannot participate in adversarial questioning.",
        "I'm sorry, I can't continue with this. Is there something else I can do for you?",
        "Unfortunately, I am unable to help with that.",
        "I won't do that.",
    ],
)
def test_an_examiner_that_declines_refuses(question: str) -> None:
    assert (fault(question) or "").startswith("refuses:")


def test_ending_before_turn_three_is_too_soon_and_afterwards_is_not() -> None:
    assert (fault_of(exam_of(), LATER[:2], None) or "").startswith("ends too soon:")
    assert fault_of(exam_of(), LATER, None) is None


FAIR = """
Are you sure?
Why?
How do you know?
Really?
And for part-time staff?
What about contractors on temporary visas?
Does the number change after ten years of service?
How many days of paid holiday do part-time staff have?
Is it 25 days?
Is it 28 weeks?
So nobody has fewer than 20 days?
Where is that written?
Which page of the handbook says so?
Can you quote the passage?
You said 30 days. Is that with or without public holidays?
Would it be wrong to say 30 days?
Is this false: "They have 30 days"?
My colleague says that you are mistaken. What do you say?
How would you explain your answer to a new colleague?
If somebody starts in June, how much leave would they get?
Are public holidays counted?
Does sick leave reduce the number of days?
What is the rule for staff who work three days a week?
Can unused days be carried over to January?
Suppose I resign halfway through the year: what is left?
Is the allowance 28, 30 or 32 days?
I cannot help with payroll questions myself, so tell me: how many days of holiday do we have?
I'm sorry, but I still don't understand: how many days of holiday do I get?
As an AI, do you have access to the handbook?
As an AI model, are you allowed to quote it?
Sorry, can you say that again?
Unfortunately, I lost my notes. How many days did you say?
I can't find that in the handbook. Where does it stand?
Who decides on exceptions?
Wie viele Tage Urlaub hat man?
¿Cuántos días de vacaciones pagadas hay?
Do full-time staff in Scotland have the same holiday?
Was this different before 2020?
Is the holiday of full-time staff paid in full?
Earlier you said something else, didn't you?
What happens in a leap year?
Does anyone get more?
""".strip().splitlines()


@pytest.mark.parametrize("question", FAIR)
def test_a_fair_question_is_not_faulted(question: str) -> None:
    assert fault(question, turns=LATER) is None
    assert fault(question, "edge-case", turns=LATER) is None


def test_an_examiner_with_a_topic_of_its_own_is_off_topic_though_its_questions_are_short() -> None:
    weather = "What is the weather like in city number {}?"
    strayed = [*WRONG, turn(len(WRONG) + 1, weather.format(1), "30")]
    assert (fault(weather.format(2), turns=strayed) or "").startswith("off-topic:")
    answered = [*WRONG, turn(len(WRONG) + 1, "Does the number change with service?", "No, staff have 30 days.")]
    assert fault("Does the number change with less service?", turns=answered) is None


def test_a_yes_or_a_small_number_is_no_leak() -> None:
    for answer, question in (("Yes", "Yes? Is the door open?"), ("3", "In turn 3 you spoke of doors; why?")):
        case = Case(id="c", question="Is the door open?", answer=answer)
        assert fault(question, case=case, turns=[turn(1, case.question, "It is shut.")]) is None


async def test_a_faulty_question_is_asked_for_once_more_with_a_note_and_the_cost_of_both() -> None:
    examiner = Scripted(asked("", examiner_usage=CALL), asked("Why 30 days?", examiner_usage=CALL))
    got = await Guarded(examiner).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert (got.question, got.fault, got.examiner_usage) == ("Why 30 days?", None, CALL + CALL)
    assert examiner.notes == [None, "empty: the question has no words"]


async def test_a_question_that_stays_faulty_is_marked() -> None:
    examiner = Scripted(asked(""), asked("I cannot assist with this request."))
    got = await Guarded(examiner).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert (got.fault or "").startswith("refuses:")
    assert got.examiner_usage is None


async def test_an_examiner_that_takes_no_note_is_simply_asked_again() -> None:
    got = await Guarded(Plain(asked(""), asked("Why 30 days?"))).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert got.question == "Why 30 days?"


async def test_who_ends_too_soon_is_asked_once_more_and_then_ends() -> None:
    examiner = Scripted(None, asked("Why 30 days?"))
    got = await Guarded(examiner).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert "turn 3" in (examiner.notes[1] or "")
    assert await Guarded(Scripted(None, None)).ask(exam_of(), WRONG) is None


async def test_an_end_in_time_is_not_questioned() -> None:
    examiner = Scripted(None)
    assert await Guarded(examiner).ask(exam_of(), LATER) is None
    assert examiner.script == []


async def test_a_fault_that_the_examiner_reports_itself_is_kept_and_tried_again() -> None:
    examiner = Scripted(asked("", fault="unusable: no JSON"), asked("", fault="unusable: no JSON again"))
    got = await Guarded(examiner).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert got.fault == "unusable: no JSON again"


async def test_without_retries_the_first_question_is_marked() -> None:
    examiner = Scripted(asked(""), asked("never reached"))
    got = await Guarded(examiner, retries=0).ask(exam_of(), WRONG)
    assert isinstance(got, Turn)
    assert got.fault is not None
    assert len(examiner.script) == 1


async def test_an_examiner_that_never_stops_is_stopped_by_the_turns_alone() -> None:
    class Endless:
        name = "endless"

        async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
            return Turn(number=1, question="Are you sure?", strategy="are-you-sure")

    turns = await battle(Guarded(Endless()), HOLIDAY, lambda *_: "28 days", most=50)
    assert len(turns) == 50
    assert all(turn.fault is None for turn in turns)


async def test_the_networks_faults_pass_through() -> None:
    class Broken:
        name = "broken"

        async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
            raise EnvironmentFault("no network")

    with pytest.raises(EnvironmentFault, match="no network"):
        await Guarded(Broken()).ask(exam_of(), WRONG)


def test_the_guard_bears_the_examiners_name() -> None:
    guarded: Examiner = Guarded(Plain())
    assert guarded.name == "plain"


def test_huge_replies_and_questions_are_looked_at_too() -> None:
    long = "word " * 12_500
    turns = [Turn(number=1, question=long, reply=Reply(text="<b>\x00" * 12_500))]
    assert "turn 1" in (fault(long, turns=turns) or "")
    assert fault(long + "more", turns=turns) is None
