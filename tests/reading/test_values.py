from __future__ import annotations

import pytest

from proctor.reading.answer import judge


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("How warm is it?", "33 °C", "about 33 °C", "about 20 °C"),
        ("How warm is it?", "12 °C", "54 °F", "54 °C"),
        ("What does it cost?", "$1,200 a year", "$100 a month", "$1,200 a month"),
        ("How often is it checked?", "Every 12 months", "once a year", "once a month"),
        ("What share passed?", "62.5 %", "five in eight", "five in nine"),
        ("How many came?", "Between 8,000 and 10,000", "about 9,000", "about 12,000"),
        ("How high is it?", "4,806 m", "about 4,800 m", "about 4,700 m"),
        ("How heavy is it?", "1 kg", "2.2 pounds", "3.2 pounds"),
        ("How cold is it?", "-5 °C", "minus 5 °C", "5 °C"),
        ("How thick is it?", "At least 15 cm", "150 mm or more", "at most 15 cm"),
        ("When does it close?", "5:30 p.m.", "half past five in the afternoon", "half past five in the morning"),
        ("Which are they?", "Mercury and Venus", "Venus and Mercury", "Mercury, Venus and Mars"),
        ("How fast is it?", "72 km/h", "72 kilometres an hour", "180 / 2.5 = 72, so 72 mph"),
        ("What charge may it hold?", "20 µC to 30 µC", "no less than 20 µC and no more than 30 µC", "at least 30 µC"),
        ("How many came?", "40 to 60", "no fewer than 40 and no more than 60", "more than 60 or fewer than 40"),
        ("How long does it take?", "3 to 4 business days", "three to four working days", "three to four working weeks"),
        ("How many visit?", "8,000 to 10,000", "8 to 10 thousand", "80 to 100 thousand"),
        ("How strong is the source?", "3 MBq", "3000 kilobecquerels", "3 kilobecquerels"),
        ("How thick is the film?", "0.02 mm", "20 µm", "20 nm"),
        ("What share is needed?", "three quarters", "a 3/4 majority", "a 2/3 majority"),
        ("What is the fee?", "€12 per month", "12 EUR/month", "12 EUR/year"),
        ("What is the fee?", "£50 a week", "50 GBP/week", "50 GBP/day"),
        ("How cold was it?", "-7 °C", "seven degrees below zero", "seven degrees"),
        ("How large is the field?", "2 hectares", "20,000 m²", "2,000 m²"),
    ],
)
def test_a_value_is_known_in_other_words_and_told_from_others(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("Who was president?", "John F. Kennedy", "Jack Kennedy", "Robert Kennedy"),
        ("Who commanded it?", "General George Washington", "George Washington", "Benedict Arnold"),
        ("What was his nationality?", "Polish", "He was a Pole.", "He was a German."),
        (
            "Where is the head office?",
            "Ghent",
            "Ghent is where the head office stands.",
            "It moved from Ghent to Bruges.",
        ),
        ("Who signs it?", "The finance director", "the finance director", "The finance director's assistant."),
        ("Which gas is it?", "Carbon dioxide", "CO2", "CO"),
    ],
)
def test_a_name_is_known_in_other_forms_and_told_from_others(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7


def test_a_sure_refutation_is_never_outranked() -> None:
    found = judge("What is the capital of France?", "Paris", "It is not Paris.")
    assert found.refuted
    assert found.value <= 0.15
