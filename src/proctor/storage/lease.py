"""Leases on runs: the writer's number in the run's row, checked on every write, and a heartbeat next to it.

Each new writer takes the next number. A writer whose number is no longer the run's has lost it, however that happened:
a fail-over, a pooled connection, a process that was suspended and resumed. Its next write is refused. So no session has
to be kept open, and connection poolers that assign a connection per transaction do no harm.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, func, select, update

from proctor.errors import RunBusy, RunLost, StoreError
from proctor.storage.database import Database
from proctor.storage.tables import runs

EXPIRY = 10.0
"""Seconds without a heartbeat after which a run may be taken from its writer."""
_BEAT = 2.0
"""Seconds between two heartbeats."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """The right of this process to write a run."""

    run: str
    """Id of the run."""
    no: int
    """Number of its row."""
    writer: int
    """Number of the writer, checked on every write."""
    lost: threading.Event = field(default_factory=threading.Event)
    """Set once another process is known to have taken over the run."""

    def refuse(self) -> RunLost:
        """Mark the lease as lost, and return the error to raise."""
        self.lost.set()
        return RunLost(
            f"run {self.run} has been taken over by another process, so this one stops; what it has stored is kept"
        )


class Leases:
    """Leases of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def hold(self, run: str, no: int) -> Iterator[Lease]:
        """Take a run without a live writer, and keep sending heartbeats; raises RunBusy if it has one."""
        lease, over = self._take(run, no), threading.Event()
        beating = threading.Thread(target=self._beat, args=(lease, over), name="proctor-lease", daemon=True)
        beating.start()
        try:
            yield lease
        finally:
            over.set()
            self._give_back(lease)

    def held(self, no: int) -> bool:
        """Whether a process is writing the run."""
        with self._database.reading() as connection:
            return self._is_held(connection, no)

    def check(self, connection: Connection, lease: Lease) -> None:
        """Raise RunLost unless the lease is still valid; locks the row to the end of the writing transaction."""
        row = select(runs.c.writer).where(runs.c.no == lease.no)
        if connection.execute(row.with_for_update()).scalar() != lease.writer:
            raise lease.refuse()

    def _take(self, run: str, no: int) -> Lease:
        with self._database.writing() as connection:
            writer = connection.execute(select(runs.c.writer).where(runs.c.no == no).with_for_update()).scalar()
            if self._is_held(connection, no, may_be_stopped=True):
                raise _busy(run)
            lease = Lease(run=run, no=no, writer=(writer or 0) + 1)
            taken = {"writer": lease.writer, "holder": _this_process(), "beat": self._now(connection)}
            connection.execute(update(runs).where(runs.c.no == no).values(taken))
        return lease

    def _is_held(self, connection: Connection, no: int, *, may_be_stopped: bool = False) -> bool:
        """Whether the writer is alive: by the process table if it is on this machine, else by its heartbeat.

        With `may_be_stopped`, a live process also needs a recent heartbeat, as it may be suspended.
        """
        row = connection.execute(select(runs.c.holder, runs.c.beat).where(runs.c.no == no)).first()
        if row is None or row.holder is None:
            return False
        fresh: bool = self._now(connection) - row.beat < EXPIRY
        lives = _lives_here(row.holder)
        if lives is None:
            return fresh
        return lives and (fresh or not may_be_stopped)

    def _beat(self, lease: Lease, over: threading.Event) -> None:
        while not over.wait(_BEAT) and not lease.lost.is_set():
            with suppress(StoreError):  # the store may respond to the next heartbeat
                self._show_life(lease)

    def _show_life(self, lease: Lease) -> None:
        mine = (runs.c.no == lease.no, runs.c.writer == lease.writer)
        with self._database.writing() as connection:
            beat = update(runs).where(*mine).values(beat=self._now(connection))
            if not connection.execute(beat).rowcount:
                lease.lost.set()

    def _give_back(self, lease: Lease) -> None:
        mine = (runs.c.no == lease.no, runs.c.writer == lease.writer)
        with suppress(StoreError), self._database.writing() as connection:  # otherwise the lease expires
            connection.execute(update(runs).where(*mine).values(holder=None, beat=None))

    def _now(self, connection: Connection) -> float:
        """Seconds since the epoch by the store's clock, as its writers' clocks may differ."""
        if self._database.address.path is None:
            return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar() or 0.0)
        return time.time()


def _this_process() -> str:
    pid = os.getpid()
    return f"{_machine()} {pid} {_begun(pid) or ''}"


def _machine() -> str:
    """Identify the machine, or rather the pid namespace, which containers on one machine do not share."""
    with suppress(OSError):
        return f"{platform.node()}/{os.readlink('/proc/self/ns/pid')}"
    return platform.node()


def _lives_here(holder: str) -> bool | None:
    """Whether the process is alive, or None if it is on another machine, or this platform cannot tell."""
    machine, pid, begun = holder.rsplit(" ", 2)
    if machine != _machine() or not Path("/proc/self/stat").exists():
        return None
    return _begun(int(pid)) == begun


def _begun(pid: int) -> str | None:
    """Return the start time of a process in kernel ticks, or None if there is no such process, or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def _busy(run: str) -> RunBusy:
    return RunBusy(
        f"run {run} is being written by another process: wait until it ends, or stop it with `proctor cancel {run}`"
    )
