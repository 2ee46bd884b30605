"""SQLite's locks are files that come and go; PostgreSQL's belong to a session."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection
from tests.storage.records import stored_run
from tests.storage.servers import end_connections

from proctor.errors import RunBusy, StoreError
from proctor.storage import open_store
from proctor.storage.address import parse
from proctor.storage.database import Database
from proctor.storage.lock import AdvisoryLocks, FileLocks


@pytest.fixture
def locks(tmp_path: Path) -> FileLocks:
    path = tmp_path / "store.db"
    return FileLocks(parse(path), path)


def test_nothing_is_left_behind_when_a_run_is_free(locks: FileLocks, tmp_path: Path) -> None:
    with locks.hold("one", 1):
        assert os.listdir(tmp_path) == ["store.db.locks"]
        with locks.hold("two", 2):
            pass
        assert os.listdir(tmp_path / "store.db.locks") == ["one.lock"]
    assert os.listdir(tmp_path) == []
    assert not locks.held("one", 1)


def test_a_name_with_slashes_stays_in_the_folder(locks: FileLocks, tmp_path: Path) -> None:
    with locks.hold("../../up", 1):
        assert os.listdir(tmp_path / "store.db.locks") == ["..%2F..%2Fup.lock"]


def test_a_lock_file_that_a_dead_process_left_is_free(locks: FileLocks, tmp_path: Path) -> None:
    folder = tmp_path / "store.db.locks"
    folder.mkdir()
    (folder / "run.lock").touch()
    assert not locks.held("run", 1)
    with locks.hold("run", 1):
        assert locks.held("run", 1)


def test_a_store_reached_by_a_link_has_the_same_lock(locks: FileLocks, tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    link = tmp_path / "link.db"
    link.symlink_to("store.db")
    with locks.hold("run", 1):
        assert FileLocks(parse(link), link).held("run", 1)


def test_whoever_only_looks_does_not_keep_a_writer_out(locks: FileLocks, tmp_path: Path) -> None:
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            locks.held("run", 1)

    watchers = [threading.Thread(target=look) for _ in range(2)]
    for watcher in watchers:
        watcher.start()
    try:
        for _ in range(200):
            with locks.hold("run", 1):
                pass
    finally:
        stop.set()
        for watcher in watchers:
            watcher.join()


def test_of_many_who_want_a_run_one_gets_it(locks: FileLocks) -> None:
    together = threading.Barrier(8)
    inside: list[int] = []
    refused: list[int] = []

    def want(number: int) -> None:
        together.wait()
        try:
            with locks.hold("run", 1):
                inside.append(number)
                together.wait()
        except RunBusy:
            refused.append(number)
            together.wait()

    threads = [threading.Thread(target=want, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(inside), len(refused)) == (1, 7)


def test_a_file_removed_between_opening_and_locking_is_opened_again(
    locks: FileLocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = fcntl.flock, tmp_path / "store.db.locks" / "run.lock"
    locked: list[int] = []

    def after_the_holder_left(descriptor: int, how: int) -> None:
        if not locked:
            path.unlink()
        locked.append(descriptor)
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", after_the_holder_left)
    with locks.hold("run", 1):
        assert len(locked) == 2
        assert locks.held("run", 1)


def test_a_place_where_no_lock_can_be_is_said() -> None:
    path = Path("/dev/null/store.db")
    with (
        pytest.raises(StoreError, match=r"/dev/null/store\.db cannot be used"),
        FileLocks(parse(path), path).hold("run", 1),
    ):
        pass


def test_a_lock_whose_connection_was_lost_is_left_quietly(
    postgres_url: str, postgres_server: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    with open_store(postgres_url) as store:
        stored_run(store)
        with store.journal.writing("run-1"):
            end_connections(postgres_server)
        assert not store.archive.alive("run-1")
    assert capfd.readouterr() == ("", "")


class Lingering:
    """A session whose end nobody has noticed yet."""

    def __init__(self, session: Connection) -> None:
        self.session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def close(self) -> None:
        pass


def test_a_lock_is_free_before_the_server_notices_that_its_session_ended(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Database(parse(postgres_url))) as database:
        locks = AdvisoryLocks(database)
        session = locks._sessions.connect()
        monkeypatch.setattr(locks, "_sessions", SimpleNamespace(connect=lambda: Lingering(session)))
        with locks.hold("run-1", 1):
            assert locks.held("run-1", 1)
        assert not session.closed
        assert not locks.held("run-1", 1)
        session.close()
