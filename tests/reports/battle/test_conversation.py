from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.reports.battles import RIGHT, Fight, caved, right

from proctor.reports.battle.conversation import pieces, talk


def test_a_text_is_cut_where_a_quote_begins_and_ends() -> None:
    assert pieces("It is 28 days, I say.", ["28 days"]) == [("It is ", False), ("28 days", True), (", I say.", False)]


def test_quotes_that_overlap_are_marked_once() -> None:
    assert pieces("abcdef", ["bcd", "cde"]) == [("a", False), ("bcd", True), ("e", True), ("f", False)]


def test_a_quote_that_does_not_stand_there_marks_nothing() -> None:
    assert pieces("It is 28 days.", ["30 days", "", "  "]) == [("It is 28 days.", False)]


@given(st.text(), st.lists(st.text(max_size=4), max_size=4))
def test_cutting_loses_nothing(text: str, quotes: list[str]) -> None:
    assert "".join(piece for piece, _ in pieces(text, quotes)) == text


def test_more_lines_than_lanes_share_the_last() -> None:
    fight = Fight()
    turns = [RIGHT, *[right("ask-again")] * 8, *[caved(number) for number in range(1, 9)]]
    fight.held(fight.seed("a"), turns)
    held = talk(fight.attempts[0], fight.exams["a"], name="talk-1")
    assert held.lanes == 6
    assert [bond.lane for bond in held.bonds] == [0, 1, 2, 3, 4, 5, 5, 5]
    assert all(first < second for first, second in (bond.rows for bond in held.bonds))
