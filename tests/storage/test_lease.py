"""Who writes a run, and how a writer finds out that it is no longer the one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import text, update
from tests.storage.records import key, played, stored_run
from tests.storage.servers import end_connections

from proctor.errors import RunBusy, RunLost
from proctor.storage import Store, open_store
from proctor.storage import lease as leases
from proctor.storage.tables import runs


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        yield opened


def age(store: Store, seconds: float) -> None:
    """Have the last sign of life be so long ago."""
    with store.journal._database.writing() as connection:
        connection.execute(update(runs).values(beat=runs.c.beat - seconds))


def last_sign(store: Store) -> float:
    with store.journal._database.reading() as connection:
        return float(connection.execute(text("SELECT beat FROM runs")).scalar() or 0.0)


def eventually(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happens():
        assert time.monotonic() < deadline


def test_a_run_whose_writer_shows_no_sign_of_life_can_be_taken(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other, store.journal.writing("run-1"):
        age(store, leases.EXPIRY + 1)
        with other.journal.writing("run-1"):
            pass


def test_who_has_lost_a_run_writes_nothing_more(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other, store.journal.writing("run-1"):
        store.journal.write(played(key("before")))
        age(store, leases.EXPIRY + 1)
        with other.journal.writing("run-1"):
            other.journal.write(played(key("taken")))
            late_ones: tuple[Callable[[], object], ...] = (
                lambda: store.journal.write(played(key("late"))),
                lambda: store.journal.mark("run-1", "completed"),
                lambda: store.journal.amend(store.archive.find("run-1")),
                lambda: store.journal.take_stop_request("run-1"),
            )
            for late in late_ones:
                with pytest.raises(RunLost, match="run run-1 has been taken over by another process"):
                    late()
        with pytest.raises(RunLost):
            store.journal.write(played(key("later still")))
    assert {exam for exam, _, _ in store.archive.finished("run-1")} == {"before", "taken"}


def test_leaving_a_run_that_was_lost_does_not_free_it(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other:
        first = store.journal.writing("run-1")
        first.__enter__()
        age(store, leases.EXPIRY + 1)
        with other.journal.writing("run-1"):
            first.__exit__(None, None, None)
            assert store.archive.alive("run-1")
            with pytest.raises(RunBusy):
                store.journal.writing("run-1").__enter__()


def test_a_wish_is_heard_by_the_writer_alone_and_anybody_may_have_one(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other, store.journal.writing("run-1"):
        assert store.journal.take_stop_request("run-1") is None
        other.journal.request_stop("run-1", "pause")
        assert store.journal.take_stop_request("run-1") == "pause"


def test_of_many_who_want_a_run_one_gets_it(store: Store) -> None:
    stored_run(store)
    together = threading.Barrier(6)
    inside: list[int] = []
    refused: list[int] = []

    def want(number: int) -> None:
        together.wait()
        try:
            with store.journal.writing("run-1"):
                inside.append(number)
                together.wait()
        except RunBusy:
            refused.append(number)
            together.wait()

    threads = [threading.Thread(target=want, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(inside), len(refused)) == (1, 5)


def test_signs_of_life_are_shown(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_BEAT", 0.01)
    stored_run(store)
    with store.journal.writing("run-1"):
        age(store, leases.EXPIRY + 1)
        old = last_sign(store)
        eventually(lambda: last_sign(store) > old + leases.EXPIRY)


_STOPPED = """
import sys
from proctor.storage import open_store
from tests.storage.records import key, played
store = open_store(sys.argv[1])
with store.journal.writing("run-1"):
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        store.journal.write(played(key("woken")))
    except Exception as error:
        print(type(error).__name__, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP here")
def test_a_process_that_was_stopped_finds_its_run_taken_when_it_wakes(store: Store, store_url: str) -> None:
    stored_run(store)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", _STOPPED, store_url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        with pytest.raises(RunBusy):
            store.journal.writing("run-1").__enter__()
        writer.send_signal(signal.SIGSTOP)
        os.waitpid(writer.pid, os.WUNTRACED)
        age(store, leases.EXPIRY + 1)
        with store.journal.writing("run-1"):
            store.journal.write(played(key("mine")))
            writer.send_signal(signal.SIGCONT)
            said, _ = writer.communicate("go on\n", timeout=60)
    assert said == "RunLost\n"
    assert {exam for exam, _, _ in store.archive.finished("run-1")} == {"mine"}


def test_connections_that_are_cut_cost_no_lease(postgres_url: str, postgres_server: Any) -> None:
    with open_store(postgres_url) as store, open_store(postgres_url) as other:
        stored_run(store)
        with store.journal.writing("run-1"):
            end_connections(postgres_server)
            assert store.archive.alive("run-1")
            with pytest.raises(RunBusy):
                other.journal.writing("run-1").__enter__()
            with suppress(Exception):  # the first use of a connection that was cut may fail once
                store.journal.write(played(key("after")))
            store.journal.write(played(key("after")))
        assert not store.archive.alive("run-1")
        assert {exam for exam, _, _ in store.archive.finished("run-1")} == {"after"}
