from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.fold import fold
from proctor.reading.text.numbers import MOST, Comparison, Quantity, compare, parse, quantities


def only(text: str) -> Quantity:
    found = quantities(fold(text))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("1,000", 1000),
        ("1 000", 1000),
        ("1'000", 1000),
        ("1,234,567.8", 1234567.8),
        ("1.234.567,8", 1234567.8),
        ("1.234,5", 1234.5),
        ("12,5", 12.5),
        ("3.14", 3.14),
        ("-5", -5),
        ("one thousand", 1000),
        ("twenty-five", 25),
        ("one hundred and five", 105),
        ("two hundred and five thousand", 205000),
        ("two and a half million", 2500000),
        ("nineteen forty-five", 1945),
        ("a dozen eggs", 12),
        ("3 million", 3e6),
        ("3.2bn", 3.2e9),
        ("5½", 5.5),
        ("3/4", 0.75),
        ("half", 0.5),
        ("three quarters", 0.75),
        ("2nd", 2),
        ("fifteenth", 15),
        ("v2.3", 2.3),
    ],
)
def test_a_number_is_read_in_any_usual_format(text: str, value: float) -> None:
    assert only(text).value == pytest.approx(value)


@pytest.mark.parametrize("text", ["b12", "h2o", "version 1.2.3", "a house", "an apple", "no digits"])
def test_names_and_articles_are_no_numbers(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("expected", "found", "how"),
    [
        ("5 km", "5000 m", "same"),
        ("5 km", "5 kilometres", "same"),
        ("5 km", "5 m", "different"),
        ("5 km", "5 miles", "different"),
        ("5 km", "5 kg", "other-unit"),
        ("90 minutes", "1.5 hours", "same"),
        ("90 minutes", "an hour and a half", "same"),
        ("90 minutes", "1 hour 30 minutes", "same"),
        ("15 minutes", "a quarter of an hour", "same"),
        ("30 minutes", "half an hour", "same"),
        ("24 months", "2 years", "same"),
        ("100 °C", "212 °F", "same"),
        ("100 °C", "373.15 K", "same"),
        ("100 °C", "100 degrees", "same"),
        ("100 °C", "100 °F", "different"),
        ("8,849 m", "29,032 feet", "rounded"),
        ("50 %", "50 percent", "same"),
        ("50 %", "0.5", "same"),
        ("50 %", "half", "same"),
        ("50 %", "5 %", "different"),
        ("50 %", "50 votes", "other-unit"),
        ("$25", "25 dollars", "same"),
        ("$25", "€25", "other-unit"),
        ("£3.2 billion", "3.2bn pounds", "same"),
        ("£3.2 billion", "£3.2 million", "different"),
        ("€0.50", "50 cents", "same"),
        ("1,000", "1k", "same"),
        ("2.5 million", "2.5M users", "same"),
        ("30 days", "30", "same"),
        ("30 days", "30 people", "other-unit"),
        ("25", "25 years old", "same"),
        ("30 days", "30 working days", "same"),
        ("30 days", "29 days", "different"),
        ("3.14159", "3.14", "rounded"),
        ("3.14", "3.14159", "rounded"),
        ("3.14", "3.41", "different"),
        ("206", "208", "different"),
        ("around 2.45 billion years", "2.4 billion years", "rounded"),
        ("2.45 billion years", "2.4 billion years", "different"),
        ("up to 5 days", "at least 5 days", "different"),
        ("up to 5 days", "5 days", "same"),
        ("third", "3", "same"),
        ("64 GB", "64GB", "same"),
        ("64 GB", "64 TB", "different"),
        ("-196 °C", "196 °C", "different"),
        ("300,000 km/s", "300,000 km/h", "different"),
        ("60 litres per hour", "1 l/min", "same"),
    ],
)
def test_amounts_are_compared_with_their_units(expected: str, found: str, how: Comparison) -> None:
    assert compare(only(expected), only(found)) == how


def test_both_ends_of_a_range_have_the_unit() -> None:
    low, high = quantities("10-12 years")
    assert (low.dimension, high.dimension) == ("months", "months")
    assert low.ranged
    assert high.ranged


def test_a_number_before_to_is_no_range_unless_it_rises() -> None:
    assert not any(quantity.ranged for quantity in quantities("3.14 to two decimals"))


def test_what_is_counted_is_told_apart_from_units() -> None:
    assert only("1000 seats").noun == "seats"
    assert only("1000 m").noun == ""


def test_the_place_of_a_number_is_where_it_stands() -> None:
    text = "it costs $25.00 today"
    found = only(text)
    assert text[found.start : found.end] == "$25.00"


def test_a_flood_of_numbers_is_not_read_to_its_end() -> None:
    assert len(quantities("7 " * (3 * MOST))) == MOST


@given(st.integers(min_value=0, max_value=10**12))
def test_grouping_digits_changes_nothing(number: int) -> None:
    assert only(f"{number:,}").value == only(str(number)).value == number


@given(st.integers(min_value=-(10**6), max_value=10**6), st.sampled_from(["km", "kg", "hours", "%", "°C", "GB"]))
def test_a_quantity_is_the_same_as_itself_and_not_as_the_next(number: int, unit: str) -> None:
    this, following = only(f"{number} {unit}"), only(f"{number + 1} {unit}")
    assert compare(this, this) == "same"
    assert compare(this, following) == compare(following, this) == "different"


@given(st.text())
def test_any_text_gives_finite_amounts(text: str) -> None:
    for quantity in quantities(fold(text)):
        assert math.isfinite(quantity.value)
        assert 0 <= quantity.start < quantity.end <= len(fold(text))


@given(st.from_regex(r"\A\d{1,3}(,\d{3}){1,3}\Z"))
def test_parsing_ignores_commas_between_groups(digits: str) -> None:
    assert parse(digits) == float(digits.replace(",", ""))
