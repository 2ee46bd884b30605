"""What calls to models cost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.codec import decode, encode
from proctor.usage import Usage

PAID = Usage(input_tokens=5, output_tokens=3, calls=1, cost=0.01)


def test_adding_nothing_keeps_the_cost() -> None:
    assert PAID + Usage() == Usage() + PAID == PAID


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    assert (PAID + Usage(calls=1)).cost is None


_AMOUNTS = st.integers(0, 2**40)
_MONEY = st.integers(0, 2**20).map(lambda cents: cents / 64)  # sums of these are exact, in any order
USAGES = st.one_of(
    st.builds(Usage, input_tokens=_AMOUNTS, output_tokens=_AMOUNTS, calls=_AMOUNTS, cost=_MONEY, cached=_AMOUNTS),
    st.builds(Usage, input_tokens=_AMOUNTS, output_tokens=_AMOUNTS, calls=_AMOUNTS, known_cost=_MONEY, cached=_AMOUNTS),
)


@given(USAGES, USAGES, USAGES)
def test_the_order_in_which_usages_are_added_does_not_matter(a: Usage, b: Usage, c: Usage) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@given(USAGES, USAGES)
def test_nothing_known_is_lost_in_a_sum(a: Usage, b: Usage) -> None:
    together = a + b
    assert together.least == a.least + b.least
    for name in ("input_tokens", "output_tokens", "calls", "cached"):
        assert getattr(together, name) == getattr(a, name) + getattr(b, name)
    assert bool(together) == (bool(a) or bool(b))


@given(USAGES)
def test_a_usage_is_read_as_it_was_written(usage: Usage) -> None:
    assert decode(encode(usage), Usage) == usage


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


def test_an_older_and_a_newer_usage_are_read_both_ways() -> None:
    assert decode('{"input_tokens": 5, "output_tokens": 3, "calls": 1, "cost": 0.01}', Usage) == PAID
    assert decode('{"calls": 1, "cost": 0.5, "cached": 2, "of_tomorrow": 3}', Usage).cached == 2
    assert decode(encode(PAID + Usage(calls=1)), Usage) == PAID + Usage(calls=1)


def test_what_is_left_without_a_part_is_never_less_than_nothing() -> None:
    whole, part = Usage(input_tokens=5, calls=2, cost=1.0), Usage(input_tokens=3, output_tokens=1, calls=1, cost=0.25)
    assert whole - part == Usage(input_tokens=2, calls=1, cost=0.75)
    assert whole - Usage() == whole
    assert (whole - Usage(calls=1)).cost is None
