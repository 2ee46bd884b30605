from __future__ import annotations

import pytest

from proctor.reading.opening import in_range


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is the pool open on sundays?", "it opens monday to saturday.", False),
        ("is the pool open on wednesdays?", "it opens monday to saturday.", True),
        ("is the pool open on sundays?", "friday to monday.", True),
        ("is the pool open on saturdays?", "weekdays from nine.", False),
        ("is the pool open on saturdays?", "at weekends, yes.", True),
        ("is the pool open on saturdays?", "seven days a week.", True),
        ("is the pool closed on sundays?", "it opens monday to saturday.", True),
        ("is the pool open on sundays?", "it isn't open monday to friday.", None),
        ("do you deliver at weekends?", "monday to friday.", False),
        ("do you deliver at weekends?", "monday to sunday.", True),
        ("is the pool open?", "it opens monday to saturday.", None),
    ],
)
def test_days_lie_in_a_range_or_not(question: str, reply: str, yes: bool | None) -> None:
    assert in_range(reply, question) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("are dogs allowed in july?", "from october to april.", False),
        ("are dogs allowed in january?", "from october to april.", True),
        ("are dogs allowed in july?", "only between 1 october and 31 march.", False),
        ("may dogs come in july?", "they may come in july.", None),
        ("are dogs allowed in july?", "all year round except in may.", None),
    ],
)
def test_months_lie_in_a_range_or_not(question: str, reply: str, yes: bool | None) -> None:
    assert in_range(reply, question) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("is the bank open at 5 pm?", "it closes at 4 pm.", False),
        ("is the bank open at 3 pm?", "it closes at 4 pm.", True),
        ("is the bank open at 5 pm?", "it's open until 6 pm.", True),
        ("is the bank open at 8 am?", "from 9 am to 5 pm.", False),
        ("is the bank closed at 5 pm?", "it closes at 4 pm.", True),
        ("does the bank open at 9 am?", "it's open until 6 pm.", True),
        ("is the talk at 5 pm?", "it is in room 4.", None),
    ],
)
def test_times_lie_in_opening_hours_or_not(question: str, reply: str, yes: bool | None) -> None:
    assert in_range(reply, question) is yes
