"""What calls to models cost."""

from __future__ import annotations

from proctor.codec import decode, encode
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


def test_what_is_known_of_an_unknown_cost_stays_known() -> None:
    unpriced = Usage(calls=1)
    assert (PAID + unpriced).least == (unpriced + PAID + unpriced).least == 0.01
    assert (PAID + unpriced + PAID).known_cost == 0.02
    assert PAID.least == 0.01
    assert PAID.known_cost == 0.0


def test_answers_from_the_cache_are_counted_beside_the_calls() -> None:
    kept = Usage(cost=0.0, cached=1)
    assert bool(Usage(cached=1))
    assert PAID + kept + kept == Usage(input_tokens=5, output_tokens=3, calls=1, cost=0.01, cached=2)
    assert PAID + kept - PAID == kept


def test_an_older_and_a_newer_usage_are_read_both_ways() -> None:
    assert decode('{"input_tokens": 5, "output_tokens": 3, "calls": 1, "cost": 0.01}', Usage) == PAID
    assert decode('{"calls": 1, "cost": 0.5, "cached": 2, "of_tomorrow": 3}', Usage).cached == 2
    assert decode(encode(PAID + Usage(calls=1)), Usage) == PAID + Usage(calls=1)
