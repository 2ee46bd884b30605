"""Stores in trouble: slow, locked, full, and a server that is restarted."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.storage.servers import start_server, stop_server

from proctor.storage.database import ADVISORY

if TYPE_CHECKING:
    from tests.workflows.killing import Scene

_LOCKER = """
import sqlite3, sys, time
store, held, free, times = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
connection = sqlite3.connect(f"file:{store}?mode=rw", uri=True, isolation_level=None, timeout=60)
while times:
    connection.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    time.sleep(held)
    connection.execute("ROLLBACK")
    time.sleep(free)
    times -= 1
"""

_SERVER_LOCKER = """
import psycopg, sys, time
store, held, free, times = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
with psycopg.connect(store, autocommit=True) as connection:
    while times:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(FAMILY, 0)")
            if connection.execute("SELECT to_regclass('runs')").fetchone()[0]:
                connection.execute("LOCK TABLE runs IN EXCLUSIVE MODE")
            print("locked", flush=True)
            time.sleep(held)
        time.sleep(free)
        times -= 1
""".replace("FAMILY", str(ADVISORY))
"""Holds what every writer of PostgreSQL asks for: the list of runs, and the table of them where it is made already."""


class Hardship:
    """None: the store is well. Others differ in what they do to it, and when."""

    name = "healthy"

    @contextmanager
    def around(self, scene: Scene) -> Iterator[None]:
        """Over all kills."""
        yield

    def limits(self, scene: Scene) -> dict[str, Any]:
        """What a process is started with that is to be killed."""
        return {}

    def strike(self, scene: Scene) -> None:
        """It works: now."""

    def relent(self, scene: Scene) -> None:
        """It was killed: what is left of the trouble may end."""


@dataclass(slots=True)
class Locked(Hardship):
    """Another program holds the lock for a while, as from the moment when it is seen to work."""

    seconds: float = 10.0
    name: str = "locked"
    _lockers: list[subprocess.Popen[str]] = field(default_factory=list)

    @contextmanager
    def around(self, scene: Scene) -> Iterator[None]:
        try:
            yield
        finally:
            for locker in self._lockers:
                _end(locker)

    def strike(self, scene: Scene) -> None:
        if _can_be_locked(scene):
            self._lockers.append(_locking(scene, held=self.seconds, times=1))

    def relent(self, scene: Scene) -> None:
        """It is not let go: who comes next waits for the rest of the time."""


@dataclass(slots=True)
class Slow(Hardship):
    """Another program takes the lock again and again, so that every write takes as long as it holds it."""

    seconds: float = 2.0
    name: str = "slow"
    _locker: subprocess.Popen[str] | None = None

    @contextmanager
    def around(self, scene: Scene) -> Iterator[None]:
        try:
            yield
        finally:
            if self._locker is not None:
                _end(self._locker)

    def strike(self, scene: Scene) -> None:
        """Between two locks it is free for longer than SQLite pauses between two tries."""
        if self._locker is None and _can_be_locked(scene):
            self._locker = _locking(scene, held=self.seconds, free=0.15, times=10**6)


class Full(Hardship):
    """No file may grow by more than a little: the disk is full."""

    name = "full"

    def limits(self, scene: Scene) -> dict[str, Any]:
        files = [Path(scene.url + end) for end in ("", "-wal", "-journal")]
        size = max((file.stat().st_size for file in files if file.exists()), default=0)
        most = size + scene.rng.randint(4, 60) * 1024

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        return {"preexec_fn": limit}


class Restarted(Hardship):
    """PostgreSQL is killed and is back a second later: right after the command's own end, or while it works, in turn.

    A command that does not wait for its store ends by itself when that is gone: it cannot be killed each time.
    """

    name = "restarted"
    _back: threading.Thread | None = None
    _struck = 0

    def strike(self, scene: Scene) -> None:
        self._struck += 1
        if self._struck % 2 == 0:
            self._restart(scene)

    def relent(self, scene: Scene) -> None:
        if self._back is None:
            self._restart(scene)
        assert self._back is not None
        self._back.join()
        self._back = None

    def _restart(self, scene: Scene) -> None:
        stop_server(scene.server)
        self._back = threading.Timer(1.0, start_server, (scene.server,))
        self._back.start()


def _can_be_locked(scene: Scene) -> bool:
    """Whether there is anything yet that could be locked."""
    return scene.server is not None or Path(scene.url).exists()


def _locking(scene: Scene, *, held: float, free: float = 0.0, times: int) -> subprocess.Popen[str]:
    """A process that holds the lock now."""
    program, store = (_LOCKER, str(scene.folder / scene.url)) if scene.server is None else (_SERVER_LOCKER, scene.url)
    words = [sys.executable, "-c", program, store, str(held), str(free), str(times)]
    locker = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert locker.stdout is not None
    assert locker.stdout.readline() == "locked\n"
    return locker


def _end(locker: subprocess.Popen[str]) -> None:
    locker.kill()
    locker.communicate()
