"""Titles of sections are no answers; what stands below them is."""

from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.dress import without_titles

QUESTION, EXPECTED = "Which city is the seat of the government of Bolivia?", "La Paz"
TITLED = [
    "### Final answer\n{}\n\n### Sources\nA world atlas",
    "## Result\n\n**{}**",
    "## Response\n\n{}",
    "**Conclusion**\n\n{}",
    "## Summary\n\n{} is the seat of the government.",
    "Quick answer\n============\n{}",
    "**TL;DR**\n{}",
    "## 🏁 Final Answer\n\n{}",
    "**Short answer**\n\n{}\n\n**Why**\n\nThe ministries moved there in 1898.",
    "# Overview\n\nBolivia lies in South America.\n\n# Answer\n\n{}",
    "## Answer\n\nSure! It's {}.",
    "## Key facts\n\n- Seat of the government: {}\n- Currency: boliviano",
    "| a | b |\n|---|---|\n| x | y |\n\n{}",
]


@pytest.mark.parametrize("form", TITLED)
def test_a_right_answer_below_a_title_is_right_and_a_wrong_one_wrong(form: str) -> None:
    assert judge(QUESTION, EXPECTED, form.format("La Paz")).right is True
    assert judge(QUESTION, EXPECTED, form.format("Santa Cruz")).right is not True


def test_a_title_may_be_the_answer() -> None:
    assert judge(QUESTION, EXPECTED, "## La Paz\n\nIt has been so since 1898.").right is True
    assert without_titles("**La Paz**") == "**La Paz**"


def test_what_the_notes_mention_is_not_the_answer() -> None:
    said = "## Answer\n\nSanta Cruz\n\n## Notes\n\nLa Paz is merely the highest city."
    assert judge(QUESTION, EXPECTED, said).right is not True


def test_a_list_of_sources_says_nothing() -> None:
    assert without_titles("It is La Paz.\n\n## References\n\n1. Guide to Santa Cruz") == "It is La Paz."


def test_a_reply_of_titles_alone_is_left_as_it_is() -> None:
    assert without_titles("## Summary") == "## Summary"
    assert without_titles("no titles") == "no titles"
