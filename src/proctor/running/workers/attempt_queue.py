"""Decide which attempt goes to which worker: the plan's next, those of a lost worker, and suspects one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from proctor.run import Key, PendingAttempt
from proctor.running.workers.held import HeldAttempt


class AttemptQueue:
    """Queue of attempts to deal to workers. Not thread-safe: the caller holds a lock."""

    def __init__(self, pending_attempts: Iterable[PendingAttempt], *, places: int) -> None:
        """`places`: maximum number of concurrent attempts over all workers."""
        self._plan: Iterator[PendingAttempt] = iter(pending_attempts)
        self._next: deque[HeldAttempt] = deque()
        self._suspects: deque[HeldAttempt] = deque()
        self._places = places
        self._is_dry = False
        self.held: dict[int, dict[Key, HeldAttempt]] = {}
        """Worker → the attempts it holds."""
        self.moved = 0
        """Number of attempts taken from lost workers."""

    def deal(self, worker: int, places: int, spare: int) -> list[HeldAttempt]:
        """Deal attempts to a worker: as many as it can play, plus some in reserve while there are plenty."""
        held = self.held.setdefault(worker, {})
        if any(one.is_suspect for one in held.values()):
            return []
        self._look_ahead()
        if self._suspects and not held:
            dealt = [self._suspects.popleft()]
        else:
            enough = len(self._next) > self._places
            count = places + (min(spare, places) if enough else 0) - len(held)
            dealt = [self._next.popleft() for _ in range(min(count, len(self._next)))]
        held.update((one.key, one) for one in dealt)
        return dealt

    def drop(self, worker: int) -> list[HeldAttempt]:
        """Take all attempts from a worker and return them."""
        return list(self.held.pop(worker, {}).values())

    def give_again(self, attempts: Iterable[HeldAttempt]) -> None:
        """Requeue attempts for other workers, ahead of those not begun yet."""
        for one in attempts:
            self.moved += 1
            if one.is_suspect:
                self._suspects.append(one)
            else:
                self._next.appendleft(one)

    def has_more(self) -> bool:
        """Whether any attempts are left to deal."""
        self._look_ahead()
        return bool(self._next or self._suspects)

    def is_done(self) -> bool:
        """Whether everything has been played."""
        return not any(self.held.values()) and not self.has_more()

    def _look_ahead(self) -> None:
        """Read ahead in the plan until there is more than all workers can begin at once."""
        while not self._is_dry and len(self._next) <= self._places:
            pending = next(self._plan, None)
            if pending is None:
                self._is_dry = True
            else:
                self._next.append(HeldAttempt(pending))
