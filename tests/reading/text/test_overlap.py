from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.overlap import content, coverage, f1, weight
from proctor.reading.text.words import words

stems = st.sets(st.sampled_from(["paris", "city", "the", "antietam", "battle", "of", "7", "moon"]))


def test_a_stop_word_tells_nothing_and_a_generic_one_little() -> None:
    assert weight("the") == 0.0 < weight("battl") < weight("antietam")


def test_sharing_the_rare_word_is_worth_more_than_sharing_the_common_one() -> None:
    wanted = words("the battle of antietam")
    assert f1(wanted, words("antietam")) > f1(wanted, words("the battle of culloden"))


def test_coverage_is_the_share_of_the_expected_weight() -> None:
    expected = content("the gravity of the moon")
    assert coverage(expected, set(words("gravity"))) == pytest.approx(0.5)
    assert coverage(expected, set(words("the moon's gravity"))) == 1.0
    assert coverage({}, set()) == 1.0


@given(stems, stems)
def test_overlap_is_symmetric_and_between_zero_and_one(one: set[str], other: set[str]) -> None:
    assert f1(one, other) == f1(other, one)
    assert 0.0 <= f1(one, other) <= 1.0


@given(stems)
def test_overlap_with_itself_is_whole(one: set[str]) -> None:
    assert f1(one, one) == pytest.approx(1.0)


@given(st.text(), st.text())
def test_coverage_of_any_text_is_between_zero_and_one(expected: str, found: str) -> None:
    assert 0.0 <= coverage(content(expected), set(words(found))) <= 1.0
