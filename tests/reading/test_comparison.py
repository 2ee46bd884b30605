from __future__ import annotations

import pytest

from proctor.reading.comparison import compare_sides


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is 0.3 bigger than 0.27?", "0.3 > 0.27", True),
        ("is 0.3 bigger than 0.27?", "0.3 < 0.27", False),
        ("is 0.3 bigger than 0.27?", "0.27 < 0.3", True),
        ("is 7 smaller than 9?", "7 < 9", True),
        ("is the lake larger than the park?", "lake: 12 km². park: 15 km².", False),
        ("is the lake smaller than the park?", "lake: 12 km². park: 15 km².", True),
        ("is the lake larger than the park?", "the lake is big.", None),
    ],
)
def test_numbers_and_symbols_are_compared(question: str, reply: str, yes: bool | None) -> None:
    assert compare_sides(reply, question) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is mia older than tom?", "mia was born in 1990, tom in 1995.", True),
        ("is mia older than tom?", "mia was born in 1995, tom in 1990.", False),
        ("is mia younger than tom?", "mia was born in 1995, tom in 1990.", True),
        ("is mia older than tom?", "mia is 30, tom is 25.", True),
        ("is mia older than tom?", "mia is two years tom's junior.", False),
        ("is mia older than tom?", "mia and tom are exactly the same age.", False),
    ],
)
def test_ages_are_compared_by_years_too(question: str, reply: str, yes: bool) -> None:
    assert compare_sides(reply, question) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is it the deepest lake in asia?", "nothing beats it!", True),
        ("is it the tallest tower?", "no tower is taller.", True),
        ("is it the longest river?", "none tops it.", True),
        ("is it the longest river?", "the nile is longer.", None),
        ("is it the longest river?", "no idea.", None),
    ],
)
def test_what_nothing_beats_is_most(question: str, reply: str, yes: bool | None) -> None:
    assert compare_sides(reply, question) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is the limit higher than 50 km/h?", "it's exactly 50.", False),
        ("is the limit higher than 50 km/h?", "it's 80 km/h.", True),
        ("is the walk shorter than 2 km?", "it's 900 m.", True),
        ("does it weigh more than 2 kg?", "it weighs 1,500 g.", False),
        ("does light travel faster in air than in glass?", "in glass it is slower.", True),
        ("do cats need less sleep than dogs?", "cats need more sleep than dogs.", False),
        ("is he older than forty?", "he's 38.", False),
        ("is he younger than forty?", "he's 38.", True),
        ("did she win more than one medal?", "she won just one, in 1903.", None),
    ],
)
def test_an_amount_is_held_against_a_bound(question: str, reply: str, yes: bool | None) -> None:
    assert compare_sides(reply, question) is yes
