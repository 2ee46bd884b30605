"""Several processes at one store: readers beside a writer, and a writer that is killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from tests.storage.records import key, played, stored_run, turn

from proctor.errors import RunBusy
from proctor.storage import Store, open_store


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        yield opened


BATCH = 20
_WRITER = """
import sys
from proctor.storage import open_store
from tests.storage.records import key, played
store = open_store(sys.argv[1])
with store.journal.writing("run-1"):
    store.journal.mark("run-1", "running")
    print("ready", flush=True)
    for batch in range(int(sys.argv[2])):
        said = [played(key(f"{batch}/{exam}"), place=batch * 20 + exam) for exam in range(20)]
        store.journal.write([record for one in said for record in one])
        print(batch, flush=True)
    sys.stdin.read()
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python that can import what this one can."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def wait_for(writer: subprocess.Popen[str], word: object) -> None:
    assert writer.stdout is not None
    for line in writer.stdout:
        if line.strip() == str(word):
            return
    raise AssertionError(f"the writer ended before it said {word}")


def wait_until_free(store: Store) -> None:
    """A server notices the death of its client a moment later."""
    deadline = time.monotonic() + 20
    while store.archive.alive("run-1"):
        assert time.monotonic() < deadline


def batches_in(store: Store) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in store.archive.full_attempts("run-1"):
        assert one.transcript.turns == (turn(1),)
        batch = one.key.exam.partition("/")[0]
        counts[batch] = counts.get(batch, 0) + 1
    return counts


def test_two_processes_read_while_a_third_writes(store: Store, store_url: str) -> None:
    stored_run(store)
    with start(_WRITER, store_url, 60) as writer, open_store(store_url) as other:
        wait_for(writer, "ready")
        seen = [batches_in(reader) for _ in range(5) for reader in (store, other)]
        assert store.archive.find("run-1").status == "running"
        with pytest.raises(RunBusy):
            store.journal.writing("run-1").__enter__()
        writer.communicate()
    assert [len(one) for one in seen] == sorted(len(one) for one in seen)
    assert sum(batches_in(store).values()) == 60 * BATCH


def test_a_killed_writer_leaves_exactly_the_batches_it_committed(store: Store, store_url: str) -> None:
    rng = random.Random(11)
    stored_run(store)
    for _ in range(3):
        with start(_WRITER, store_url, 10_000) as writer:
            last = rng.randint(1, 12)
            wait_for(writer, last)
            writer.kill()
        wait_until_free(store)
        found = batches_in(store)
        assert set(found.values()) == {BATCH}
        assert set(map(str, range(last + 1))) <= set(found)
        assert store.archive.finished("run-1") == {
            (f"{batch}/{exam}", "", 1) for batch in found for exam in range(BATCH)
        }
        gone = store.archive.find("run-1")
        assert (gone.status, gone.reason) == ("paused", "its process ended")
    with open_store(store_url) as fresh, fresh.journal.writing("run-1"):
        fresh.journal.write(played(key("after the kills"), place=10**6))
        assert len(batches_in(fresh)) == len(found) + 1


_FORKER = """
import os, sys
from proctor.storage import open_store
store = open_store(sys.argv[1])
with store.journal.writing("run-1"):
    if os.fork() == 0:
        print("forked", flush=True)
        sys.stdin.read()
        os._exit(0)
    os.waitpid(-1, 0)
"""


def test_the_lock_dies_with_the_writer_though_a_child_of_it_lives_on(store: Store, store_url: str) -> None:
    stored_run(store)
    with start(_FORKER, store_url) as writer:
        wait_for(writer, "forked")
        assert store.archive.alive("run-1")
        writer.kill()
        writer.wait()
        wait_until_free(store)
        with store.journal.writing("run-1"):
            pass
