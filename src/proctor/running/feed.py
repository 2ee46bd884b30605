"""Attempts that arrive while others are played: FedExecutor."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from typing import Any

from proctor.run import Failure, PendingAttempt, Record
from proctor.running.schedule import LocalExecutor


class _Inbox:
    """What has arrived. Empty now does not mean empty for ever, unlike other iterators."""

    def __init__(self) -> None:
        self._arrived: deque[PendingAttempt] = deque()

    def __iter__(self) -> _Inbox:
        return self

    def __next__(self) -> PendingAttempt:
        try:
            return self._arrived.popleft()
        except IndexError:
            raise StopIteration from None

    def extend(self, pending_attempts: Iterable[PendingAttempt]) -> None:
        self._arrived.extend(pending_attempts)


class FedExecutor(LocalExecutor):
    """Plays what it is fed until it is told that nothing more will come. Who feeds it looks out for storms."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._inbox = _Inbox()
        self._complete = False

    def play(self) -> Generator[Sequence[Record], None, None]:
        """What `execute` does, with what is fed."""
        return self.execute(self._inbox)

    def feed(self, pending_attempts: Iterable[PendingAttempt]) -> None:
        """Play these too; from any thread."""
        self._inbox.extend(pending_attempts)
        self._stage.soon(self._take_up)

    def complete(self) -> None:
        """Nothing more will come; from any thread."""
        self._complete = True

    def _take_up(self) -> None:
        self._over.clear()
        self._fill()

    def _is_over(self) -> bool:
        return (self._complete or self.halt is not None) and super()._is_over()

    def _watch_for_storm(self, failure: Failure | None) -> None:
        """Failures in a row are counted over all workers."""
