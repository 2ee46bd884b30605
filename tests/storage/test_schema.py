"""A store is made at once, migrated from any older schema, and refused from a newer one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect
from tests.storage.records import stored_run

from proctor.errors import StoreError
from proctor.storage import open_store, schema
from proctor.storage.address import parse
from proctor.storage.database import Database
from proctor.storage.tables import NEWEST, VERSION_TABLE


@pytest.fixture
def database(store_url: str) -> Any:
    address = parse(store_url)
    if address.path is not None:
        address.path.parent.mkdir()
    opened = Database(address)
    yield opened
    opened.close()


def shape(connection: Connection) -> dict[str, Any]:
    """All there is to know of the tables."""
    seen = inspect(connection)
    return {
        table: {
            "columns": [{**column, "type": str(column["type"])} for column in seen.get_columns(table)],
            "primary key": seen.get_pk_constraint(table),
            "unique": sorted(map(str, seen.get_unique_constraints(table))),
            "foreign": sorted(map(str, seen.get_foreign_keys(table))),
            "indexes": sorted(map(str, seen.get_indexes(table))),
        }
        for table in seen.get_table_names()
    }


def version_in(connection: Connection) -> str:
    return str(connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar())


def test_the_migrations_lead_to_the_same_schema_as_making_it_at_once(database: Database) -> None:
    with database.writing() as connection:
        schema.migrate(connection)
    with database.reading() as connection:
        migrated, version = shape(connection), version_in(connection)
    with database.writing() as connection:
        beside = ("drafts", "snapshots", "human_labels", "judgements")
        for table in (*beside, "attempts", "turns", "runs", "benchmarks", VERSION_TABLE):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        schema.build(connection)
    with database.reading() as connection:
        assert shape(connection) == migrated
        assert version_in(connection) == version
    assert len(migrated) == 9


def test_the_schema_known_is_that_of_the_last_migration() -> None:
    assert ScriptDirectory(str(schema.MIGRATIONS)).get_current_head() == f"{NEWEST:04}"


_FIRST_DATA = """
INSERT INTO benchmarks VALUES (1, 'd1', 'c1', 'b', '', '{"name":"b","digest":"d1","cases":[]}', 1.0);
INSERT INTO runs VALUES (1, 'old', 'an old run', 'b', 'd1', 'agent', 'standard', '{}', '{}', 'completed', '', 1, NULL,
  1.0, 1.0, 2.0, 1.0, NULL, 1, 1);
INSERT INTO turns VALUES (1, 1, '', 'a', 1, '{"number":1,"question":"Why?","reply":{"text":"so"}}');
INSERT INTO attempts VALUES (1, 1, 1, '', 'a', 0, 'pass', TRUE, 1.0, NULL, 1, 0.5, 3, 5, 1, NULL, 1.0, 2.0, 'script',
  '{"turn_passed":[true]}')
"""


def make_first_store(database: Database) -> None:
    """A store as revision 0001 left it, with a run in it."""
    with database.writing() as connection:
        schema.migrate(connection, to="0001")
        for statement in _FIRST_DATA.split(";"):
            connection.exec_driver_sql(statement)


def test_a_store_of_the_first_schema_opens_with_all_that_is_in_it(database: Database, store_url: str) -> None:
    make_first_store(database)
    with open_store(store_url, create=False) as store:
        run = store.archive.find("old")
        assert (run.name, run.status, run.seconds) == ("an old run", "completed", 1.0)
        assert store.archive.benchmark_of("old").name == "b"
        [attempt] = store.archive.full_attempts("old")
        assert (attempt.passed, attempt.turn_passed, attempt.usage.output_tokens) == (True, (True,), 5)
        assert attempt.transcript.turns[0].reply is not None
        assert attempt.transcript.turns[0].reply.text == "so"


_NEXT_REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "{this:04}"
down_revision = "{last:04}"


def upgrade():
    op.add_column("runs", sa.Column("mood", sa.Text, nullable=False, server_default="calm"))
    {more}
"""


def add_revision(folder: Path, monkeypatch: pytest.MonkeyPatch, *, more: str = "") -> None:
    """As if Proctor were one schema further."""
    scripts = folder / "migrations 100%"
    shutil.copytree(schema.MIGRATIONS, scripts)
    text = _NEXT_REVISION.format(this=NEWEST + 1, last=NEWEST, more=more)
    (scripts / "versions" / "next.py").write_text(text)
    monkeypatch.setattr(schema, "NEWEST", NEWEST + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", scripts)


def test_an_older_store_is_migrated_when_it_is_opened(
    database: Database, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_store(database)
    add_revision(tmp_path, monkeypatch)
    with open_store(store_url) as store:
        assert store.archive.find("old").name == "an old run"
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT mood FROM runs").scalar() == "calm"
        assert version_in(connection) == f"{NEWEST + 1:04}"


def test_a_file_is_backed_up_for_its_owner_alone_before_it_is_migrated(database: Database, store_url: str) -> None:
    make_first_store(database)
    path = database.address.path
    with open_store(store_url):
        pass
    if path is None:
        return  # PostgreSQL's are backed up where it runs
    kept = path.with_name(f"{path.name}.schema-1")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.glob(f"{kept.name}*")] == [kept.name]
    with closing(Database(parse(str(kept)))) as old, old.reading() as connection:
        assert version_in(connection) == "0001"
        assert connection.exec_driver_sql("SELECT count(*) FROM attempts").scalar() == 1


def test_a_file_that_cannot_be_backed_up_stays_as_it_was(database: Database, store_url: str) -> None:
    make_first_store(database)
    path = database.address.path
    if path is None:
        return
    path.with_name(f"{path.name}.schema-1.new").mkdir()
    with pytest.raises(StoreError, match="cannot be used"):
        open_store(store_url)
    with database.reading() as connection:
        assert version_in(connection) == "0001"


def test_a_migration_that_rebuilds_a_table_loses_nothing_that_refers_to_it(
    database: Database, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_store(database)
    rebuild = 'with op.batch_alter_table("runs", recreate="always") as batch: batch.alter_column("mood", nullable=True)'
    add_revision(tmp_path, monkeypatch, more=rebuild if store_url.endswith(".db") else "")
    with open_store(store_url) as store:
        assert len(list(store.archive.full_attempts("old"))) == 1


def test_a_migration_that_breaks_leaves_the_store_as_it_was(
    database: Database, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_store(database)
    with database.reading() as connection:
        before = shape(connection)
    add_revision(tmp_path, monkeypatch, more='op.execute("DELETE FROM attempts"); op.execute("no such word")')
    with pytest.raises(StoreError):
        open_store(store_url)
    with database.reading() as connection:
        assert shape(connection) == before
        assert version_in(connection) == "0001"
        assert connection.exec_driver_sql("SELECT count(*) FROM attempts").scalar() == 1


def test_a_store_from_a_newer_proctor_is_refused(store_url: str) -> None:
    with open_store(store_url) as store:
        stored_run(store)
        with store.archive._database.writing() as connection:
            connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '0907'")
    expected = rf"made by a newer Proctor \(schema 907, this one knows {NEWEST}\): upgrade with pip install -U proctor"
    with pytest.raises(StoreError, match=expected):
        open_store(store_url)


def test_a_store_without_a_usable_version_is_refused(store_url: str) -> None:
    with open_store(store_url) as store, store.archive._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = 'beef'")
    with pytest.raises(StoreError, match="version_num='beef'"):
        open_store(store_url)


def test_many_may_open_a_new_store_at_the_same_moment(store_url: str) -> None:
    def opened(number: int) -> int:
        with open_store(store_url) as store:
            stored_run(store, f"run-{number}")
            return len(store.archive.runs())

    with ThreadPoolExecutor(6) as pool:
        assert max(pool.map(opened, range(6))) == 6


def test_a_copy_that_lost_its_write_ahead_log_gets_it_back(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.db") as store, store.archive._database.reading() as connection:
        connection.commit()
        connection.connection.cursor().execute(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
    with open_store(tmp_path / "copy.db") as store, store.archive._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


@pytest.mark.usefixtures("through_power_cuts")
def test_commits_to_sqlite_are_flushed_and_references_checked(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.db") as store, store.archive._database.writing() as connection:
        settings = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("synchronous", "foreign_keys")]
    assert settings == [2, 1]


def test_neither_naming_nor_opening_a_store_imports_what_it_does_not_need(tmp_path: Path) -> None:
    code = (
        "import sys, proctor.storage as storage; assert 'sqlalchemy' not in sys.modules;"
        f" storage.open_store({str(tmp_path / 'store.db')!r}).close(); assert 'sqlalchemy' in sys.modules;"
        " assert not {'alembic', 'psycopg'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
