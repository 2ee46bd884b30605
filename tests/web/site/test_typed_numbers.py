"""Numbers as people type them."""

from __future__ import annotations

import pytest

from proctor.web.site.forms import read_decimal, read_whole


@pytest.mark.parametrize(("text", "number"), [("2000", 2000), ("2,000", 2000), ("-1", -1), ("1,234,567", 1234567)])
def test_whole_numbers_may_have_commas_between_thousands(text: str, number: int) -> None:
    assert read_whole(text) == number


@pytest.mark.parametrize("text", ["1,5", "1.5", "1_000", "", "much", "9" * 5000])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number"):
        read_whole(text)


@pytest.mark.parametrize(("text", "number"), [("0,5", 0.5), ("0,500", 0.5), ("1000", 1000), ("12,50", 12.5)])
def test_a_comma_may_be_the_decimal_point(text: str, number: float) -> None:
    assert read_decimal(text) == number


@pytest.mark.parametrize("text", ["1,000", "-250,000", "1,000,000"])
def test_a_comma_that_may_stand_between_thousands_is_never_taken_for_the_decimal_point(text: str) -> None:
    with pytest.raises(ValueError, match=r"without a comma|is not a number"):
        read_decimal(text)
