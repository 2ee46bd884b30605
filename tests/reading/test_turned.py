from __future__ import annotations

import time

import pytest

from proctor.reading.answer import judge

TURNED = [
    ("What should I do first?", "Turn off the power.", "Switch the power off.", "Turn on the power."),
    ("What should I do at night?", "Log out of the system.", "Log out of the system first.", "Log in to the system."),
    ("How do I see more?", "Scroll down the page.", "Just scroll down.", "Scroll up the page."),
    ("Where do I park?", "In the north car park.", "You park in the north car park.", "In the south car park."),
    ("Where is the button?", "On the left side.", "It's on the left side.", "On the right side."),
    ("Who can edit the file?", "Only the owner.", "Just the owner.", "Everyone who has the link."),
    (
        "Who can see my data?",
        "Only you and your manager.",
        "You and your manager, nobody else.",
        "Everyone, and you too.",
    ),
    (
        "What does the light mean?",
        "The battery is low.",
        "The battery is running low.",
        "The battery is fully charged.",
    ),
    ("What do I get?", "You get a full refund.", "A full refund.", "You get half of the price back."),
    ("When should I take them?", "Before meals.", "Take them before meals.", "Take them after meals."),
    ("What changed?", "It uses less memory.", "It uses less memory now.", "It uses more memory."),
    ("How does it sort?", "In ascending order.", "Ascending order.", "In descending order."),
    ("What do I do with the lid?", "Close the lid tightly.", "Shut the lid tightly.", "Leave the lid open."),
    ("When is it quiet?", "In the morning.", "Mornings are quiet.", "In the evening."),
]


@pytest.mark.parametrize(("question", "expected", "right", "wrong"), TURNED)
def test_a_short_answer_that_is_turned_round_does_not_pass(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).right is True
    assert judge(question, expected, wrong).right is not True


@pytest.mark.parametrize(
    ("expected", "reply"),
    [
        ("The battery is low.", "The battery is not full, it is low."),
        ("In the north car park.", "In the north car park, not the south one."),
        ("Before meals.", "Before meals, never after them."),
        ("Turn off the power.", "Turn off the power, and turn it on again later."),
    ],
)
def test_to_name_both_sides_turns_nothing_round(expected: str, reply: str) -> None:
    assert judge("What should I know?", expected, reply).right is True


def test_a_label_that_is_nowhere_in_the_reply_leaves_it_unsure() -> None:
    said = "You have to call the help desk; the login page has no reset option."
    expected = "Click 'Forgot password' on the login page."
    assert judge("How do I reset my password?", expected, said).right is not True
    assert judge("How do I reset my password?", expected, "On the login page, click “Forgot password”.").right is True


@pytest.mark.parametrize("flood", ["turn it ", "turn a b c d ", "everyone ", "'a", "no ", "without "])
def test_a_long_reply_is_read_in_a_moment(flood: str) -> None:
    started = time.process_time()
    judge("What should I do first?", "Turn off the 'power' now.", (flood * 100_000)[:100_000])
    assert time.process_time() - started < 5.0
