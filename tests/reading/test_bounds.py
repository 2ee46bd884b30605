"""A value on one side, and the answer at it or on the other; an office, and who holds it."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("When must the form be returned?", "Before 3 May", "After 3 May"),
        ("How much is the season pass?", "130 EUR", "Less than 130 EUR."),
        ("How much is the season pass?", "130 EUR", "About 20 EUR more than 130 EUR."),
        ("How long is the guarantee?", "3 years", "Under 3 years"),
        ("Who is the treasurer?", "Ines Kraft", "Paul Moor is the treasurer; Ines Kraft is the secretary."),
        ("How much is a ticket to Bergen?", "45 EUR", "The Bergen fare is 60 EUR. (The Oslo fare is 45 EUR.)"),
    ],
)
def test_the_other_side_of_a_value_or_another_holder_does_not_pass(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).right is not True


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("When must the form be returned?", "Before 3 May", "It has to reach us before 3 May."),
        ("How much is the season pass?", "130 EUR", "130 EUR, no more and no less."),
        ("How long is the river?", "130 km", "Just over 130 km."),
        ("How many episodes are there?", "300", "Over 300 episodes."),
        ("How large may a file be at most?", "25 MB", "Anything over 25 MB is rejected."),
        ("Who is the treasurer?", "Ines Kraft", "Ines Kraft is the treasurer; Paul Moor is the secretary."),
        ("Who is the treasurer?", "Ines Kraft", "Ines Kraft is an engineer from Lund. She is the treasurer."),
    ],
)
def test_the_value_itself_and_the_holder_pass(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).right is True


@pytest.mark.parametrize(
    ("question", "expected", "reply", "right"),
    [
        ("Is parking allowed?", "No", "No one will stop you: parking is allowed.", False),
        ("Is parking allowed?", "No", "No one may park here.", True),
        ("Did anybody answer?", "No", "No one answered the call.", True),
        ("Is a ticket needed?", "Yes", "No one gets in without a ticket.", True),
    ],
)
def test_no_one_is_no_answer_unless_somebody_was_asked_for(
    question: str, expected: str, reply: str, right: bool
) -> None:
    assert (judge(question, expected, reply).right is True) is right


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        ("Who is the captain?", "Anna Berg", "Anna Berg is from Oslo, and she is the captain."),
        (
            "Who is the director of sales?",
            "Anna Berg",
            "Anna Berg is head of sales. Tom Holt is director of marketing.",
        ),
        ("Will my parcel arrive within 5 days?", "Yes", "It usually arrives in 3 days."),
        ("Is the bar open at 11 pm?", "Yes", "We're open from 6 pm to 2 am."),
        ("Do I need to pay before the trip?", "No", "Nothing is due before you travel."),
        ("Is Russia the largest country?", "Yes", "It's the largest by area; Canada comes second."),
    ],
)
def test_what_stands_beside_a_right_answer_does_not_refute_it(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).right is True


def test_a_question_with_an_empty_place_is_judged_like_any_other() -> None:
    assert judge("Who is  ?", "Tom Holt", "Tom Holt is the captain").right is True
