from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.clocks import Clock, clocks, same_time
from proctor.reading.text.dates import MOST, Agreement, Date, agree, dates
from proctor.reading.text.fold import fold


def only(text: str) -> Date:
    found = dates(fold(text))
    assert len(found) == 1, found
    return found[0]


def the_time(text: str) -> Clock:
    found = clocks(fold(text))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    "text",
    [
        "8 March 2018",
        "8th of March 2018",
        "Thursday, 8 March 2018",
        "8 Mar. 2018",
        "March 8, 2018",
        "March 8 , 2018",
        "March 8th 2018",
        "2018-03-08",
        "2018/3/8",
        "08.03.2018",
        "It was on the 8th of March, 2018, I believe.",
    ],
)
def test_a_full_date_is_read_in_any_usual_format(text: str) -> None:
    found = only(text)
    assert (found.year, found.month, found.day) == (2018, 3, 8)


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("March 2018", 2018, 3, None),
        ("2018-03", 2018, 3, None),
        ("03/2018", 2018, 3, None),
        ("31 March", None, 3, 31),
        ("in 2018", 2018, None, None),
        ("28/06/1919", 1919, 6, 28),
        ("500 BC", -500, None, None),
    ],
)
def test_a_partial_date_is_read_as_far_as_it_goes(
    text: str, year: int | None, month: int | None, day: int | None
) -> None:
    found = only(text)
    assert (found.year, found.month, found.day) == (year, month, day)


@pytest.mark.parametrize(
    ("text", "year", "years"),
    [
        ("the 16th century", 1500, 100),
        ("sixteenth century", 1500, 100),
        ("the 1990s", 1990, 10),
        ("the '90s", 1990, 10),
    ],
)
def test_a_decade_or_century_is_a_span_of_years(text: str, year: int, years: int) -> None:
    found = only(text)
    assert (found.year, found.years) == (year, years)


@pytest.mark.parametrize("text", ["1000 seats", "$2000", "2000 km", "12450", "may I?", "3.1415", "1,984", "10.0.0.1"])
def test_other_numbers_are_no_dates(text: str) -> None:
    assert dates(fold(text)) == []


@pytest.mark.parametrize(
    ("expected", "found", "how"),
    [
        ("8 March 2018", "March 8, 2018", "same"),
        ("8 March 2018", "3/8/2018", "same"),
        ("8 March 2018", "8/3/2018", "same"),
        ("8 March 2018", "9 March 2018", "different"),
        ("8 March 2018", "8 May 2018", "different"),
        ("8 March 2018", "2018", "coarser"),
        ("8 March 2018", "8 March", "coarser"),
        ("2018", "8 March 2018", "finer"),
        ("1524", "16th century", "coarser"),
        ("1524", "17th century", "different"),
        ("1990s", "1994", "finer"),
        ("30-31 October 2000", "31 October 2000", "same"),
        ("30-31 October 2000", "29 October 2000", "different"),
        ("2018", "8 March", "different"),
    ],
)
def test_dates_agree_as_far_as_both_go(expected: str, found: str, how: Agreement) -> None:
    assert agree(only(expected), only(found)) == how


days = st.dates(min_value=dt.date(1000, 1, 1), max_value=dt.date(2100, 12, 31))


@given(days, st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%m/%d/%Y", "%d/%m/%Y"]))
def test_every_day_in_every_format_is_the_same_day(day: dt.date, form: str) -> None:
    assert agree(only(day.isoformat()), only(day.strftime(form))) == "same"


mirrored = {"same": "same", "different": "different", "finer": "coarser", "coarser": "finer"}
partial = st.builds(
    lambda day, form: only(day.strftime(form)), days, st.sampled_from(["%Y-%m-%d", "%B %Y", "in %Y", "%d/%m/%Y"])
)


@given(partial, partial)
def test_agreement_is_mirrored_when_the_sides_change(one: Date, other: Date) -> None:
    assert agree(other, one) == mirrored[agree(one, other)]


def test_a_flood_of_dates_is_not_read_to_its_end() -> None:
    assert len(dates("2018-03-08 " * (2 * MOST))) == MOST


@given(st.text())
def test_any_text_can_be_read_for_dates_and_times(text: str) -> None:
    folded = fold(text)
    spans = [(found.start, found.end) for found in dates(folded)]
    spans += [(found.start, found.end) for found in clocks(folded)]
    assert all(0 <= start < end <= len(folded) for start, end in spans)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("9:30 am", "09:30", True),
        ("9:30 am", "half past nine in the morning", True),
        ("9:30 am", "9:30 pm", False),
        ("9:30 pm", "21:30", True),
        ("9:30 pm", "9:30", True),
        ("2 pm", "14:00", True),
        ("2 pm", "2 o'clock in the afternoon", True),
        ("noon", "12 pm", True),
        ("midnight", "12 am", True),
        ("9:30 am", "10:30 am", False),
        ("quarter to five", "4:45 pm", True),
    ],
)
def test_times_of_day_are_compared_in_any_format(one: str, other: str, same: bool) -> None:
    assert same_time(the_time(one), the_time(other)) is same
    assert same_time(the_time(other), the_time(one)) is same
