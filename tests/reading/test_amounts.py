from __future__ import annotations

import pytest

from proctor.reading.amounts import by_amount, by_clock
from proctor.reading.days import by_day
from proctor.reading.question import understand


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the course six weeks long?", "it runs for eight weeks.", False),
        ("Does the flight take two hours?", "it takes 120 minutes.", None),
        ("Does the seal last ten years?", "the seal lasts 5 years, the rest ten years.", False),
        ("Is the fee 20 euros?", "it's 25 euros.", False),
        ("Do beetles have eight legs?", "six.", False),
        ("Was the bridge opened in 1932?", "it opened in 1947.", False),
        ("Has order 4711 been sent?", "it weighs 12 kg.", None),
        ("Is two-factor login on?", "codes go to the number ending in 88.", None),
        ("Is the fee 20 euros?", "it isn't 25 euros.", None),
    ],
)
def test_another_amount_is_a_no(question: str, reply: str, yes: bool | None) -> None:
    assert by_amount(reply, understand(question)) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Can I park for two hours?", "you may park for three hours.", None),
        ("Is a dose of 5 mg safe?", "10 mg is the maximum.", True),
        ("Can I upload more than 40 photos?", "40 photos is the limit.", False),
        ("Can 12-year-olds rent a boat?", "the minimum age is 15.", False),
        ("Does the lift carry 600 kg?", "it is built for up to 450 kg.", False),
        ("Can I stay for three nights?", "you can stay for up to five nights.", True),
        ("Are members entitled to it after two years?", "after three years of membership.", False),
        ("Is the fee more than 20 euros?", "it's 25 euros.", True),
    ],
)
def test_a_limit_is_held_against_what_was_asked(question: str, reply: str, yes: bool | None) -> None:
    assert by_amount(reply, understand(question)) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the bar open after 9 pm?", "we serve until 11.", True),
        ("Is the shop open at 8 pm?", "it closes at 6:30 pm.", False),
        ("Is the office open at 7 am?", "we open at 9 am.", False),
        ("Is the office open at 10 am?", "from 9 am to 5 pm.", True),
        ("Is the office open at 10 am?", "it is open.", None),
    ],
)
def test_a_time_of_day_lies_within_the_hours_or_not(question: str, reply: str, yes: bool | None) -> None:
    assert by_clock(reply, understand(question)) is yes


@pytest.mark.parametrize(
    ("question", "reply", "yes"),
    [
        ("Is the depot open on Saturdays?", "it's open monday to friday.", False),
        ("Is the depot open on Thursdays?", "it's open monday to friday.", True),
        ("Is the depot open on Saturdays?", "it's open every day but sunday.", None),
        ("Is the depot open on Saturdays?", "on saturdays it's closed.", None),
        ("Is the depot open?", "it's open monday to friday.", None),
    ],
)
def test_a_day_lies_within_the_days_or_not(question: str, reply: str, yes: bool | None) -> None:
    assert by_day(reply, understand(question)) is yes
