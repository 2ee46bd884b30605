"""Schema of a store: created if there is none, migrated if older, rejected if newer."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, insert, inspect, select

from proctor.errors import StoreError
from proctor.redaction import private
from proctor.storage.address import Address
from proctor.storage.database import Database
from proctor.storage.tables import NEWEST, VERSION_TABLE, metadata, version

MIGRATIONS = Path(__file__).parent / "migrations"


def prepare(database: Database, *, create: bool) -> None:
    """Bring the store to the current schema."""
    with database.reading() as connection:
        found = _schema_version(connection, database.address)
    if found == NEWEST:
        return
    if found == 0 and not create:
        raise StoreError(
            f"there are no results at {database.address.shown} yet: `proctor run` or `proctor demo` makes some"
        )
    if found == 0:
        _build(database)
    elif database.address.is_frozen:
        raise StoreError(
            f"the store {database.address.shown} was made by an earlier Proctor and would be brought up to date, but "
            "it cannot be written: copy it to a folder that can, and name the copy with --store"
        )
    else:
        _migrate(database.address)


def _build(database: Database) -> None:
    with database.alone() as connection:
        if _schema_version(connection, database.address) == 0:  # check again: another process may have been faster
            build(connection)


def _migrate(address: Address) -> None:
    with closing(Database(address, rebuilding=True)) as database, database.alone() as connection:
        if (found := _schema_version(connection, address)) < NEWEST:  # checked again for the same reason
            if address.path is not None:
                _back_up(address.path, found)
            migrate(connection)


def _back_up(path: Path, found: int) -> None:
    """Keep SQLite's file as it is, whole or not at all, as `proctor.db.schema-2` beside it. Nobody writes meanwhile."""
    kept = path.with_name(f"{path.name}.schema-{found}")
    begun = kept.with_name(f"{kept.name}.new")
    private.write(begun, b"")
    try:
        here = f"file:{quote(str(path))}?mode=ro"
        with closing(sqlite3.connect(here, uri=True)) as now, closing(sqlite3.connect(begun)) as copy:
            now.backup(copy)
        os.replace(begun, kept)
    finally:
        begun.unlink(missing_ok=True)


def build(connection: Connection) -> None:
    """Create the current schema in an empty database. Without Alembic, which takes long to import."""
    metadata.create_all(connection, checkfirst=False)
    connection.execute(insert(version), {"version_num": f"{NEWEST:04}"})


def migrate(connection: Connection, *, to: str = "head") -> None:
    """Migrate an older schema, revision by revision, within the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _schema_version(connection: Connection, address: Address) -> int:
    """Return the schema version of the database, 0 if it has none."""
    names = set(inspect(connection).get_table_names())
    if VERSION_TABLE in names:
        return _parse_version(connection.execute(select(version.c.version_num)).scalar(), address)
    foreign = names if address.path is not None else names & set(metadata.tables)
    if foreign:
        listed = ", ".join(sorted(foreign)[:5])
        raise StoreError(
            f"the database {address.shown} belongs to another program (its tables: {listed}): "
            "give Proctor a database of its own with --store"
        )
    return 0


def _parse_version(found: str | None, address: Address) -> int:
    if found is None or not found.isdigit():
        raise StoreError(f"the store {address.shown} has no usable version (version_num={found!r}): it is damaged")
    if int(found) > NEWEST:
        raise StoreError(
            f"the store {address.shown} was made by a newer Proctor (schema {int(found)}, this one knows {NEWEST}): "
            "upgrade with pip install -U proctor"
        )
    return int(found)
