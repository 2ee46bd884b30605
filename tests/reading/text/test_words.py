from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.words import stem, words


@pytest.mark.parametrize(
    "forms",
    [
        ("tax", "taxes"),
        ("authority", "authorities"),
        ("carry", "carried", "carries", "carrying"),
        ("publish", "published", "publishing", "publishes"),
        ("move", "moved", "moving", "moves"),
        ("stop", "stopped", "stopping"),
        ("colour", "color", "colours"),
        ("centre", "center"),
        ("organise", "organize", "organised"),
        ("write", "wrote", "written"),
        ("child", "children"),
        ("moon", "moon's"),
        ("three", "third", "3", "3rd", "iii"),
        ("1,000", "1000", "1000.0"),
        ("usa", "u.s.", "us", "u.s.a"),
    ],
)
def test_forms_of_one_word_meet_in_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(("one", "other"), [("paris", "pari"), ("bus", "bu"), ("glass", "glas"), ("iran", "iraq")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_initials_are_one_word_however_they_are_written() -> None:
    assert words("j. r. r. tolkien") == words("j.r.r. tolkien") == words("jrr tolkien") == ["jrr", "tolkien"]
    assert words("washington, d. c.") == ["washington", "dc"]


def test_letters_with_digits_are_one_name_and_digits_with_a_unit_are_two_words() -> None:
    assert words("form b12") == ["form", "b12"]
    assert words("64gb") == ["64", "gb"]


def test_an_address_is_one_word() -> None:
    assert len(words("write to hr@example.org, please")) == 4
    assert words("hr@example.org") != words("it@example.org")


@given(st.text())
def test_any_text_has_words_without_blanks(text: str) -> None:
    assert all(word and not any(sign.isspace() for sign in word) for word in words(text))
