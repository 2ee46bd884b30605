from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reports.words import clean, cut, full_line, one_line, printable, shorten

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@given(ANY_TEXT)
def test_cleaned_text_has_no_control_character_and_can_be_encoded(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert not [each for each in cleaned if unicodedata.category(each) in ("Cc", "Cs") and each not in "\n\t"]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("a\r\nb\rc", "a\nb\nc"), ("\x1b[31mred", "␛[31mred"), ("\x00", "␀"), ("\x7f", "␡"), ("\u202eabc", "\ufffdabc")],
)
def test_unsafe_characters_stay_visible(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_is_one_line_and_short(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line.splitlines()) <= 1
    assert len(line) <= limit


def test_a_cut_is_shown() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"


def test_what_a_long_reason_tells_is_cut_between_things_and_the_rest_is_counted() -> None:
    told = "; ".join(f"“a{number}” is missing" for number in range(20))
    assert shorten(told, 60) == "“a0” is missing; “a1” is missing; and 18 more"
    assert shorten(told, 1000) == told
    assert shorten("“a; b” is missing", 40) == "“a; b” is missing"


def test_a_single_long_thing_is_cut_between_words_and_says_how_much_more() -> None:
    text = "the knowledge base has nothing about a loan of thirty days or more"
    said = shorten(text, 40)
    assert said == "the knowledge base has nothing about a… (28 more characters)"
    assert cut("called search(query) with", 22) == "called search(query)…"


def test_a_full_line_is_never_cut() -> None:
    assert full_line("word \n" * 5_000) == " ".join(["word"] * 5_000)


@pytest.mark.parametrize(
    "text",
    ["👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "👩🏽\u200d🚀", "क्\u200dष", "می\u200cخواهم", "plain"],
)
def test_what_joins_emoji_or_letters_of_a_script_is_kept(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x1b", "\x07", "\u200b", "\u200d"])
def test_what_turns_or_hides_a_text_is_shown_as_a_sign(sign: str) -> None:
    assert printable(f"ab{sign}cd") == "ab�cd"


def test_what_is_left_is_told_in_full_where_to_count_it_would_take_more_room() -> None:
    text = "the knowledge base has nothing about a loan of thirty days"
    assert shorten(text, 50) == text
