from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.examiners.reply_values import Value, read
from proctor.examiners.swapping import draw, swap_value, swapped_question


def value(text: str) -> Value:
    return read(text).values[0]


@pytest.mark.parametrize("text", ["28 days", "1,500 euros", "$3.50", "6 months", "100", "80 %", "2 million people"])
@pytest.mark.parametrize("lot", range(5))
def test_another_number_has_the_same_form_and_another_amount(text: str, lot: int) -> None:
    other = swap_value(value(text), lot=lot)
    assert other is not None
    assert "".join(sign for sign in other if not sign.isdigit()) == "".join(s for s in text if not s.isdigit())
    assert value(other).key != value(text).key


@pytest.mark.parametrize("text", ["31 March", "May 2019", "2019-04-01", "the year 1987", "12.05.2020", "DECEMBER 3"])
@pytest.mark.parametrize("lot", range(5))
def test_another_date_is_still_a_date_and_differs(text: str, lot: int) -> None:
    other = swap_value(value(text), lot=lot)
    assert other is not None
    assert value(other).kind == "date"
    assert value(other).key != value(text).key


def test_a_name_is_swapped_for_one_of_those_given_that_is_not_part_of_it() -> None:
    names = ["Ingrid", "Bob Miller", "Ingrid Halvorsen of Leeds"]
    assert swap_value(value("It is Ingrid Halvorsen."), lot=0, names=names) == "Bob Miller"


@pytest.mark.parametrize("text", ["at 9:30", "at 10 am", "at 12 pm", "from 23:00 on", "until 07:45"])
@pytest.mark.parametrize("lot", range(5))
def test_another_time_of_day_is_a_time_of_day(text: str, lot: int) -> None:
    other = swap_value(value(text), lot=lot)
    assert other is not None
    assert value(other).kind == "clock"
    assert value(other).key != value(text).key


def test_yes_becomes_no_and_no_yes() -> None:
    assert swap_value(Value(kind="polarity", text="yes", key="yes"), lot=0) == "no"
    assert swap_value(Value(kind="polarity", text="no", key="no"), lot=0) == "yes"


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What happens after 30 days?", "What happens after 80 days?"),
        ("Do some of the staff stay late?", "Do some of the visitors stay late?"),
        ("What is the minimum age?", "What is the maximum age?"),
        ("Who pays?", None),
        ("Who runs the office in Leeds?", "Who runs the office in Delmont?"),
    ],
)
def test_a_question_is_swapped_in_one_place_or_not_at_all(question: str, other: str | None) -> None:
    assert swapped_question(question, lot=2) == other


@given(st.lists(st.text(), max_size=3))
def test_lots_are_drawn_the_same_for_the_same_parts(parts: list[str]) -> None:
    assert draw(*parts) == draw(*parts)


def test_lots_differ_between_exams() -> None:
    assert len({draw(f"exam-{number}", 0) % 5 for number in range(50)}) == 5


@given(st.text(max_size=100), st.integers(0, 10_000))
def test_whatever_stands_in_a_text_can_be_swapped_or_is_left(text: str, lot: int) -> None:
    for found in read(text).values:
        other = swap_value(found, lot=lot)
        assert other is None or other != ""
