"""What calls to models cost."""

from __future__ import annotations

from proctor.usage import Usage

PAID = Usage(input_tokens=5, output_tokens=3, calls=1, cost=0.01)


def test_taking_away_nothing_keeps_the_cost() -> None:
    assert PAID - Usage() == PAID


def test_adding_nothing_keeps_the_cost() -> None:
    assert PAID + Usage() == Usage() + PAID == PAID


def test_what_was_added_can_be_taken_away() -> None:
    other = Usage(input_tokens=2, output_tokens=1, calls=1, cost=0.5)
    assert PAID + other - PAID == other


def test_an_unknown_cost_makes_the_sum_and_the_rest_unknown() -> None:
    unpriced = Usage(calls=1)
    assert (PAID + unpriced).cost is None
    assert (PAID - unpriced).cost is None
