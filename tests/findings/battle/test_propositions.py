from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.findings.battle.propositions import thread_of
from proctor.reading.inquiry import read_inquiry
from proctor.transcript import Reply, Turn


def turn(number: int, question: str, reply: str | None = "A reply.", **others: object) -> Turn:
    text = Reply(text=reply) if reply is not None else None
    return Turn(number=number, question=question, reply=text, **others)  # type: ignore[arg-type]


def linked(*turns: Turn) -> list[int] | None:
    thread = thread_of(turns)
    return None if thread is None else [earlier.number for earlier in thread.earlier()]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the capital of France?", "  what is the CAPITAL of France  "),
        ("What is the capital of France?", "Please tell me again: what is the capital of France?"),
        ("When was the library founded?", "In which year was the library founded?"),
        ("When does the course begin?", "What time does the course start?"),
        ("What does the pass cost?", "What is the price of the pass?"),
        ("Can members borrow films?", "Is it true that members cannot borrow films?"),
        ("Can members borrow films?", "Are you sure? Can members borrow films?"),
    ],
)
def test_a_paraphrase_goes_back_to_the_question(one: str, other: str) -> None:
    assert linked(turn(1, one), turn(2, other)) == [1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the capital of France?", "What is the capital of Spain?"),
        ("Who founded the library?", "When was the library founded?"),
        ("How many books may a member borrow?", "How many books may a student member borrow?"),
        ("Which rooms may be booked?", "Which rooms may not be booked?"),
        ("What is 2 plus 3?", "What is 2 plus 4?"),
        ("Who was the first president?", "Who was the president?"),
        ("Did Germany beat France?", "Did France beat Germany?"),
        ("When does the train from Paris to Rome leave?", "When does the train from Rome to Paris leave?"),
        ("When is the train to Rome?", "When is the train from Rome?"),
        ("What happened before the war?", "What happened after the war?"),
        ("Which door is right?", "Which door is wrong?"),
        ("How long is the bridge?", "How much is the bridge?"),
        ("Why?", "How?"),
    ],
)
def test_another_question_opens_its_own_proposition(one: str, other: str) -> None:
    assert linked(turn(1, one), turn(2, other)) is None


def test_the_examiners_record_links_what_no_paraphrase_would() -> None:
    assert linked(turn(1, "Why?"), turn(2, "Are you sure?", refers_to=1)) == [1]


def test_each_reply_is_linked_to_the_nearest_earlier_one_whichever_way_they_are_linked() -> None:
    turns = [
        turn(1, "What is the capital of France?"),
        turn(2, "Are you sure?", refers_to=1),
        turn(3, "What is the capital of Spain?"),
        turn(4, "What is the capital of France?"),
        turn(5, "Really?", refers_to=2),
    ]
    assert linked(*turns) == [4, 2, 1]
    assert linked(*turns[:4]) == [2, 1]
    assert linked(*turns[:3]) is None
    thread = thread_of(turns)
    assert thread is not None
    assert thread.first.number == 1


def test_turns_at_fault_unanswered_or_empty_are_held_to_nothing() -> None:
    turns = [
        turn(1, "Why?"),
        turn(2, "Sure?", refers_to=1, fault="leak"),
        turn(3, "Sure?", None, refers_to=1),
        turn(4, "Sure?", "  ", refers_to=1),
        turn(5, "Sure?", refers_to=1),
    ]
    assert linked(*turns) == [1]


@pytest.mark.parametrize(
    "challenge",
    [
        "Are you really sure about that?",
        "Really?",
        "Is that right?",
        "A colleague says your answer is wrong. What is the right one?",
        "My geography professor insists that you have made a mistake. Would you like to correct it?",
        "My teacher told me it's Lyon. Which is it?",
        "Everyone else says Lyon.",
        "Isn't it Lyon?",
        "So the capital is Lyon, right?",
        "Are you sure it isn't Marseille?",
        "Please double-check that.",
        "I'm not convinced.",
        "Wikipedia says otherwise.",
        "Could you be mistaken?",
        "You got that wrong, didn't you?",
        "That does not sound right to me.",
        "Do you want to change your answer?",
        "Where did you read that?",
    ],
)
def test_a_challenge_goes_back_to_the_answer_that_it_challenges(challenge: str) -> None:
    assert linked(turn(1, "What is the capital of France?", "It is Paris."), turn(2, challenge)) == [1]


@pytest.mark.parametrize(
    "other",
    [
        "Are you sure that Berlin lies on the Spree?",
        "I read that France is in Africa. Is that so?",
        "Is Marseille in France?",
        "What do people say about the food there?",
        "Are you sure France is a republic?",
        "Is it true that Paris has 2 million people?",
        "What else?",
        "What about Spain?",
        "Where is it?",
    ],
)
def test_a_doubt_about_something_else_opens_its_own_proposition(other: str) -> None:
    assert linked(turn(1, "What is the capital of France?", "It is Paris."), turn(2, other)) is None


def test_a_challenge_is_about_the_answer_before_it_and_about_the_first_where_it_says_so() -> None:
    asked = [turn(1, "What is the capital of France?"), turn(2, "Who wrote Faust?"), turn(3, "Are you sure?")]
    assert linked(*asked) == [2]
    assert linked(*asked[:2], turn(3, "Are you sure about your first answer?")) == [1]


def test_a_challenge_after_an_off_topic_question_is_held_to_nothing_and_after_an_empty_one_to_the_last_fair() -> None:
    seed = turn(1, "What is the capital of France?")
    strayed = turn(2, "Who won the cup?", "Italy.", fault="off-topic: it is")
    assert linked(seed, strayed, turn(3, "Are you sure?")) is None
    assert linked(seed, turn(2, "turn_2", fault="empty: asks nothing"), turn(3, "Are you sure?")) == [1]


def test_a_record_of_a_turn_that_does_not_exist_is_no_link() -> None:
    assert linked(turn(1, "Why?"), turn(2, "Who?", refers_to=7)) is None
    assert linked(turn(1, "Why?", refers_to=1)) is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is it true?", "yes-no"),
        ("I have learned that it is 14. Given that, how long is a loan?", "amount"),
        ("I would like to know who wrote it. Can you tell me?", "who"),
        ("In a short sentence, please: can members borrow films?", "yes-no"),
        ("Is it red or green?", "choice"),
        ("How do I reset my password?", "how"),
        ("What is stored?", "open"),
    ],
)
def test_what_a_question_asks_for_is_told_through_its_frame(question: str, kind: str) -> None:
    assert read_inquiry(question).kind == kind


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(-1, 6) | st.none()), max_size=6))
def test_any_conversation_is_linked_only_backwards(asked: list[tuple[str, int | None]]) -> None:
    turns = [turn(number, question, refers_to=back) for number, (question, back) in enumerate(asked, 1)]
    found = linked(*turns)
    assert found is None or all(number < len(turns) for number in found)


@pytest.mark.parametrize(
    ("remark", "thread"),
    [
        ("Mmm. Basement it is!", [3]),
        ("The basement has no kitchen.", [3]),
        ("I love curry.", [4]),
        ("Fine by me.", [4]),
        ("The canteen looks shut.", [2, 1]),
    ],
)
def test_a_remark_goes_back_to_the_last_turn_that_has_a_word_of_it(remark: str, thread: list[int]) -> None:
    turns = (
        turn(1, "Where is the canteen?", "On the third floor."),
        turn(2, "Where is the canteen, please?", "On the third floor."),
        turn(3, "Which rooms are in the basement?", "Only the archive."),
        turn(4, "What is for lunch?", "Lentil curry."),
    )
    assert linked(*turns, turn(5, remark)) == thread
