from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.places import without_places


@pytest.mark.parametrize(
    "place",
    [
        "(history/fire-of-1978.md, What was lost)",
        "(see policies/travel-2024.pdf, page 12)",
        "[source: handbook.docx]",
        "history/fire-of-1978.md",
        "report_2019.csv",
        "https://example.org/2021/05/17#section-3",
        "(https://example.org/a?year=1999)",
        "[3]",
        "[1, 2]",
        "[^4]",
        "【notes/1978.txt】",
    ],
)
def test_a_place_is_no_part_of_what_is_stated(place: str) -> None:
    assert without_places(f"It burned down {place}.") == "It burned down."


@pytest.mark.parametrize(
    "text",
    [
        "It burned down in 1978 (on a Sunday).",
        "The ratio is 1/2, and/or 24/7.",
        "On 31/03/2024 it was 3.5 m (about 11.5 ft).",
        "Dr. Smith, e.g. in the U.S., met J.R. Brown.",
        "Call the list [1, 2, x] or [2024].",
        "Use asyncio.run and numpy 1.26.",
        "",
    ],
)
def test_a_text_without_places_stays_the_very_same(text: str) -> None:
    assert without_places(text) == text


def test_what_stands_beside_a_place_in_brackets_is_kept() -> None:
    assert without_places("The fire (in 1978, see history/fire.md) was large.") == "The fire (in 1978, see) was large."


@given(st.text())
def test_nothing_is_added_but_blanks(text: str) -> None:
    left = iter(text)
    assert all(sign in left for sign in without_places(text) if not sign.isspace())


@pytest.mark.parametrize("sign", ["(a/", "[a.", "a/", "1978-", "(.", "https://(", "【a.m"])
def test_a_long_text_of_half_places_takes_no_time(sign: str) -> None:
    started = time.process_time()
    without_places(sign * 4_000)
    assert time.process_time() - started < 5.0
