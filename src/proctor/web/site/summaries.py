"""Cached summaries and counts of runs; the summaries of finished runs are also stored on disk."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

from proctor.findings.run import Summary
from proctor.run import Run
from proctor.storage import Store
from proctor.storage.kept_values import KeptValues
from proctor.web.site.live import MOVING
from proctor.workflows.read import summarise

SMALL = 20_000
"""Maximum number of attempts for which a list waits until they are counted."""
PATIENCE = 0.02
"""Seconds that the first request waits for a larger run; later requests show its summary."""
_KEPT = 5000
_FRESH = 2.0
"""Seconds for which the summary of an active run is reused."""
_FORM = 5
"""Cache format; increment whenever Summary or its computation changes."""
_log = logging.getLogger("proctor.web")
T = TypeVar("T")


class Summaries:
    """Cache of run summaries. Large runs are counted in background threads, one at a time."""

    def __init__(self, folder: Path, store: Callable[[], Store]) -> None:
        self._kept = KeptValues(folder, form=_FORM)
        self._store = store
        self._known: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._counting: dict[Hashable, Future[Summary | None]] = {}
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._soon: OrderedDict[str, Run] = OrderedDict()
        self._busy = self._over = False

    def of(self, run: Run) -> Summary | None:
        """Return the summary of a run, or None if not available (yet)."""
        key = ("summary", *_state(run))
        known = self.known(run)
        if known is not None:
            return known
        future, ours = self._future(key)
        small = run.planned <= SMALL
        if ours and small:
            self._summarise(future, key, run)
        elif ours:
            threading.Thread(target=self._summarise, args=(future, key, run), daemon=True).start()
        try:
            return future.result(timeout=None if small else PATIENCE if ours else 0)
        except TimeoutError:
            return None

    def count_soon(self, runs: Iterable[Run]) -> None:
        """Count these runs in a background thread, one after the other."""
        with self._lock:
            self._soon |= {run.id: run for run in runs}
            if self._soon and not self._busy:
                self._busy = True
                threading.Thread(target=self._count_all, name="proctor-counting", daemon=True).start()

    def end(self) -> None:
        """Start no further counts."""
        self._over = True

    def known(self, run: Run) -> Summary | None:
        """Return the summary if it is cached."""
        key = ("summary", *_state(run))
        recalled: Summary | None = self._recall(key, run)
        return recalled or self._read(key, run)

    def kept(self, kind: str, run: Run, shape: type[Any], make: Callable[[], T]) -> T:
        """Return another cached value of a run, stored on disk if the run is over; None is not cached."""
        key = (kind, *_state(run))
        over = run.status not in MOVING
        known = self._recall(key, run)
        if known is None and over:
            known = self._kept.read(key, shape)
        found: T = make() if known is None else known
        if known is None and found is not None and over:
            self._kept.write(key, found)
        if found is not None:
            self._remember(key, found)
        return found

    def count(self, run: Run, **which: Any) -> int:
        """Count the attempts of a run that match, see `Archive.count`."""
        chosen = tuple((name, _hashable(value)) for name, value in sorted(which.items()))
        key = ("count", chosen, *_state(run))
        known = self._recall(key, run)
        if known is None:
            known = self._store().archive.count(run.id, **which)
            self._remember(key, known)
        return int(known)

    def _future(self, key: Hashable) -> tuple[Future[Summary | None], bool]:
        """Return the future of a summary, and whether the caller must compute it."""
        with self._lock:
            ours = key not in self._counting
            return self._counting.setdefault(key, Future()), ours

    def _summarise(self, future: Future[Summary | None], key: Hashable, run: Run) -> None:
        started = time.monotonic()
        try:
            with self._turn if run.planned > SMALL else nullcontext():
                found = summarise(self._store(), run)
            self._remember(key, found, cost=time.monotonic() - started)
            if found is not None and run.status not in MOVING:
                self._kept.write(key, found)
            future.set_result(found)
        except BaseException as error:
            future.set_exception(error)
        finally:
            with self._lock:
                self._counting.pop(key, None)

    def _count_all(self) -> None:
        while run := self._next():
            try:
                self.of(run)
            except Exception:  # a direct request reports the error
                _log.warning("run %s cannot be counted", run.id, exc_info=True)

    def _next(self) -> Run | None:
        with self._lock:
            self._busy = bool(self._soon) and not self._over
            return self._soon.popitem(last=False)[1] if self._busy else None

    def _recall(self, key: Hashable, run: Run) -> Any:
        with self._lock:
            until, known = self._known.get(key, (0.0, None))
            if known is None or (run.status in MOVING and time.monotonic() > until):
                return None
            self._known.move_to_end(key)
            return known

    def _remember(self, key: Hashable, found: Any, *, cost: float = 0.0) -> None:
        """Cache a value; one that is slow to compute for an active run is reused for longer."""
        with self._lock:
            self._known[key] = (time.monotonic() + max(_FRESH, 10 * cost), found)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def _read(self, key: Hashable, run: Run) -> Summary | None:
        found = None if run.status in MOVING else self._kept.read(key, Summary)
        if found is not None:
            self._remember(key, found)
        return found


def _state(run: Run) -> tuple[Hashable, ...]:
    """Return a cache key that changes when a finished run was played again, but not while a run is active."""
    if run.status in MOVING:
        return (run.id, run.planned)
    return (run.id, run.status, run.started, run.ended, run.seconds, run.planned, run.settings.look)


def _hashable(value: Any) -> Hashable:
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else value
