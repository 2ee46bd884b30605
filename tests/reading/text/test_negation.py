from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.negation import declines, find_exception, find_hedge, find_negation, polarity, unsure
from proctor.reading.text.passage import Passage


def place_of(passage: Passage, word: str) -> int:
    return passage.stems.index(word)


@pytest.mark.parametrize(
    "text",
    [
        "It is not Paris.",
        "It isn't Paris",
        "Paris is not the capital.",
        "Paris has never been the capital.",
        "The answer is neither London nor Paris.",
        "It is false that Paris is the capital.",
        "The claim that it is Paris is wrong, Paris is false.",
        "No, it can't be Paris",
    ],
)
def test_a_denial_reaches_what_it_denies(text: str) -> None:
    passage = Passage(text)
    spot = place_of(passage, "paris")
    assert find_negation(passage, spot, spot) is not None


@pytest.mark.parametrize(
    "text",
    [
        "It is Paris.",
        "Paris, not London.",
        "It is not London but Paris.",
        "It isn't London; it is Paris.",
        "Not only Paris but all of France.",
        "There is no doubt that it is Paris.",
        "It was not until 1789 that Paris rose.",
        "It is not larger than Paris.",
        "It must not exceed Paris.",
        "Paris isn't just the capital.",
        "After a wrong turn we came to Paris.",
    ],
)
def test_a_negation_of_something_else_does_not(text: str) -> None:
    passage = Passage(text)
    spot = place_of(passage, "pari" if "pari" in passage.stems else "paris")
    assert find_negation(passage, spot, spot) is None


def test_the_place_of_the_denying_word_is_told() -> None:
    passage = Passage("The capital is certainly not Paris")
    assert passage.quote(find_negation(passage, 5, 5) or 0, 5) == "not Paris"


@pytest.mark.parametrize("text", ["all except Paris", "London rather than the city of Paris", "unlike Paris, London"])
def test_what_is_set_apart_is_found(text: str) -> None:
    passage = Passage(text)
    assert find_exception(passage, place_of(passage, "paris")) is not None


def test_what_is_not_set_apart_is_not() -> None:
    passage = Passage("Except for London they all live in a large old house. Paris is home.")
    assert find_exception(passage, place_of(passage, "paris")) is None


@pytest.mark.parametrize("text", ["It might be Paris", "perhaps Paris", "it could be Paris"])
def test_a_mere_possibility_is_found(text: str) -> None:
    passage = Passage(text)
    assert find_hedge(passage, place_of(passage, "paris")) is not None


@pytest.mark.parametrize("text", ["I think it is Paris", "probably Paris", "It might rain, Paris is wet"])
def test_a_belief_is_no_mere_possibility(text: str) -> None:
    passage = Passage(text)
    assert find_hedge(passage, place_of(passage, "paris")) is None


@pytest.mark.parametrize(
    "text",
    [
        "i don't know.",
        "i do not really know",
        "unknown.",
        "sorry, i cannot help with that.",
        "there is not enough information to say.",
        "as an ai language model i have no opinion",
        "i could not find anything about that",
    ],
)
def test_a_refusal_is_recognised(text: str) -> None:
    assert declines(text)


@pytest.mark.parametrize("text", ["paris", "i know: paris", "none of the above is paris", "we could find paris easily"])
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not declines(text)


def test_doubt_is_told_from_belief() -> None:
    assert unsure("i am not sure, paris?")
    assert not unsure("i think it is paris")


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes.", True),
        ("No, it is not.", False),
        ("nope", False),
        ("That is correct.", True),
        ("It doesn't.", False),
        ("It does.", True),
        ("The answer is no.", False),
        ("Not at all", False),
        ("Only members can.", None),
        ("The correct form is blue", None),
        ("Paris", None),
        ("", None),
    ],
)
def test_yes_and_no_are_read_from_how_a_text_begins(text: str, yes: bool | None) -> None:
    assert polarity(Passage(text)) is yes


@given(st.text(), st.integers(min_value=0), st.integers(min_value=0))
def test_any_words_of_any_text_can_be_asked_for(text: str, one: int, other: int) -> None:
    passage = Passage(text)
    if len(passage):
        first, last = sorted((one % len(passage), other % len(passage)))
        for place in (find_negation(passage, first, last), find_exception(passage, first), find_hedge(passage, first)):
            assert place is None or 0 <= place < len(passage)
