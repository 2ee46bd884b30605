"""An open store: its journal to write, its archive to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # they import SQLAlchemy, which nobody should pay for before a store is opened
    from proctor.storage.archive import DatabaseArchive
    from proctor.storage.human_labels import HumanLabels
    from proctor.storage.journal import DatabaseJournal
    from proctor.storage.judgements import Contests, Judgements
    from proctor.storage.snapshots import Snapshots


@dataclass(frozen=True, kw_only=True, slots=True)
class Store:
    """An open store. Its methods block and may be called from any thread."""

    where: str
    """Its path or address, without secrets."""
    journal: DatabaseJournal
    """Writes."""
    archive: DatabaseArchive
    """Reads."""
    snapshots: Snapshots
    """Keeps what was counted."""
    human_labels: HumanLabels
    """Keeps what people say of attempts."""
    judgements: Judgements
    """Keeps what judges say of attempts beside their run."""
    contests: Contests
    """Keeps what judges say of two runs' replies."""
    close: Callable[[], None]
    """Lets go of every connection."""

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
