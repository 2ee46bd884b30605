"""Runs as data frames, just played or stored."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.errors import NoSuchRun, UsageError

CASES = [("What is 2 + 2?", "4"), ("What is 2 + 3?", "5")]


@pytest.fixture
def played(tmp_path: Path) -> proctor.Evaluation:
    return proctor.evaluate(
        CASES, agent=lambda question: "4", reviewer="exact", trials=2, store=tmp_path / "store", name="sums"
    )


def test_an_evaluation_is_a_frame_of_attempts_or_of_cases(played: proctor.Evaluation) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = played.to_dataframe()
    assert frame["passed"].tolist() == [True, True, False, False]
    assert frame["passed"].mean() == played.findings.pass_rate.value
    cases = played.to_dataframe("cases", library="pandas")
    assert cases[["verdict", "counted", "passed"]].values.tolist() == [["pass", 2, 2], ["fail", 2, 0]]


def test_a_stored_run_is_loaded_as_it_was_returned(played: proctor.Evaluation) -> None:
    loaded = proctor.load_run("sums", store=played.store)
    assert repr(loaded) == repr(played)
    assert [attempt.key for attempt in loaded.attempts()] == [attempt.key for attempt in played.attempts()]
    with pytest.raises(NoSuchRun):
        proctor.load_run("nothing", store=played.store)


def test_rows_of_another_kind_are_refused(played: proctor.Evaluation) -> None:
    with pytest.raises(UsageError, match=r"rows='turns' is not known; expected 'attempts' or 'cases'"):
        played.to_dataframe("turns")  # type: ignore[arg-type]
