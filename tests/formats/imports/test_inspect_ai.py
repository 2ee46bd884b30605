"""Inspect AI: whose mark decides, and what of a sample is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.imports.made_files import inspect_eval, inspect_sample
from tests.formats.imports.reading import read

from proctor.errors import InputError
from proctor.formats.imports.contract import ImportOptions
from proctor.formats.imports.detect import open_source
from proctor.formats.imports.source_file import SourceFile

_RESULTS = {
    "scores": [{"name": "a", "scorer": "multi"}, {"name": "b", "scorer": "multi"}],
    "headline": {"scorer": "multi", "score": "a", "metric": "accuracy"},
}


def _log_of_several_values(path: Path, **header: Any) -> Path:
    sample = inspect_sample("sum", "2+2?", scores={"multi": {"value": {"a": 1, "b": 0.3}, "answer": "4"}})
    return inspect_eval(path, [sample], **{"scorers": ["multi"], "results": _RESULTS, **header})


def _decider(path: Path, scorer: str | None = None) -> dict[str, float]:
    return open_source(SourceFile(path), ImportOptions(scorer=scorer)).runs()["log"].weights


def test_a_scorer_that_gives_several_values_decides_by_the_one_that_the_headline_or_a_person_names(
    tmp_path: Path,
) -> None:
    log = _log_of_several_values(tmp_path / "log.eval")

    assert _decider(log) == _decider(log, "a") == _decider(log, "multi.a") == {"multi.a": 1.0}
    assert _decider(log, "b") == {"multi.b": 1.0}
    parts = [(part.name, part.value, part.explanation) for each in read(log)[0] if each.result for part in
             each.result.review.parts]  # fmt: skip
    assert parts == [("multi.a", 1.0, "answer: 4"), ("multi.b", 0.3, "answer: 4")]
    with pytest.raises(InputError, match=r"may be any of 'multi.a', 'multi.b'"):
        _decider(log, "multi")
    with pytest.raises(InputError, match=r"no scorer 'c'; the log has 'multi.a', 'multi.b'"):
        _decider(log, "c")
    with pytest.raises(InputError, match="name one with --scorer"):
        _decider(_log_of_several_values(tmp_path / "headless.eval", results={}))


def test_an_invalidated_sample_has_no_verdict_and_whatever_else_a_log_tells_is_listed(tmp_path: Path) -> None:
    samples = [
        inspect_sample("invalid", "2+2?", invalidation={"author": "x", "reason": "wrong target"}),
        inspect_sample(
            "odd",
            "3+3?",
            limit={"type": "message", "limit": 2},
            error_retries=[{"message": "x"}],
            store={"memory": "x"},
            scores={"match": {"value": "C", "history": [{"value": "I"}]}},
        ),
    ]

    records, log = read(inspect_eval(tmp_path / "log.eval", samples, plan={"steps": [{"solver": "generate"}]}))

    verdicts = [(each.result.review.unscored, len(each.result.review.parts)) for each in records if each.result]
    assert verdicts == [("the sample was declared invalid there: wrong target", 0), (None, 1)]
    assert log.left_out == {
        "samples that reached their limit (message) and were scored all the same": 1,
        "keys of samples: error_retries": 1,
        "keys of samples: store": 1,
        "earlier values of scores that were changed": 1,
        "how the run was set up: plan": 1,
    }


@pytest.mark.parametrize("marks", [[1, 7, 1, 10], [1, -1], [1.0, float("nan"), 0.5, 100]])
def test_marks_on_another_scale_give_no_verdicts_for_a_1_may_be_the_worst_there(
    tmp_path: Path, marks: list[float]
) -> None:
    samples = [inspect_sample(place, f"{place}?", mark) for place, mark in enumerate(marks)]
    records, log = read(inspect_eval(tmp_path / "log.eval", samples))
    assert {each.result.review.unscored for each in records if each.result} == {
        "the scorer 'match' marks on another scale than 0 to 1"
    }
    assert "the scorer 'match' marks on another scale than 0 to 1: its marks give no verdicts" in log.notes


def test_a_mark_that_is_none_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    samples = [inspect_sample(place, f"{place}?", mark) for place, mark in enumerate([1, 0.2, float("nan"), "odd"])]
    records, _ = read(inspect_eval(tmp_path / "log.eval", samples))
    assert [len(each.result.review.parts) for each in records if each.result] == [1, 1, 0, 0]
