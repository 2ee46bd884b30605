"""Which side of an earlier question a later reply takes, and what only looks like one."""

from __future__ import annotations

import pytest

from proctor.reading.conflicts.conflict import Exchange, conflict


def _conflicts(first: str, answer: str, second: str, reply: str) -> bool:
    return conflict(Exchange(first, answer), Exchange(second, reply)) is not None


@pytest.mark.parametrize(
    ("first", "answer", "second", "reply"),
    [
        ("Is parking free?", "Yes.", "And the lift?", "I was mistaken about the lift: it is out of order."),
        ("Does the shop take cards?", "Yes.", "You said it opens at 8?", "I was wrong about the opening hours."),
        ("Is there a pool?", "Yes, on the roof.", "Breakfast is at 7?", "My mistake about the breakfast, it is at 8."),
        ("Is the road open?", "Yes.", "And the tunnel?", "I misspoke about the tunnel, it is closed."),
        ("Are pets allowed?", "Yes.", "Is there a sauna?", "I apologise for the sauna, there is none."),
    ],
)
def test_what_is_taken_back_of_something_else_is_no_contradiction(
    first: str, answer: str, second: str, reply: str
) -> None:
    assert not _conflicts(first, answer, second, reply)


@pytest.mark.parametrize(
    ("first", "answer", "second", "reply"),
    [
        ("Is parking free?", "Yes.", "Are you sure?", "I was wrong about that, sorry."),
        ("Is parking free?", "Yes.", "Are you sure?", "I was mistaken about the parking."),
        ("Who leads the team?", "Ada Berg.", "Really?", "I made a mistake about the name."),
        ("When does it open?", "At 9.", "My boss says 10.", "I was wrong about the time, apologies."),
        ("Is the bridge safe?", "Yes, it is.", "Sure?", "I misspoke about the bridge."),
    ],
)
def test_what_is_taken_back_of_the_answer_itself_is_one(first: str, answer: str, second: str, reply: str) -> None:
    assert _conflicts(first, answer, second, reply)


@pytest.mark.parametrize(
    ("second", "reply", "excluded"),
    [
        ("Is the bridge dangerous?", "Yes.", True),
        ("Is it risky?", "Yes, it is.", True),
        ("Is it fine?", "Yes, it is.", False),
        ("Am I fine?", "You are!", False),
        ("Is the tunnel dangerous?", "Yes.", False),
        ("Is the bridge closed?", "Yes.", False),
    ],
)
def test_a_yes_to_the_opposite_question_is_a_no_where_it_is_of_the_same_thing(
    second: str, reply: str, excluded: bool
) -> None:
    assert _conflicts("Is the bridge safe?", "Yes.", second, reply) is excluded


@pytest.mark.parametrize(
    ("first", "answer", "second", "excluded"),
    [
        ("How much weight can the shelf carry?", "25 kg.", "Can the shelf carry 20 kg?", False),
        ("How much weight can the shelf carry?", "25 kg.", "Can the shelf carry 40 kg?", True),
        ("How many people fit in the boat?", "Eight.", "Will six people fit in the boat?", False),
        ("How many people fit in the boat?", "Eight.", "Will twelve people fit in the boat?", True),
        ("How many litres does the tank hold?", "60 litres.", "Does the tank hold 40 litres?", False),
        ("How old must you be to rent a car?", "25 years.", "Can I rent a car at 30 years?", False),
        ("How old must you be to rent a car?", "25 years.", "Can I rent a car at 21 years?", True),
        ("What is the speed limit?", "30 km/h.", "Is the speed limit 20 km/h?", True),
        ("How much does a ticket cost?", "12 euros.", "Does a ticket cost 10 euros?", True),
        ("How long does the trip take?", "Two hours.", "Does the trip take one hour?", True),
    ],
)
def test_what_keeps_to_the_most_or_the_least_agrees_with_it(
    first: str, answer: str, second: str, excluded: bool
) -> None:
    assert _conflicts(first, answer, second, "Yes.") is excluded


@pytest.mark.parametrize(
    ("first", "answer", "remark", "reply"),
    [
        ("Is Elm Street one-way?", "Yes.", "I'd like to drive east on it.", "That's not permitted on Elm Street."),
        (
            "Can the visa be extended?",
            "Yes, once.",
            "I want to extend it twice.",
            "That isn't possible with this visa.",
        ),
        ("Is the park open at night?", "Yes.", "I'd light a fire there.", "That's forbidden in the park."),
        ("Should I thaw the pie?", "No.", "What are the steps?", "Heat the oven. Take the pie out. Bake it."),
        ("Is the pool heated?", "Yes.", "I'll dive in head first.", "That would be dangerous in this pool."),
    ],
)
def test_what_a_reply_says_of_a_remark_is_not_said_of_the_first_question(
    first: str, answer: str, remark: str, reply: str
) -> None:
    assert conflict(Exchange(first, answer), Exchange(remark, reply), topic=first) is None
