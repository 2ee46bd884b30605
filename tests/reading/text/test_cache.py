from __future__ import annotations

from proctor.reading.text.dates import dates
from proctor.reading.text.lazy import remembered
from proctor.reading.text.numbers import quantities
from proctor.reading.text.passage import Passage, passage_of


def test_a_short_text_is_read_once_and_a_long_one_every_time() -> None:
    read: list[int] = []
    reader = remembered(lambda text: read.append(len(text)) or len(text))  # type: ignore[func-returns-value]
    for text in ("short", "short", "x" * 5_000, "x" * 5_000):
        assert reader(text) == len(text)
    assert read == [5, 5_000, 5_000]


def test_who_changes_a_list_of_what_was_found_changes_it_for_nobody_else() -> None:
    text = "on 3 may 2019 it was 28 days"
    for find in (dates, quantities):
        first = find(text)
        first.clear()
        assert find(text) != []


def test_a_passage_that_was_read_before_says_the_same_as_a_new_one() -> None:
    text = "It opens at nine, but not on Mondays. Bring 2 forms."
    for _ in range(2):
        old, new = passage_of(text), Passage(text)
        assert (old.stems, old.starts, old.clauses, old.sentences) == (
            new.stems,
            new.starts,
            new.clauses,
            new.sentences,
        )
