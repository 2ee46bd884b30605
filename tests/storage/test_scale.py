"""Large runs are read by index, in little memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from tests.storage.records import key, played, stored_run, turn

from proctor.run import Turned
from proctor.storage import Store, open_store
from proctor.storage.chunks import _begun_after, _outcomes_after
from proctor.storage.numbers import Numbers


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        stored_run(opened)
        yield opened


def fill(store: Store, *, exams: int, trials: int) -> None:
    for trial in range(1, trials + 1):
        said = [played(key(f"exam-{exam:06}", trial=trial), place=exam * trials + trial) for exam in range(exams)]
        store.journal.write([record for one in said for record in one])


def peaks(read: Callable[[], Iterable[object]]) -> tuple[float, float]:
    """Megabytes in use at the worst moment: while the things read stream by, and where all of them are kept."""

    def peak_of(consume: Callable[[Iterable[object]], object]) -> float:
        tracemalloc.start()
        consume(read())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20

    return peak_of(lambda stream: deque(stream, maxlen=0)), peak_of(list)


@pytest.mark.parametrize("verdict", [None, "fail"])
def test_a_page_deep_in_a_large_run_is_an_index_lookup(store: Store, verdict: str | None) -> None:
    statement = _outcomes_after(1, (10**6, 0), verdict).limit(50)
    plan = explained(store, statement)
    assert len(plan) == 1, plan
    assert "place>?" in plan[0]
    assert "TEMP B-TREE" not in plan[0]


def test_attempts_under_way_are_found_without_a_sort_or_a_scan(store: Store) -> None:
    plan = explained(store, _begun_after(Numbers(1, 1, 1), (1, "", "a")).limit(50))
    assert all("SCAN attempts" not in step and "TEMP B-TREE" not in step for step in plan), plan


def explained(store: Store, statement: object) -> list[str]:
    database = store.archive._database
    sql = str(statement.compile(dialect=database.dialect, compile_kwargs={"literal_binds": True}))  # type: ignore[attr-defined]
    with database.reading() as connection:
        return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")]


@pytest.mark.parametrize("how", ["attempts", "full_attempts"])
def test_attempts_stream_by_without_gathering_in_memory(store: Store, how: str) -> None:
    fill(store, exams=500, trials=6)
    streaming, keeping = peaks(lambda: getattr(store.archive, how)("run-1"))
    assert streaming < 0.4 * keeping


def test_attempts_taken_up_again_stream_by_without_gathering_in_memory(store: Store) -> None:
    store.journal.write([Turned(key=key(f"{number}"), turn=turn(1)) for number in range(2500)])
    streaming, keeping = peaks(lambda: store.archive.pending_attempts("run-1"))
    assert streaming < 0.4 * keeping


def test_the_keys_of_finished_attempts_are_kept_frugally(store: Store) -> None:
    fill(store, exams=500, trials=8)
    tracemalloc.start()
    keys = store.archive.finished("run-1")
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(keys) == 4000
    assert kept / 4000 < 150  # 200,000 attempts: under 30 MB
    assert len({id(exam) for exam, _, _ in keys}) == 2 * 500


def test_writing_many_batches_keeps_nothing(store: Store) -> None:
    fill(store, exams=500, trials=1)
    tracemalloc.start()
    fill(store, exams=500, trials=5)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 100_000
