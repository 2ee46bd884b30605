"""What is found by what was typed."""

from __future__ import annotations

import pytest

from proctor.workflows.run_filter import says


@pytest.mark.parametrize("question", ["What is 1 + 1?", "what is  1 +\n1?", "1 + 12"])
def test_the_words_are_found_as_they_were_typed(question: str) -> None:
    assert says(" 1 + 1 ", question)


@pytest.mark.parametrize("question", ["What is 2 + 7?", "1 and 1", "+ 1 1"])
def test_the_same_signs_in_another_order_are_not_found(question: str) -> None:
    assert not says("1 + 1", question, id="1c1f+11")


def test_ids_are_found_by_their_beginning_alone() -> None:
    assert says("C66B", "Why?", id="c66b371be797")
    assert not says("371b", "Why?", id="c66b371be797")


def test_nothing_typed_finds_everything_and_nothing_is_found_without_an_id() -> None:
    assert says("  ", "Why?")
    assert not says("x", "Why?")
