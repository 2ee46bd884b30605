"""Jobs of judges on stored runs: each in its own process, which outlives the server.

Verdicts are stored as they arrive, and their number is the progress. The process holds a lock on its log file until it
ends; so any server that uses this folder can tell whether it is running, and stop it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Literal

from proctor.errors import RunBusy, UsageError
from proctor.redaction import private
from proctor.run import Run
from proctor.storage import Store
from proctor.web.site.jobs import WrongState, error_of_child, forget_child, start_child
from proctor.web.site.settings import WebSettings
from proctor.workflows.judge_plan import PlannedJudging, answers_since

if sys.platform != "win32":
    import fcntl

_ID = re.compile("[0-9a-f]{16}")
JobState = Literal["going", "done", "cancelled", "stopped"]
_PATIENCE = 10.0
"""Seconds that a judge may take to stop."""
_KEPT = 200


class NoSuchJob(UsageError):
    """Raised when no job has the given id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeJob:
    """A judge's job on one run, or on several to be compared."""

    id: str
    runs: tuple[str, ...]
    reviewer: str
    judge: str
    """Id of the judge: its name and a digest of its configuration."""
    due: int
    """Number of requested verdicts."""
    started: float
    process: int = 0
    is_cancelled: bool = False
    state: JobState = "going"
    done: int = 0
    """Number of answers so far."""
    unscored: int = 0
    """Number of answers without a usable verdict."""
    said: str = ""
    """Why it ended early by itself, or empty if unknown."""


class JudgeJobs:
    """Starts and monitors judge jobs; each judge runs at most once at a time on the same runs."""

    def __init__(self, settings: WebSettings, store: Callable[[], Store]) -> None:
        self._settings = settings
        self._store = store
        name = hashlib.sha256(settings.store.encode()).hexdigest()[:12]
        self._folder = settings.folder / "web" / f"judges-{name}"
        self._lock = threading.RLock()
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self, planned: PlannedJudging, *, budget: float | None = None) -> JudgeJob:
        """Start a job for all missing verdicts; the store has its progress."""
        if not planned.due:
            raise WrongState(f"{planned.reviewer} {planned.nothing_due}")
        job = JudgeJob(
            id=_id_of(planned),
            runs=planned.runs,
            reviewer=planned.reviewer,
            judge=planned.judge,
            due=planned.due,
            started=time.time(),
        )
        with self._lock:
            self._must_have_room()
            private.make_folder(self._folder)
            with open(self._log(job.id), "ab", opener=private.private_opener) as log:
                if not _lock_file(log):
                    raise WrongState(f"{job.reviewer} is judging this already; wait until it is over, or cancel it")
                log.truncate(0)
                child = start_child(self._settings, _arguments(job, budget), log)
            self._children.append(child)
            job = replace(job, process=child.pid)
            self._keep(job)
            self._forget_the_oldest()
        return job

    def find(self, job: str) -> JudgeJob:
        """Return the current state of a job; raise NoSuchJob."""
        kept = self._read(self._folder / f"{job}.json") if _ID.fullmatch(job) else None
        if kept is None:
            raise NoSuchJob(f"no judge was asked here under {job[:80]!r}; it may have been long ago")
        return self._as_it_stands(kept)

    def of(self, runs: Sequence[Run]) -> list[JudgeJob]:
        """Return the jobs on exactly these runs, in any order, the newest first."""
        wanted = sorted(run.id for run in runs)
        found = (self._read(path) for path in self._folder.glob("*.json"))
        mine = [each for each in found if each is not None and sorted(each.runs) == wanted]
        return [self._as_it_stands(each) for each in sorted(mine, key=lambda each: each.started, reverse=True)]

    def cancel(self, job: str) -> JudgeJob:
        """Stop a job, even if another server started it; its verdicts so far are kept."""
        with self._lock:
            found = self.find(job)
            if found.state != "going":
                raise WrongState(f"{found.reviewer} is not judging any more; there is nothing to cancel")
            self._keep(replace(found, is_cancelled=True))
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(
                    found.process, signal.SIGTERM
                )  # it leads a session, and the number is not reused while the session exists
        until = time.monotonic() + _PATIENCE
        while self._goes_on(found):
            if time.monotonic() > until:
                raise RunBusy(f"{found.reviewer} was asked to stop and has not yet; look again in a moment")
            time.sleep(0.05)
        return self.find(job)

    def _as_it_stands(self, job: JudgeJob) -> JudgeJob:
        goes_on = self._goes_on(job)
        done, unscored = answers_since(self._store(), job.runs, job.judge, job.started)
        job = replace(job, done=done, unscored=unscored)
        if goes_on:
            return replace(job, state="going")
        if job.is_cancelled or done >= job.due:
            return replace(job, state="done" if done >= job.due else "cancelled")
        return replace(job, state="stopped", said=error_of_child(self._log(job.id))[1])

    def _goes_on(self, job: JudgeJob) -> bool:
        with self._lock, suppress(OSError):
            self._children = [child for child in self._children if child.poll() is None]
            with open(self._log(job.id), "rb") as log:
                return not _lock_file(log, shared=True)
        return False

    def _must_have_room(self) -> None:
        kept = (self._read(path) for path in self._folder.glob("*.json"))
        going = sum(each is not None and self._goes_on(each) for each in kept)
        most = max(1, self._settings.processes)
        if going >= most:
            raise WrongState(f"{going} of at most {most} judges are at work here; wait until one is done, or cancel it")

    def _keep(self, job: JudgeJob) -> None:
        private.write(self._folder / f"{job.id}.json", json.dumps(asdict(job)).encode())

    def _read(self, path: Path) -> JudgeJob | None:
        with suppress(OSError, ValueError, TypeError):
            kept = json.loads(path.read_text(encoding="utf-8"))
            return JudgeJob(**{**kept, "runs": tuple(kept["runs"])})
        return None

    def _forget_the_oldest(self) -> None:
        kept = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in kept[:-_KEPT]:
            path.unlink(missing_ok=True)
            forget_child(path.with_suffix(".log"))

    def _log(self, job: str) -> Path:
        return self._folder / f"{job}.log"


def _id_of(planned: PlannedJudging) -> str:
    """Derive the id from the judge and the runs: the same judge on the same runs is the same job."""
    return hashlib.sha256(json.dumps([planned.judge, sorted(planned.runs)]).encode()).hexdigest()[:16]


def _arguments(job: JudgeJob, budget: float | None) -> list[str]:
    command = "judges" if len(job.runs) == 1 else "tournament"
    limit = [] if budget is None else [f"--budget={budget}"]
    return [command, *job.runs, f"--reviewer={job.reviewer}", *limit]


def _lock_file(file: IO[bytes], *, shared: bool = False) -> bool:
    """Acquire a lock without waiting; it is released when the last process that has the file open ends."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
