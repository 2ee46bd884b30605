"""Values, names and lists in the spellings of every day, each beside a wrong one in nearly the same words."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge


def check(question: str, expected: str, right: str, wrong: str) -> None:
    assert judge(question, expected, right).value >= 0.7, right
    assert judge(question, expected, wrong).value < 0.7, wrong


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("How much storage do I get?", "32 GB", "Thirty-two gigs.", "Thirty-two megs."),
        ("How long does the patent last?", "10 years", "It lasts for a decade.", "It lasts for a century."),
        ("How long does delivery take?", "1 working day", "It comes the next working day.", "It comes in two weeks."),
        ("When does the night bus leave?", "6:15 a.m.", "0615 hours", "0515 hours"),
        ("When was the siege?", "1529 to 1546", "1529–46", "1529–47"),
        ("How long is the trail?", "18.3 km", "a bit over 18 km", "a bit over 21 km"),
        ("What do tickets cost?", "$20 to $35", "They start at $20 and go up to $35.", "They run from $20 up to $50."),
        (
            "Which ages may join?",
            "6 to 9 years",
            "Those from six up to nine can join.",
            "From six up to twelve can join.",
        ),
        ("How many minutes does it bake?", "45", "three quarters of an hour", "three quarters of a day"),
        ("How many hours is the flight?", "1.5", "It takes 90 minutes.", "It takes 15 minutes."),
        ("How many metres is the pool?", "1500", "It is 1500 metres long.", "It is 1500 feet long."),
    ],
)
def test_a_value_is_known_in_everyday_spelling(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)


def test_what_may_be_added_later_is_no_part_of_a_sum() -> None:
    check(
        "How long is the lease?",
        "four years",
        "Two years and another two years after that.",
        "Two years. It may be renewed for another two.",
    )


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("What is the printer called?", "Hilltop-Lobby", "It's called hilltop lobby.", "It's called Hilltop-Basement."),
        ("Where are the minutes?", "Board/Minutes/Final", "In Board/Minutes/Final.", "In Board/Minutes/Open."),
        ("Which firm audits us?", "Krüger & Vale", "Krueger & Vale do.", "Hansen & Vale do."),
        (
            "When is the market?",
            "the first Monday in May",
            "On the first Monday in May.",
            "On the third Monday in May.",
        ),
        (
            "Which queue does the mail service use?",
            "RabbitMQ",
            "It's on RabbitMQ, as ever.",
            "It's on Kafka. The report service has RabbitMQ.",
        ),
        (
            "Which town hosted the fair?",
            "Lund",
            "It was held in Lund.",
            "It was held in Malmo; Lund merely paid for it.",
        ),
    ],
)
def test_a_name_with_another_part_or_said_of_something_else_is_not_given(
    question: str, expected: str, right: str, wrong: str
) -> None:
    check(question, expected, right, wrong)


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        (
            "What does the plan include?",
            "hosting, phone support",
            "The plan has phone support and hosting in it.",
            "The plan has hosting, phone support and monitoring in it.",
        ),
        (
            "Who joined the call?",
            "Mr. Ito, Ms. Vega, Mr. Lund",
            "Mr. Lund, Ms. Vega and Mr. Ito joined.",
            "Mr. Ito and Mr. Lund joined. Ms. Vega was absent.",
        ),
        (
            "What is the alloy made of?",
            "copper, tin",
            "It is 88 % copper and 11 % tin; the rest is zinc and lead.",
            "It is copper, zinc and lead.",
        ),
        ("Which grades are there?", "A, B, AB", "A, B and AB.", "There are A and B."),
    ],
)
def test_a_list_is_met_by_its_items_and_no_others(question: str, expected: str, right: str, wrong: str) -> None:
    check(question, expected, right, wrong)
