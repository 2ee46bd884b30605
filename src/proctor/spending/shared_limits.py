"""Rate limits shared by several runs: each process gets an equal part of a host's limits.

    sharers = Sharers(Path(".proctor/limits"), "openai@api.openai.com")
    SharedThrottle(sharers, requests_per_minute=500, concurrency=50)      two runs at once: 250 and 25 each

Each process that calls a host holds a lock on a file of its own, which the system releases when the process ends: no
cleanup is needed, and the part of a finished run is available to others within a second. Each call in flight also locks
one of as many files as the concurrency allows, so that the limit holds while processes come and go, or if there are
more processes than allowed calls. On machines without a shared folder, whoever starts the processes passes their
number: `told_sharers`.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from urllib.parse import quote

from proctor.net.limits import Bucket, Throttle, wait_outside_time_limit
from proctor.redaction import private

if sys.platform != "win32":
    import fcntl

_LOOK_EVERY = 1.0
_TRY_AGAIN = 0.02
"""Average seconds between attempts to get a slot that others hold."""
_COUNTED_PLACES = 100
"""Concurrency up to which slots are locked; above it, equal parts are accurate enough."""
_TOLD: ContextVar[Callable[[], int] | None] = ContextVar("proctor_told_sharers", default=None)
_held: dict[int, weakref.finalize[..., Sharers]] = {}
"""Descriptor of a locked file → its cleanup."""


def _drop_inherited() -> None:
    """Close locked files in a forked child, which must neither hold its parent's locks nor remove the files."""
    for descriptor, leaving in list(_held.items()):
        leaving.detach()
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_drop_inherited)


class Sharers:
    """Processes that currently call one host, including this one."""

    def __init__(self, folder: Path, host: str) -> None:
        """Join the sharers; if the folder cannot be written or locked, this process counts as the only one."""
        self._folder = folder.absolute()
        self._prefix = f"{quote(host, safe='@')}~"
        self._known = 1
        self._looked = -math.inf
        self._told = _TOLD.get()
        self.leave: Callable[[], object] = lambda: None
        """Leave the sharers; also called when the object is garbage-collected or the process ends."""
        if self._told is not None:
            return
        with suppress(OSError):
            descriptor, path = _join(self._folder, self._prefix)
            self.leave = _held[descriptor] = weakref.finalize(self, _leave, descriptor, path)

    def count(self) -> int:
        """Return the number of sharers, refreshed once a second."""
        if self._told is not None:
            return self._told()
        now = time.monotonic()
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            with suppress(OSError):
                files = (path for path in self._folder.iterdir() if path.name.startswith(self._prefix))
                self._known = max(1, sum(map(_alive, files)))
        return self._known

    def places(self, most: float) -> Places | None:
        """Return the slots shared by all; None if there are many, or if the sharers are on other machines."""
        return Places(self._folder, self._prefix, int(most)) if self._told is None and most <= _COUNTED_PLACES else None


class Places:
    """Lock files as slots for concurrent calls of all sharers of a host; released when a process dies."""

    def __init__(self, folder: Path, prefix: str, most: int) -> None:
        self._paths = [folder / f"{prefix.removesuffix('~')}+{number}" for number in range(most)]
        self._taken: list[int] = []
        self._beside = 0
        """Number of calls in flight without a lock file."""
        self._closed = False
        self._lock = threading.RLock()  # reentrant: the garbage collector may end a call at any point

    def take(self) -> bool:
        """Take a slot; return whether one was free. If files cannot be locked, only the process's own limit applies."""
        try:
            descriptor = self._lock_one()
        except OSError:
            with self._lock:
                self._beside += 1
            return True
        if descriptor is None:
            return False
        with self._lock:
            self._taken.append(descriptor)
            if self._closed:
                self._let_go()
        return True

    def _lock_one(self) -> int | None:
        """Lock one of the files and return its descriptor, or None if others hold them all."""
        if sys.platform == "win32":
            raise OSError("a file's lock cannot tell here whether its process lives")
        for path in random.sample(self._paths, len(self._paths)):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            except OSError:
                os.close(descriptor)
                raise
            else:
                return descriptor
        return None

    def give_back(self) -> None:
        """Release a slot, unless the call had no lock file: then only count it."""
        with self._lock:
            if self._beside:
                self._beside -= 1
            elif self._taken:
                os.close(self._taken.pop())

    def close(self) -> None:
        """Release all slots: abandoned calls may hang forever."""
        with self._lock:
            self._closed = True
            self._let_go()

    def reset(self) -> None:
        """Reset in a forked child; the parent keeps its slots."""
        self._lock = threading.RLock()
        self._let_go()
        self._beside = 0

    def _let_go(self) -> None:
        while self._taken:
            os.close(self._taken.pop())
            self._beside += 1


@contextmanager
def told_sharers(count: Callable[[], int]) -> Iterator[None]:
    """Set the number of sharers for this context, if they are on other machines."""
    token = _TOLD.set(count)
    try:
        yield
    finally:
        _TOLD.reset(token)


class SharedThrottle(Throttle):
    """Throttle that enforces this process's part of shared limits."""

    def __init__(
        self,
        sharers: Sharers,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrency: int | None = None,
    ) -> None:
        super().__init__(concurrency=concurrency)
        self._sharers = sharers
        self._requests = _SharedBucket(requests_per_minute, sharers) if requests_per_minute else None
        self._tokens = _SharedBucket(tokens_per_minute, sharers) if tokens_per_minute else None
        self._places = sharers.places(self._most)

    def leave(self) -> None:
        """Release the slot for any sharer."""
        if self._places is not None:
            self._places.give_back()
        super().leave()

    def close(self) -> None:
        """Leave the sharers, and release the slots of calls in flight."""
        self._sharers.leave()
        if self._places is not None:
            self._places.close()

    @property
    def concurrency(self) -> float:
        """Current maximum of concurrent calls: at least one, however many processes share."""
        if math.isinf(self._most):
            return super().concurrency
        return min(super().concurrency, max(1, self._most // self._sharers.count()))

    async def _wait_for_others(self) -> None:
        if self._places is not None and (self._is_crowded() or not self._places.take()):
            await wait_outside_time_limit(partial(self._until_taken, self._places))

    def _is_crowded(self) -> bool:
        """Whether there are more sharers than slots: then a process that just had one lets others try first."""
        return self._sharers.count() > self._most

    async def _until_taken(self, places: Places) -> None:
        await asyncio.sleep(random.uniform(0, _TRY_AGAIN))
        while not places.take():  # noqa: ASYNC110  other processes set no event
            await asyncio.sleep(random.uniform(0, 2 * _TRY_AGAIN))

    def _reset(self) -> None:
        super()._reset()
        if self._places is not None:
            self._places.reset()


class _SharedBucket(Bucket):
    """Token bucket with an equal part of a shared rate."""

    def __init__(self, per_minute: float, sharers: Sharers) -> None:
        super().__init__(per_minute / sharers.count(), now=time.monotonic())
        self._whole = per_minute / 60
        self._sharers = sharers

    def take(self, amount: float, *, now: float) -> float:
        """Take an amount, and return the seconds to wait before using it."""
        self._rate = self._whole / self._sharers.count()
        self._most = max(1.0, self._rate)
        return super().take(amount, now=now)


def _join(folder: Path, prefix: str) -> tuple[int, Path]:
    """Create and lock a file. Others may remove it before it is locked, taking it for a dead process's: then retry."""
    if sys.platform == "win32":
        raise OSError("a file's lock cannot tell here whether its process lives")
    private.make_folder(folder)
    while True:
        descriptor, name = tempfile.mkstemp(prefix=f"{prefix}{os.getpid()}-", dir=folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(name):
                return descriptor, Path(name)
        except BlockingIOError:
            pass
        except OSError:
            _leave(descriptor, Path(name))
            raise
        _leave(descriptor, Path(name))


def _leave(descriptor: int, path: Path) -> None:
    _held.pop(descriptor, None)
    with suppress(OSError):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        os.close(descriptor)


def _alive(path: Path) -> bool:
    """Whether a process holds this file, as far as can be determined; removes it if not."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # it is gone, or belongs to another user
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)
