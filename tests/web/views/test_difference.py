"""Two texts, word by word."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from proctor.reports.words import clean
from proctor.web.views.exchanges import LONGEST, Difference, difference


def only(pieces: tuple[tuple[str, bool], ...]) -> list[str]:
    return [text for text, alone in pieces if alone]


def test_what_stands_on_one_side_alone_is_marked_and_nothing_else() -> None:
    found = difference("There are eight parking spaces.", "There are six parking spaces, I am sure.")
    assert only(found.a) == ["eight"]
    assert only(found.b) == ["six", ", I am sure"]


def test_words_in_a_row_are_one_mark() -> None:
    assert only(difference("yes", "no, not at all").b) == ["no, not at all"]


def test_white_space_alone_is_no_difference() -> None:
    found = difference("one  two\nthree", "one two three")
    assert found.same
    assert only(found.a) == only(found.b) == []


def test_equal_texts_are_the_same_and_empty_ones_too() -> None:
    assert difference("a b", "a b").same
    assert difference("", "").same
    assert not difference("", "a").same


@given(st.text(), st.text())
def test_nothing_is_lost_or_added(a: str, b: str) -> None:
    found = difference(a, b)
    assert "".join(text for text, _ in found.a) == clean(a)
    assert "".join(text for text, _ in found.b) == clean(b)


@given(st.text(alphabet="ab c."), st.text(alphabet="ab c."))
def test_what_is_not_marked_is_the_same_on_both_sides(a: str, b: str) -> None:
    found = difference(a, b)

    def kept(pieces: tuple[tuple[str, bool], ...]) -> list[str]:
        return "".join(text for text, alone in pieces if not alone).split()

    assert "".join(kept(found.a)) == "".join(kept(found.b))


def test_a_text_without_end_is_cut_and_said_to_be_in_a_moment() -> None:
    began = time.process_time()
    found = difference("the same words " * 5_000, "the other words " * 5_000)
    assert time.process_time() - began < 5
    assert isinstance(found, Difference)
    assert found.cut
    assert sum(len(text) for text, _ in found.a) == LONGEST
