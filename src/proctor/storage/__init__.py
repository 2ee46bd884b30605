"""Where runs are kept: SQLite in a file, or PostgreSQL by URL, behind the contracts Journal and Archive."""

from __future__ import annotations

from pathlib import Path

from proctor.storage.store import Store

__all__ = ["Store", "open_store"]


def open_store(where: str | Path, *, create: bool = True) -> Store:
    """The store at a path, `sqlite:///PATH` or `postgresql://…`; made on first use, migrated where it is older.

    With `create=False` a store that is not there yet is a StoreError. SQLAlchemy is imported here, not before.
    """
    from proctor.storage import open as opening

    return opening.open_store(where, create=create)
