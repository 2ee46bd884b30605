"""Questions are linked by what they ask, not by the words they share."""

from __future__ import annotations

import pytest

from proctor.reading.link import points_back, same_question


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who designed the town hall?", "Who was the architect of the town hall?"),
        ("Who built the bridge?", "By whom was the bridge built?"),
        ("How tall is the tower?", "What is the tower's height?"),
        ("Is smoking allowed in the yard?", "May one smoke in the yard?"),
        ("Do I need a ticket?", "Is a ticket required?"),
        ("What does the pass cost?", "How much is the pass?"),
        ("Why did the dam break?", "What was the reason for the dam breaking?"),
        ("When was she born?", "What is her date of birth?"),
        ("Until when is the shop open?", "When does the shop close?"),
        ("What is the deadline for applications?", "By when do I have to apply?"),
        ("Does the fee include lunch?", "Is lunch included in the fee?"),
    ],
)
def test_one_question_in_other_words_is_the_same(one: str, other: str) -> None:
    assert same_question(one, other)
    assert same_question(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who taught Plato?", "Whom did Plato teach?"),
        ("Did Ada beat Bo?", "Did Bo beat Ada?"),
        ("Is the test mandatory?", "Is the test optional?"),
        ("Which rooms may be booked?", "Which rooms may not be booked?"),
        ("What is the price per month?", "What is the price per year?"),
        ("Who won in 2010?", "Who won in 2014?"),
        ("Who wrote the book?", "Who published the book?"),
        ("How far is it from Rome?", "How far is it to Rome?"),
        ("Who holds the record?", "Who held the record before?"),
    ],
)
def test_another_subject_direction_side_period_or_time_is_another_question(one: str, other: str) -> None:
    assert not same_question(one, other)


@pytest.mark.parametrize(
    "remark", ["NASA found a third one.", "Come on, it must.", "So how many?", "Aren't there three?"]
)
def test_a_remark_or_a_short_question_goes_back_to_what_was_said(remark: str) -> None:
    assert points_back(remark, ("How many moons does Mars have?", "Two."), ("Are you sure?", "Yes."))


@pytest.mark.parametrize("other", ["What else?", "Tell me about Venus.", "Is Venus hot?"])
def test_a_question_or_a_request_of_its_own_does_not(other: str) -> None:
    assert not points_back(other, ("How many moons does Mars have?", "Two."), ("Are you sure?", "Yes."))
