"""What judges say beside a run, on each database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.storage.records import attempt, key, records, stored_run

from proctor.errors import NoSuchRun
from proctor.score import Part, Review, SecondOpinion
from proctor.storage import Store, open_store
from proctor.usage import Usage


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        stored_run(opened)
        opened.journal.write(records(attempt(key())))
        yield opened


def test_a_judgement_reads_back_as_it_was_stored_and_the_attempt_stays_as_it_is(store: Store) -> None:
    before = list(store.archive.full_attempts("run-1"))
    review = Review(parts=(Part(name="correctness", value=0.5),), usage=Usage(calls=1, cost=0.01))
    given = [
        SecondOpinion(exam="a", judge="strict", passed=False, value=0.5, usage=Usage(calls=1, cost=0.01), seconds=0.5),
        SecondOpinion(
            exam="a", judge="strict", repeat=2, finished=False, unscored="no\0answer", reviews={1: (review,)}
        ),
    ]
    store.judgements.put("run-1", given)
    found = store.judgements.of_run("run-1")
    assert found[0] == given[0]
    assert found[1].reviews == given[1].reviews
    assert list(store.archive.full_attempts("run-1")) == before


def test_the_same_judge_asked_the_same_time_replaces_its_word_and_others_stay(store: Store) -> None:
    first, other = (
        SecondOpinion(exam="a", judge="strict", passed=False),
        SecondOpinion(exam="a", judge="kind", passed=True),
    )
    again = SecondOpinion(exam="a", judge="strict", passed=True)
    store.judgements.put("run-1", [first, other])
    store.judgements.put("run-1", [again])
    assert store.judgements.of_run("run-1") == [other, again]
    assert store.judgements.of_run("run-1", "kind") == [other]


def test_they_go_with_the_run(store: Store) -> None:
    store.judgements.put("run-1", [SecondOpinion(exam="a", judge="strict", passed=True)])
    store.journal.delete("run-1")
    with pytest.raises(NoSuchRun):
        store.judgements.of_run("run-1")
    with store.archive._database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM judgements").scalar() == 0
