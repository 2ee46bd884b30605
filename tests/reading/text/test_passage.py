from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.passage import Passage


def test_words_are_quoted_as_they_were_written() -> None:
    passage = Passage("The Capital is PARIS.")
    assert passage.quote(1, 3) == "Capital is PARIS"


def test_where_folding_moves_places_the_folded_words_are_quoted() -> None:
    passage = Passage("½ Straße")
    assert passage.quote(len(passage) - 1, len(passage) - 1) == "strasse"


def test_sentences_and_clauses_are_counted() -> None:
    passage = Passage("Ankara is big, but the capital is Istanbul. So it is.")
    by_word = dict(zip(passage.stems, zip(passage.sentences, passage.clauses, strict=True), strict=True))
    assert by_word["ankara"] == (0, 0)
    assert by_word["istanbul"][0] == 0
    assert by_word["istanbul"][1] > by_word["ankara"][1]
    assert by_word["so"][0] == 1


def test_and_before_a_verb_opens_a_clause_and_between_names_it_does_not() -> None:
    moved = Passage("founded in 2011 and moved to Leeds")
    named = Passage("Anna and Tom founded it")
    assert moved.clauses[0] != moved.clauses[-1]
    assert named.clauses[0] == named.clauses[2]


def test_one_country_has_one_name() -> None:
    names = ("the United States of America", "the USA", "the U.S.", "the United States")
    assert len({tuple(Passage(name).stems) for name in names}) == 1


@given(st.text())
def test_places_rise_and_lie_within_the_text(text: str) -> None:
    passage = Passage(text)
    ends = [0, *passage.ends]
    assert all(end <= start for end, start in zip(ends, passage.starts, strict=False))
    assert ends[-1] <= len(passage.folded)
    for numbers in (passage.sentences, passage.clauses):
        assert numbers == sorted(numbers)
        assert len(numbers) == len(passage)
