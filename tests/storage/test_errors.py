"""Whatever is wrong with the place of a store is said in one sentence, and nothing that was stored is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.storage.records import attempt, key, played, stored_run
from tests.storage.servers import end_connections

from proctor.errors import StoreError
from proctor.storage import open_store


def message_of(where: str | Path, *, create: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(where, create=create)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("where", ["/dev/null/store.db", "/dev/null/deeper/store.db", "/proc/no/store.db"])
def test_a_folder_that_cannot_be_made_is_named(where: str) -> None:
    message = message_of(where)
    assert where in message
    assert "--store" in message


def test_a_folder_in_place_of_the_file_is_said_to_be_one(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder: name a file in it" in message_of(tmp_path)


def test_a_store_that_must_be_there_is_not_made(tmp_path: Path) -> None:
    message = message_of(tmp_path / "none" / "store.db", create=False)
    assert "there are no results at" in message
    assert "`proctor run`" in message
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_no_store_unless_one_may_be_made(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    assert "there are no results" in message_of(path, create=False)
    with open_store(path) as store:
        assert store.archive.runs() == []


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 1000)
    assert f"{path} is not a SQLite database" in message_of(path)
    assert path.read_text() == "Dear diary, " * 1000
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = path.read_bytes()
    assert f"{path} belongs to another program (its tables: songs)" in message_of(path)
    assert path.read_bytes() == before


def test_a_postgres_database_with_tables_of_the_same_names_is_refused(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE runs (uuid TEXT)")
    assert "belongs to another program (its tables: runs)" in message_of(postgres_url)


def test_a_postgres_database_with_other_tables_is_shared(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    assert "there are no results" in message_of(postgres_url, create=False)
    with open_store(postgres_url) as store:
        stored_run(store)


def test_a_damaged_database_is_said_to_be_damaged_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        stored_run(store)
        for number in range(300):
            store.journal.write(played(key(f"{number}"), place=number))
    damaged = bytearray(path.read_bytes())
    damaged[4096 * 2 :] = b"\x5a" * (len(damaged) - 4096 * 2)
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match=r"store\.db is damaged .*\.recover") as caught, open_store(path) as store:
        list(store.archive.full_attempts("run-1"))
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_was_removed_while_it_was_in_use_takes_nothing_more(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        stored_run(store)
        store.journal.write(played(key("before")))
        path.rename(tmp_path / "away.db")
        if replaced:
            path.touch()
        for _ in range(2):
            with pytest.raises(StoreError, match=r"store\.db was removed or replaced while it was in use"):
                store.journal.write(played(key("after")))
        if replaced:
            path.unlink()
        (tmp_path / "away.db").rename(path)
        store.journal.write(played(key("later")))


_UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from proctor.errors import StoreError
from proctor.storage import open_store
from tests.storage.records import key, played, stored_run
path = Path(sys.argv[1])
if sys.argv[2] == "opening":
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
store = open_store(path)
stored_run(store)
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
for batch in range(10_000):
    store.journal.write([record for exam in range(10) for record in played(key(f"{batch}/{exam}"))])
    print(batch, flush=True)
"""


def run_under_a_limit(path: Path, moment: str) -> tuple[list[str], str]:
    """A process that may write files of a megabyte: what it said, and the last line of its complaint."""
    done = subprocess.run(
        [sys.executable, "-c", _UNDER_A_LIMIT, str(path), moment],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 1
    return done.stdout.split(), done.stderr.strip().splitlines()[-1]


def test_a_full_disk_is_said_and_keeps_what_was_stored_before(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    stored, complaint = run_under_a_limit(path, "writing")
    assert complaint.startswith(f"proctor.errors.StoreError: the store {path} could not be read or written (")
    assert complaint.endswith("what was stored before is kept")
    assert len(stored) > 5
    with open_store(path) as store:
        assert store.archive.finished("run-1") == {(f"{batch}/{exam}", "", 1) for batch in stored for exam in range(10)}
        store.journal.write(played(key("there is room again")))


def test_a_disk_that_is_full_from_the_start_is_said(tmp_path: Path) -> None:
    stored, complaint = run_under_a_limit(tmp_path / "store.db", "opening")
    assert stored == []
    assert complaint.startswith(f"proctor.errors.StoreError: the store {tmp_path / 'store.db'} could not be")


def test_a_read_only_store_is_said_and_can_still_be_read(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        stored_run(store)
        store.journal.write(played(key()))
        with store.archive._database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only=ON")  # what root meets on a read-only disk
        with pytest.raises(StoreError, match=r"store\.db cannot be written \(.*--store"):
            store.journal.write(played(key("b")))
        assert list(store.archive.full_attempts("run-1")) == [attempt(key())]


def test_a_store_locked_by_another_program_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.storage.database.BUSY_SECONDS", 0)
    path = tmp_path / "store.db"
    with open_store(path) as store:
        stored_run(store)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            store.journal.write(played(key()))
        other.close()
        store.journal.write(played(key()))


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    message = message_of("postgresql://ada:geheim@127.0.0.1:1/runs?connect_timeout=2")
    assert "postgresql://ada@127.0.0.1:1/runs does not answer" in message
    assert "geheim" not in message


def test_a_database_that_is_not_there_is_named(postgres_url: str) -> None:
    name = postgres_url.split("/")[3].split("?")[0]
    assert "does not exist" in message_of(postgres_url.replace(name, "nowhere"))


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        try:
            name = postgres_url.split("/")[3].split("?")[0]
            assert "has the encoding SQL_ASCII" in message_of(postgres_url.replace(name, "ascii"))
        finally:
            connection.execute("DROP DATABASE ascii WITH (FORCE)")


def test_a_lost_connection_is_said_and_the_next_write_goes_through(postgres_url: str, postgres_server: Any) -> None:
    with open_store(postgres_url) as store:
        stored_run(store)
        with pytest.raises(StoreError, match=r"does not answer .*what was stored before is kept"):  # noqa: PT012, SIM117
            with store.archive._database.writing() as connection:
                end_connections(postgres_server)
                connection.exec_driver_sql("SELECT 1")
        store.journal.write(played(key()))
        assert list(store.archive.full_attempts("run-1")) == [attempt(key())]


def test_a_missing_psycopg_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert 'pip install "proctor[postgres]"' in message_of("postgresql://ada@127.0.0.1/runs")
