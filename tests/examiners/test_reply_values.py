from __future__ import annotations

import pytest

from proctor.examiners.reply_values import kind_of, main_value, read, states


@pytest.mark.parametrize(
    ("question", "reply", "value"),
    [
        (
            "Who is the managing director?",
            "The director of the firm is Ingrid Halvorsen, since 2019.",
            "Ingrid Halvorsen",
        ),
        ("Since when is she there?", "Ingrid Halvorsen came on 3 May 2019.", "3 May 2019"),
        ("How many days of holiday are there?", "In 2019 it was raised to 28 days.", "28 days"),
        ("What is the capital of France?", "Paris is the capital of France.", "Paris"),
        ("Who wrote it?", "J. R. R. Tolkien wrote it.", "J. R. R. Tolkien"),
        ("Is it open?", "No, it is closed.", "no"),
        ("Capital of France?", "paris", "paris"),
        ("What book is it?", "It is The Lord of the Rings, I think.", "Lord of the Rings"),
        ("When did it burn?", "Read (history/fire-of-1978.md, The Night). It burned in 1981.", "1981"),
    ],
)
def test_the_value_that_answers_the_question_is_found(question: str, reply: str, value: str) -> None:
    found = main_value(question, read(reply))
    assert found is not None
    assert found.text == value


@pytest.mark.parametrize(
    "reply", ["", "I do not know.", "That depends on a great many things that nobody has told me so far."]
)
def test_where_nothing_is_stated_there_is_no_value(reply: str) -> None:
    assert main_value("How many days?", read(reply)) is None


def test_a_sentence_is_quoted_without_the_place_it_points_at() -> None:
    reading = read(
        "(history/fire-of-1978.md, The Night) It burned for two hours (history/fire-of-1978.md). That is all."
    )
    assert reading.sentences == ["It burned for two hours.", "That is all."]
    assert [value.text for value in reading.values] == ["two hours"]


def test_an_answer_that_is_itself_a_path_is_still_found() -> None:
    assert states("See policies/travel.md.", "policies/travel.md") is True


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is it open?", "polarity"),
        ("How long does it last?", "number"),
        ("In which year was it built?", "date"),
        ("Where is it?", "name"),
        ("Explain the rule.", "open"),
    ],
)
def test_the_kind_of_answer_is_seen_from_the_question(question: str, kind: str) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("text", "answer", "verdict"),
    [
        ("They have 28 days.", "28 days", True),
        ("They have 28 days in all", "twenty-eight days", True),
        ("They have 30 days.", "28 days", False),
        ("By 31 March 2020.", "31 March", True),
        ("By 1 April.", "31 March", False),
        ("They have 128 days.", "28 days", False),
        ("They have 1,128 days.", "28 days", False),
        ("It costs 28.50", "28", False),
        ("It opens at half past nine.", "9:30", True),
        ("It opens at 8:30.", "9:30", False),
        ("It is Ingrid Halvorsen.", "Ingrid Halvorsen", True),
        ("It is Bob Miller.", "Ingrid Halvorsen", False),
        ("It is Ingrid Miller.", "Ingrid Halvorsen", None),
        ("Yes, of course.", "Yes", True),
        ("No.", "Yes", False),
        ("Perhaps.", "Yes", None),
        ("It is in the UK.", "United Kingdom / Britain", True),
    ],
)
def test_a_stated_answer_is_recognised_and_what_is_unclear_stays_open(
    text: str, answer: str, verdict: bool | None
) -> None:
    assert states(text, answer) is verdict


def test_a_value_of_another_kind_than_was_asked_for_is_no_answer() -> None:
    reply = '{"answer": "Ingrid Halvorsen", "confidence": 0.93}'
    found = main_value("Who is the managing director?", read(reply))
    assert found is None or found.text == "Ingrid Halvorsen"
    assert main_value("Who is the managing director?", read("There are 3 directors.")) is None
