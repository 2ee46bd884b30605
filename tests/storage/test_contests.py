"""Contests: what judges say of two runs' replies, beside both."""

from __future__ import annotations

from pathlib import Path

import proctor
from proctor.score import PairVerdict, SecondOpinion
from proctor.storage import open_store
from proctor.usage import Usage


def test_they_are_kept_pair_by_pair_and_are_no_judgements_of_attempts(tmp_path: Path) -> None:
    ids = [
        proctor.evaluate([("q", "a")], agent=lambda question: "a", store=tmp_path / "s.db", name=name).run.id
        for name in ("a", "b", "c")
    ]
    first, second, third = ids
    said = PairVerdict(
        exam="x", other=second, judge="strict 1", digest="d", score=1.0, confidence=0.9,
        explanations=("left", "right"), usage=Usage(calls=2, cost=0.1), made=5.0,
    )  # fmt: skip
    other = PairVerdict(exam="x", other=third, judge="strict 1", digest="d", score=None, reason="it said nothing")
    with open_store(str(tmp_path / "s.db")) as store:
        store.contests.put(first, [said, other])
        store.contests.put(first, [PairVerdict(exam="x", other=second, judge="kind 2", digest="d", score=0.5)])
        assert [each.judge for each in store.contests.of_runs(first, second)] == ["kind 2", "strict 1"]
        assert store.contests.of_runs(first, second)[1] == said
        assert store.contests.of_runs(first, third) == [other]
        assert store.contests.of_runs(second, first) == []
        again = PairVerdict(exam="x", other=third, judge="strict 1", digest="e", score=0.0)
        store.contests.put(first, [again])
        assert store.contests.of_runs(first, third) == [again]
        assert (store.judgements.count(first), store.judgements.of_run(first)) == (0, [])
        store.judgements.put(first, [SecondOpinion(exam="x", judge="strict 1", passed=True)])
        assert (store.judgements.count(first), len(store.contests.of_runs(first, second))) == (1, 2)
