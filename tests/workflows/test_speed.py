"""How long a run will take, told by the last stored one that is like it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import proctor
from proctor.run import Run, Settings
from proctor.workflows.dry_run import PastSpeed, speed_of, speed_of_last, stored_runs

CASES = [("q 1", "a"), ("q 2", "b")]


def played(tmp_path: Path, **others: Any) -> Run:
    return proctor.evaluate(CASES, agent=answer, store=tmp_path / "s.db", **others).run


def answer(question: str) -> str:
    return "a"


def test_the_last_run_of_the_same_agent_and_benchmark_tells_the_speed(tmp_path: Path) -> None:
    first = played(tmp_path)
    last = played(tmp_path)
    found = speed_of_last(first, stored_runs(str(tmp_path / "s.db")))
    assert found is not None
    assert (found.run, found.attempts, found.seconds) == (last.id, 2, last.seconds)


def test_a_run_by_the_same_judge_is_preferred_to_a_newer_one(tmp_path: Path) -> None:
    first = played(tmp_path, reviewer="exact")
    played(tmp_path)
    found = speed_of_last(
        replace(first, settings=replace(first.settings, trials=9)), stored_runs(str(tmp_path / "s.db"))
    )
    assert found is not None
    assert found.run == first.id


def test_other_agents_benchmarks_and_types_tell_nothing(tmp_path: Path) -> None:
    run, store = played(tmp_path), str(tmp_path / "s.db")
    assert speed_of_last(replace(run, agent="another"), stored_runs(store)) is None
    assert speed_of_last(replace(run, benchmark="another"), stored_runs(store)) is None
    assert speed_of_last(replace(run, settings=Settings(type="abm-static")), stored_runs(store)) is None


def test_without_a_store_nothing_is_known_and_none_is_made(tmp_path: Path) -> None:
    run, nowhere = played(tmp_path), tmp_path / "nowhere.db"
    assert speed_of_last(run, stored_runs(str(nowhere))) is None
    assert not nowhere.exists()


def test_replies_that_were_only_judged_again_have_no_speed(tmp_path: Path) -> None:
    run = played(tmp_path)
    assert speed_of(run) is not None
    assert speed_of(replace(run, rescored_from="another")) is None
    assert speed_of(replace(run, status="paused")) is None


def test_more_attempts_take_longer_and_more_at_once_shorter() -> None:
    past = PastSpeed(run="r", seconds=100.0, attempts=50, at_once=5)
    assert past.seconds_for(50, concurrency=5) == 100.0
    assert past.seconds_for(100, concurrency=5) == 200.0
    assert past.seconds_for(100, concurrency=10) == 100.0
    assert past.seconds_for(1, concurrency=10) == 10.0, "one alone is not sped up by the others"
