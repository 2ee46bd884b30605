from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.choices import alternatives, items
from proctor.reading.text.claims import claims


def test_sentences_are_split_at_full_stops_semicolons_and_lines() -> None:
    text = "One is here. Is two? Three; four!\n- five\n2) six"
    assert claims(text) == ["One is here.", "Is two?", "Three", "four!", "five", "six"]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    text = "Dr. Smith met J. R. Brown at 5 St. James St. in Jan. 2020. They talked."
    assert claims(text) == ["Dr. Smith met J. R. Brown at 5 St. James St. in Jan. 2020.", "They talked."]


def test_an_empty_text_has_no_claims() -> None:
    assert claims(" \n ") == []


@given(st.text())
def test_no_claim_is_empty_and_none_is_invented(text: str) -> None:
    found = claims(text)
    assert all(claim.strip() for claim in found)
    assert all(claim in text for claim in found)


@pytest.mark.parametrize(
    ("answer", "spellings"),
    [
        ("Paris", {"Paris"}),
        ("New York City or NYC", {"New York City", "NYC"}),
        ("red, green, or blue", {"red", "green", "blue"}),
        ("hot chocolate/cocoa", {"hot chocolate", "cocoa"}),
        ("25 years old / 25", {"25 years old", "25"}),
        ("one|two", {"one", "two"}),
        ("Myanmar (Burma)", {"Myanmar (Burma)", "Myanmar", "Burma"}),
        ("Persia (also known as Iran)", {"Persia (also known as Iran)", "Persia", "Iran"}),
        ("Jason Kincaid (1984)", {"Jason Kincaid (1984)", "Jason Kincaid"}),
        ("Landover, Maryland or Washington", {"Landover, Maryland", "Washington"}),
        ("TCP/IP", {"TCP/IP"}),
        ("50 km/h", {"50 km/h"}),
        ("1/2", {"1/2"}),
        ("30 days or more", {"30 days or more"}),
        ("You may send it by post to our head office or bring it to the desk on the first floor", None),
    ],
)
def test_the_spellings_of_an_answer_are_told_apart(answer: str, spellings: set[str] | None) -> None:
    assert set(alternatives(answer)) == (spellings or {answer})


@pytest.mark.parametrize(
    ("answer", "listed"),
    [
        ("red, green and blue", ("red", "green", "blue")),
        ("Estonia, Latvia, Lithuania", ("Estonia", "Latvia", "Lithuania")),
        ("Spain; Andorra", ("Spain", "Andorra")),
        ("first\n- second\n- third", ("first", "second", "third")),
        ("Ada Gannet and Tomas Sloe", ("Ada Gannet", "Tomas Sloe")),
        ("Landover, Maryland", ()),
        ("12,450", ()),
        ("Leave the building by the nearest exit and go to the assembly point", ()),
    ],
)
def test_a_list_is_told_from_a_name_with_a_comma(answer: str, listed: tuple[str, ...]) -> None:
    assert items(answer) == listed


@given(st.text(max_size=200))
def test_every_answer_has_at_least_one_spelling(answer: str) -> None:
    assert alternatives(answer)
    assert all(items(answer))
