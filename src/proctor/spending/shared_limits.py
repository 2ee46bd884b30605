"""Limits that several runs share: each run's process takes an equal part of what a host allows.

    sharers = Sharers(Path(".proctor/limits"), "openai@api.openai.com")
    SharedThrottle(sharers, requests_per_minute=500, concurrency=50)      two runs at once: 250 and 25 each

Who calls a host holds a locked file of its name, which dies with its process: nobody has to tidy up, and a run that
ends leaves its part to the others within a second. Calls under way hold a locked file each, one of as many as there may
be: so no more are made at once while sharers come and go, or where they are more than that. On machines that share no
folder, whoever started them tells how many they are: `told_sharers`.
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
"""Seconds, on average, after which a place is looked for again that others held."""
_COUNTED_PLACES = 100
"""Of limits above this, equal parts are near enough."""
_TOLD: ContextVar[Callable[[], int] | None] = ContextVar("proctor_told_sharers", default=None)
_held: dict[int, weakref.finalize[..., Sharers]] = {}
"""Descriptors of the files that are held, and how each is left."""


def _drop_inherited() -> None:
    """A forked child is nobody's sharer: it must neither hold its parent's files nor remove them at its end."""
    for descriptor, leaving in list(_held.items()):
        leaving.detach()
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_drop_inherited)


class Sharers:
    """Those who call one host just now, this one included."""

    def __init__(self, folder: Path, host: str) -> None:
        """Join them; where the folder cannot be written, or nothing locked in it, this one is alone."""
        self._folder = folder.absolute()
        self._prefix = f"{quote(host, safe='@')}~"
        self._known = 1
        self._looked = -math.inf
        self._told = _TOLD.get()
        self.leave: Callable[[], object] = lambda: None
        """Be one of them no longer; who is forgotten, or whose process ends, leaves as well."""
        if self._told is not None:
            return
        with suppress(OSError):
            descriptor, path = _join(self._folder, self._prefix)
            self.leave = _held[descriptor] = weakref.finalize(self, _leave, descriptor, path)

    def count(self) -> int:
        """How many they are; looked up once a second."""
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
        """The places that all of them have together; None: there are plenty, or the others are on other machines."""
        return Places(self._folder, self._prefix, int(most)) if self._told is None and most <= _COUNTED_PLACES else None


class Places:
    """So many locked files for the calls under way of all who share a host; a process that dies gives its own back."""

    def __init__(self, folder: Path, prefix: str, most: int) -> None:
        self._paths = [folder / f"{prefix.removesuffix('~')}+{number}" for number in range(most)]
        self._taken: list[int] = []
        self._beside = 0
        """Calls under way that hold no file."""
        self._closed = False
        self._lock = threading.RLock()  # again in the same thread: the garbage collector may end a call at any point

    def take(self) -> bool:
        """Whether one was free; where nothing can be locked, everybody keeps to the limit alone."""
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
        """A file that is held from now on; None: others hold them all."""
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
        """Leave one to others, unless there are as many calls without a file: each file is one of ours under way."""
        with self._lock:
            if self._beside:
                self._beside -= 1
            elif self._taken:
                os.close(self._taken.pop())

    def close(self) -> None:
        """Leave all to others: calls that are left behind may hang for good."""
        with self._lock:
            self._closed = True
            self._let_go()

    def reset(self) -> None:
        """In a forked child, whose parent keeps what it has."""
        self._lock = threading.RLock()
        self._let_go()
        self._beside = 0

    def _let_go(self) -> None:
        while self._taken:
            os.close(self._taken.pop())
            self._beside += 1


@contextmanager
def told_sharers(count: Callable[[], int]) -> Iterator[None]:
    """Whoever calls a host from here is one of so many, wherever the others are."""
    token = _TOLD.set(count)
    try:
        yield
    finally:
        _TOLD.reset(token)


class SharedThrottle(Throttle):
    """A throttle that lets calls in as fast as its part of the limits allows."""

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
        """Give the place back, to whoever of all takes it first."""
        if self._places is not None:
            self._places.give_back()
        super().leave()

    def close(self) -> None:
        """Leave its part to the others, and the places of calls still under way."""
        self._sharers.leave()
        if self._places is not None:
            self._places.close()

    @property
    def concurrency(self) -> float:
        """How many calls may be under way just now: at least one, however many share."""
        if math.isinf(self._most):
            return super().concurrency
        return min(super().concurrency, max(1, self._most // self._sharers.count()))

    async def _wait_for_others(self) -> None:
        if self._places is not None and (self._is_crowded() or not self._places.take()):
            await wait_outside_time_limit(partial(self._until_taken, self._places))

    def _is_crowded(self) -> bool:
        """Whether they are more than there are places: then who has just had one lets others try first."""
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
    """An equal part of a rate."""

    def __init__(self, per_minute: float, sharers: Sharers) -> None:
        super().__init__(per_minute / sharers.count(), now=time.monotonic())
        self._whole = per_minute / 60
        self._sharers = sharers

    def take(self, amount: float, *, now: float) -> float:
        """Take it, and say how many seconds to wait before using it."""
        self._rate = self._whole / self._sharers.count()
        self._most = max(1.0, self._rate)
        return super().take(amount, now=now)


def _join(folder: Path, prefix: str) -> tuple[int, Path]:
    """A locked file. Between its making and its locking others may take it for a dead one's: then another is made."""
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
    """Whether somebody holds this file, as far as it can be told; one that nobody holds is removed."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # it is gone, or another user's
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
