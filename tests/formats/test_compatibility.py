"""Which kinds of benchmark a file serves, by its number of questions."""

from __future__ import annotations

import pytest

from proctor.formats.compatibility import compatibility


@pytest.mark.parametrize(
    ("questions", "standard", "static", "dynamic"),
    [
        (0, "✗", "✗", "✗"),
        (1, "✓", "✗", "✓"),
        (9, "✓", "✗", "✓"),
        (10, "✓", "✓", "✓"),
        (200, "✓", "✓", "✓"),
        (201, "✓", "⚠", "✓"),
    ],
)
def test_the_indicators_turn_at_1_10_and_200_questions(
    questions: int, standard: str, static: str, dynamic: str
) -> None:
    found = {kind: each.indicator for kind, each in compatibility(questions).items()}
    assert found == {"standard": standard, "abm_static": static, "abm_dynamic": dynamic}


def test_each_indicator_has_its_reason() -> None:
    assert compatibility(0)["standard"].reason == "no questions"
    assert compatibility(1)["abm_dynamic"].reason == "at least 1 question"
    assert compatibility(9)["abm_static"].reason == "under 10 questions: not recommended, but it runs"
    assert compatibility(10)["abm_static"].reason == "10 to 200 questions"
    assert compatibility(201)["abm_static"].reason == "over 200 questions: exceeds maximum, so it is refused"


def test_a_file_without_questions_says_so_for_every_kind() -> None:
    assert {each.reason for each in compatibility(0).values()} == {"no questions"}
