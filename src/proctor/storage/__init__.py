"""Storage of runs: SQLite in a file, or PostgreSQL by URL, behind the protocols Journal and Archive."""

from __future__ import annotations

from pathlib import Path

from proctor.storage.store import Store

__all__ = ["Store", "open_store"]


def open_store(where: str | Path, *, create: bool = True) -> Store:
    """Open the store at a path, `sqlite:///PATH` or `postgresql://…`; created on first use, migrated if older.

    With `create=False` a missing store raises StoreError. SQLAlchemy is imported here, not before.
    """
    from proctor.storage import open as opening

    return opening.open_store(where, create=create)
