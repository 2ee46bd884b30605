"""What runs would take, before anybody is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import proctor
from proctor.config import Config
from proctor.run import Run
from proctor.workflows.dry_run import estimate_runs
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest

CASES = [{"question": "one?", "answer": "a"}, {"question": "two?", "answer": "a"}]


def answer(question: str) -> str:
    return "a"


def prepared(**settings: object) -> PreparedRun:
    return prepare(RunRequest(benchmark=CASES, agent=answer, settings=settings), Config())


def past_run(tmp_path: Path) -> Run:
    run = proctor.evaluate(CASES, agent=answer, store=tmp_path / "s.db").run
    return replace(run, seconds=10.0, settings=replace(run.settings, concurrency=1))


def test_the_last_run_tells_the_time_by_its_attempts_and_how_many_were_under_way(tmp_path: Path) -> None:
    past = past_run(tmp_path)
    alone = estimate_runs([prepared(concurrency=1, trials=3)], Config(), [past])
    assert (alone.run.planned, alone.seconds) == (6, 30.0)
    together = estimate_runs([prepared(concurrency=3, trials=3)], Config(), [past])
    assert together.seconds == 10.0


def test_runs_on_other_benchmarks_tell_no_time(tmp_path: Path) -> None:
    found = estimate_runs([prepared()], Config(), [replace(past_run(tmp_path), benchmark="another")])
    assert (found.past, found.seconds) == (None, None)


def test_several_runs_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "nobody is asked")
    ready = prepare(RunRequest(benchmark=CASES, agent=answer, reviewer="openai:gpt-5-mini"), Config())
    one, two = estimate_runs([ready], Config(), []), estimate_runs([ready, ready], Config(), [past_run(tmp_path)])
    assert two.models.calls.likely == 2 * one.models.calls.likely > 0
    assert (two.runs, two.exams, two.past) == (2, 2, None)
