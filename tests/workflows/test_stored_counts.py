"""What was counted of a large run is kept beside it, and no longer once the run is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update
from tests.storage.records import attempt, key, played, stored_run

import proctor
from proctor.benchmark import Case, Exam
from proctor.codec import benchmark_of
from proctor.findings.run import Accumulator
from proctor.findings.run.snapshot import pack, stamp
from proctor.run import Finished, Run, Settings
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store
from proctor.storage.tables import runs, snapshots
from proctor.workflows import stored_counts as module
from proctor.workflows.read import findings_of
from proctor.workflows.stored_counts import CountingPass, accumulate_attempts, keep_played

CASES = benchmark_of([Case(id=f"c{n}", question=f"q{n}", answer="yes") for n in range(6)], name="six")


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 1)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        stored_run(opened, benchmark=CASES, planned=6)
        for case in CASES.cases[:5]:
            opened.journal.write(played(key(case.id)))
        opened.journal.mark("run-1", "completed")
        yield opened


def kept(store: Store) -> int:
    """Snapshots; who only began to count has left an empty one."""
    with store.archive._database.reading() as connection:
        bodies = connection.execute(select(snapshots.c.body)).scalars()
        return sum(bool(body) for body in bodies)


def known(store: Store) -> tuple[Run, tuple[Exam, ...]]:
    run = store.archive.find("run-1")
    return run, exams_of(store.archive.benchmark_of("run-1"), run.settings)


def test_a_run_is_counted_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _, exams = known(store)
    first = findings_of(store, "run-1", exams)
    assert kept(store) == 1
    monkeypatch.setattr(store.archive, "attempts", None)
    assert findings_of(store, "run-1", exams) == first
    assert first.counts.scored == 5


def test_whatever_is_written_of_a_run_makes_it_void(store: Store) -> None:
    run, exams = known(store)
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 5
    store.journal.write(played(key("c5")))
    assert kept(store) == 0
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 6
    broken = replace(attempt(key("c5")), passed=False)
    store.journal.write([Finished(attempt=broken)])
    assert accumulate_attempts(store, run, exams).findings(run).pass_rate.value == pytest.approx(5 / 6)


def test_a_run_that_goes_on_is_counted_each_time(store: Store) -> None:
    _, exams = known(store)
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "running")
        findings_of(store, "run-1", exams)
    assert kept(store) == 0


def test_what_was_written_while_it_was_counted_is_not_overlooked(
    store: Store, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, exams = known(store)
    read = store.archive.attempts

    def slowly(name: str) -> Iterator[proctor.Attempt]:
        yield from read(name)
        with open_store(store_url) as other, other.journal.writing("run-1"):
            other.journal.write(played(key("c5")))

    monkeypatch.setattr(store.archive, "attempts", slowly)
    accumulate_attempts(store, run, exams)
    assert kept(store) == 0


def test_what_was_written_and_marked_as_before_while_it_was_counted_is_not_overlooked(
    store: Store, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, exams = known(store)
    read = store.archive.attempts

    def slowly(name: str) -> Iterator[proctor.Attempt]:
        yield from read(name)
        store.journal.write(played(key("c5")))  # within the run's own row nothing has changed

    monkeypatch.setattr(store.archive, "attempts", slowly)
    accumulate_attempts(store, run, exams)
    monkeypatch.undo()
    monkeypatch.setattr(module, "LARGE", 1)
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 6


def test_a_process_that_knows_nothing_of_snapshots_makes_them_void_by_what_it_marks(store: Store) -> None:
    run, exams = known(store)
    accumulate_attempts(store, run, exams)
    with store.archive._database.reading() as connection:
        [row] = connection.execute(select(snapshots)).all()
    store.journal.mark("run-1", "running")
    store.journal.write(played(key("c5")))
    store.journal.mark("run-1", "completed", seconds=1.0)
    with store.archive._database.writing() as connection:  # as if it had not been deleted
        connection.execute(insert(snapshots), dict(row._mapping))
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 6


def test_whoever_was_taken_over_before_it_kept_what_it_counted_keeps_nothing(store: Store) -> None:
    run, exams = known(store)
    counted = accumulate_attempts(store, run, exams)
    with store.journal.writing("run-1"):
        with store.archive._database.writing() as connection:
            connection.execute(delete(snapshots))
            connection.execute(update(runs).values(writer=runs.c.writer + 1))
        keep_played(store, run, counted)
    assert kept(store) == 0


def test_a_run_whose_process_was_killed_is_counted_once_until_it_goes_on(store: Store) -> None:
    _, exams = known(store)
    with store.archive._database.writing() as connection:
        dead = {"status": "running", "holder": "elsewhere 1 1", "beat": 0.0}
        connection.execute(update(runs).values(dead))
    run, _ = known(store)
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 5
    assert kept(store) == 1
    store.journal.write(played(key("c5")))
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 6


def test_what_was_kept_without_a_seal_is_not_read(store: Store) -> None:
    run, exams = known(store)
    body = pack(Accumulator(run, exams))
    with store.archive._database.writing() as connection:
        connection.execute(insert(snapshots), {"run_no": 1, "stamp": stamp(run), "body": body})
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 5


@pytest.mark.parametrize("settings", [{}, {"trials": 3}, {"trials": 2, "conditions": ("", "slow")}], ids=str)
def test_verdicts_are_the_same_counted_by_the_store_or_recalled(
    store_url: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Settings(**settings)
    with open_store(store_url) as store:
        stored_run(store, benchmark=CASES, settings=given, planned=6 * given.repeats)
        keys = [(case, name, trial) for case in "01234" for name in given.conditions for trial in range(given.trials)]
        for place, (case, name, trial) in enumerate(keys):
            one = attempt(replace(key(f"c{case}"), condition=name, trial=trial + 1), place=place)
            store.journal.write([Finished(attempt=replace(one, passed=[True, False, None][place % 3]))])
        store.journal.mark("run-1", "completed")
        run, exams = known(store)
        counts, order = module.verdict_counts(store, run), module.verdict_order(store, run)
        accumulate_attempts(store, run, exams)
        for name in ("attempts", "verdict_counts", "verdict_order"):
            monkeypatch.setattr(store.archive, name, None)
        assert module.verdict_counts(store, run) == {exam: each for exam, each in counts.items() if each[0]}
        assert module.verdict_order(store, run) == order
        assert {name for _, name in order} == {""}, "under several conditions, those of the plain run"


def test_a_reader_that_goes_away_keeps_nothing(store: Store) -> None:
    run, exams = known(store)
    counting = CountingPass(store, run, exams)
    attempts = counting.watching(store.archive.attempts("run-1"))
    next(attempts)
    attempts.close()
    assert accumulate_attempts(store, run, exams).findings(run).counts.scored == 5


def test_what_was_kept_goes_with_its_run(store: Store) -> None:
    accumulate_attempts(store, *known(store))
    store.journal.delete("run-1")
    assert kept(store) == 0


def test_a_store_that_is_locked_is_read_without_waiting(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store:
        stored_run(store, benchmark=CASES, planned=6)
        store.journal.mark("run-1", "completed")
        other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        run, exams = known(store)
        assert accumulate_attempts(store, run, exams).findings(run).counts.pending == 6
        other.execute("ROLLBACK")
        other.close()
        assert kept(store) == 0
        store.journal.write(played(key("c0")))


def test_a_run_that_was_played_need_not_be_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def agent(question: str) -> str:
        return "yes"

    played_here = proctor.evaluate(CASES, agent=agent, store=tmp_path / "s.db")
    with open_store(tmp_path / "s.db") as store:
        assert kept(store) == 1
        monkeypatch.setattr(store.archive, "attempts", None)
        run = store.archive.find("last")
        exams = exams_of(store.archive.benchmark_of(run.id), run.settings)
        assert findings_of(store, run.id, exams) == played_here.findings


def test_a_run_that_was_resumed_need_not_be_counted_again_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = {"c2"}

    async def agent(question: str) -> str:
        if question in {f"q{name[1:]}" for name in down}:
            raise ConnectionResetError("gone")
        return "yes"

    first = proctor.evaluate(CASES, agent=agent, store=tmp_path / "s.db", retries=0)
    exams = exams_of(CASES, first.run.settings)
    with open_store(tmp_path / "s.db") as store:
        assert findings_of(store, first.run.id, exams) == first.findings
        with store.archive._database.writing() as connection:
            connection.execute(delete(snapshots))
        assert findings_of(store, first.run.id, exams) == first.findings
    down.clear()
    resumed = proctor.resume(first.run.id, agent=agent, store=tmp_path / "s.db")
    assert resumed.findings.counts.scored == 6
    with open_store(tmp_path / "s.db") as store:
        monkeypatch.setattr(store.archive, "attempts", None)
        assert findings_of(store, first.run.id, exams) == resumed.findings
