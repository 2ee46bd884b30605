"""An open store: its journal for writing, its archive for reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported for annotations only: these import SQLAlchemy, which is slow
    from proctor.storage.archive import DatabaseArchive
    from proctor.storage.human_labels import HumanLabels
    from proctor.storage.journal import DatabaseJournal
    from proctor.storage.judgements import Contests, Judgements
    from proctor.storage.snapshots import Snapshots


@dataclass(frozen=True, kw_only=True, slots=True)
class Store:
    """An open store. Its methods block and may be called from any thread."""

    where: str
    """Path or address, without secrets."""
    journal: DatabaseJournal
    """Writes runs and attempts."""
    archive: DatabaseArchive
    """Reads runs and attempts."""
    snapshots: Snapshots
    """Caches counts."""
    human_labels: HumanLabels
    """Stores people's labels of attempts."""
    judgements: Judgements
    """Stores additional judgements of attempts."""
    contests: Contests
    """Stores judges' comparisons of two runs' replies."""
    close: Callable[[], None]
    """Closes all connections."""

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
