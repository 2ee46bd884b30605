"""Expected statements, which a reply meets in words of its own."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.text.words import stem
from proctor.reading.wordnet import load_links, nearness


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        (
            "Why was the ferry cancelled?",
            "A storm made the crossing too dangerous for passengers.",
            "There was a storm, and taking travellers across would have been far too risky in such weather.",
        ),
        (
            "What happens if I return the bike late?",
            "You pay a fee of ten euros for every day of delay.",
            "Each day it comes back late costs you an extra 10 euros.",
        ),
        (
            "Why do we water the plants in the evening?",
            "Less water evaporates when it is cool.",
            "Because in the cooler hours not as much of the water is lost to evaporation.",
        ),
    ],
)
def test_a_statement_is_met_in_other_words(question: str, expected: str, reply: str) -> None:
    assert judge(question, expected, reply).value >= 0.7


@pytest.mark.parametrize(
    ("question", "expected", "reply"),
    [
        (
            "What must visitors do?",
            "They must sign in at reception, and they have to wear a badge at all times.",
            "They must sign in at reception.",
        ),
        (
            "Why was the ferry cancelled?",
            "A storm made the crossing too dangerous for passengers.",
            "The captain was on holiday.",
        ),
    ],
)
def test_a_reply_that_leaves_out_a_clause_or_says_something_else_does_not_pass(
    question: str, expected: str, reply: str
) -> None:
    assert judge(question, expected, reply).value < 0.7


def test_words_are_linked_by_sense_more_closely_than_by_explanation() -> None:
    assert nearness(stem("repay"), stem("refund")) > nearness(stem("famine"), stem("hunger")) > 0.0
    assert nearness(stem("famine"), stem("bicycle")) == 0.0


def test_a_link_is_the_same_from_both_sides() -> None:
    assert nearness("refund", "repay") == nearness("repay", "refund") > 0.0


def test_numbers_are_linked_to_nothing() -> None:
    assert not any(word[0].isdecimal() for word in load_links())


def test_past_tenses_that_change_inside_have_the_stem_of_their_verb() -> None:
    for past, verb in (
        ("froze", "freezes"),
        ("withdrawn", "withdraw"),
        ("caught", "catching"),
        ("understood", "understand"),
    ):
        assert stem(past) == stem(verb)
