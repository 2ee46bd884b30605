"""Expected statements, which a reply meets in words of its own."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.linked_words import load_groups, nearness
from proctor.reading.text.words import stem


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


def test_words_that_stand_for_each_other_are_nearer_than_those_that_explain_each_other() -> None:
    assert nearness(stem("repay"), stem("refund")) > nearness(stem("famine"), stem("food")) > 0.0
    assert nearness(stem("famine"), stem("bicycle")) == 0.0


def test_a_link_is_the_same_from_both_sides() -> None:
    assert nearness("refund", "repay") == nearness("repay", "refund") > 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("increase", "decrease"), ("buy", "sell"), ("open", "close"), ("allow", "forbid"), ("before", "after"),
        ("begin", "end"), ("accept", "refuse"), ("arrive", "depart"), ("win", "lose"), ("hot", "cold"),
        ("safe", "dangerous"), ("push", "pull"), ("remember", "forget"), ("true", "false"), ("cheap", "expensive"),
        ("attract", "repel"), ("melt", "freeze"), ("inhale", "exhale"), ("predator", "prey"), ("north", "south"),
    ],
)  # fmt: skip
def test_opposites_are_not_linked(one: str, other: str) -> None:
    assert nearness(stem(one), stem(other)) == 0.0


def test_every_line_of_the_table_is_a_group_of_plain_words() -> None:
    alike, beside = load_groups()
    assert len(alike) > 5_000
    assert not any(word[0].isdecimal() for word in (*alike, *beside))


def test_past_tenses_that_change_inside_have_the_stem_of_their_verb() -> None:
    for past, verb in (
        ("froze", "freezes"),
        ("withdrawn", "withdraw"),
        ("caught", "catching"),
        ("understood", "understand"),
    ):
        assert stem(past) == stem(verb)
