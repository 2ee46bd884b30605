"""The words that pages explain."""

from __future__ import annotations

import pytest

from proctor.reports.run.environment import MEANINGS, meanings


def test_each_is_explained_in_one_short_sentence() -> None:
    assert {term: meaning for term, meaning in MEANINGS.items() if len(meaning) > 130 or meaning[-1] != "."} == {}


def test_a_word_that_nobody_explained_is_not_passed_over() -> None:
    with pytest.raises(KeyError):
        list(meanings("no such word"))
