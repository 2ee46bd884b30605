"""What was counted of a completed run before is taken over, and tells the same as reading it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proctor import evaluate
from proctor.findings.run.snapshot import stamp
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.storage import open_store
from proctor.web.views.findings_cache import read_run
from proctor.workflows import stored_counts


def _answers(question: str) -> str:
    if question == "3?":
        raise ValueError("cannot count so far")
    return question[0]


def test_it_tells_the_same_and_reads_no_attempt(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_counts, "LARGE", 1)
    cases = [(f"{number}?", "1" if number % 2 else "x") for number in range(6)]
    path = str(tmp_path / "store.db")
    run: Run = evaluate(cases, agent=_answers, reviewer="exact", store=path, trials=2, retries=0).run
    with open_store(path) as store:
        exams = {exam.id: exam for exam in exams_of(store.archive.benchmark_of(run.id), run.settings)}
        assert store.snapshots.read(run.id, stamp(run)) is not None
        read = read_run(store, replace(run, status="paused"), exams)
        monkeypatch.setattr(store.archive, "attempts", None)
        recalled = read_run(store, run, exams)
    assert recalled.outcomes == read.outcomes
    assert set(recalled.outcomes) == {"passed", "not_passed", "agent_failed"}
    assert recalled.kinds == read.kinds
    assert replace(recalled.findings, run=run) == replace(read.findings, run=run)


def test_what_a_page_counted_of_a_large_run_is_kept_for_the_next_server(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "store.db")
    run: Run = evaluate([("1?", "1"), ("2?", "x")], agent=_answers, reviewer="exact", store=path).run
    monkeypatch.setattr(stored_counts, "LARGE", 1)  # nothing was kept of it when it was played
    with open_store(path) as store:
        exams = {exam.id: exam for exam in exams_of(store.archive.benchmark_of(run.id), run.settings)}
        assert store.snapshots.read(run.id, stamp(run)) is None

        counted = read_run(store, run, exams)

        monkeypatch.setattr(store.archive, "attempts", None)
        assert read_run(store, run, exams).findings == counted.findings
