from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.question import understand
from proctor.reading.rows import asked_row

PRICES = "| drink | small | large |\n|---|---|---|\n| tea | 2.10 € | 3.00 € |\n| coffee | 2.60 € | 3.40 € |"
FEATURES = "| Tariff | Roaming |\n|---|---|\n| Basic | no |\n| Plus | yes |\n| Max | only in Europe |"


@pytest.mark.parametrize(
    ("question", "expected", "right", "wrong"),
    [
        ("What does a large coffee cost?", "3.40 €", PRICES, PRICES.replace("3.40", "3.60")),
        ("What does a large coffee cost?", "3.00 €", "Large coffee: 3.00 €\nLarge tea: 3.40 €", PRICES),
        (
            "Which tariff has roaming?",
            "Plus",
            FEATURES,
            FEATURES.replace("Basic | no", "Basic | yes").replace("Plus | yes", "Plus | no"),
        ),
        (
            "Who plays the cello?",
            "Ada Brandt",
            "Violin: Tim Rahn\nCello: Ada Brandt",
            "Violin: Ada Brandt\nCello: Tim Rahn",
        ),
        (
            "What is the code word for Thursday?",
            "Walnut",
            "Wednesday = Maple, Thursday = Walnut, Friday = Oak",
            "Wednesday = Walnut, Thursday = Maple, Friday = Oak",
        ),
        (
            "What is the ticket price for a nine-year-old?",
            "4 €",
            "Ages 0-5: free. Ages 6-14: 4 €. Ages 15-99: 8 €",
            "Ages 0-5: 4 €. Ages 6-14: 6 €. Ages 15-99: 8 €",
        ),
    ],
)
def test_of_several_rows_the_one_with_the_question_s_words_answers(
    question: str, expected: str, right: str, wrong: str
) -> None:
    assert judge(question, expected, right).value >= 0.7
    assert judge(question, expected, wrong).value < 0.7


@pytest.mark.parametrize(
    "text",
    [
        "It opens at nine, and the café at ten.",
        "Tip = $9. Total = $69.",
        "3x = 15, hence x = 5.",
        "Monday: rain, Tuesday: sun",
        "The rule is: no dogs, no cats.",
        "Paris: the capital of France.",
    ],
)
def test_a_text_that_is_no_list_of_rows_or_has_none_that_is_asked_for_stays_whole(text: str) -> None:
    assert asked_row(text, understand("What is the total bill of x for dogs in Paris on the weekend?")) == text
