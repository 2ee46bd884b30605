"""Runs played by this server: each in its own process, a few at a time, in turn.

A run is first stored as `queued`; a detached process then plays it as `proctor resume` does and outlives the server.
The runs that the server has to play are recorded in small files, so that a restarted server resumes those whose process
is gone. Stopping goes through the store, so it reaches runs started anywhere.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote

from proctor.errors import ERROR_FILE, NoSuchRun, RunBusy, StoreError, UsageError
from proctor.redaction import private, without_secrets
from proctor.run import Run, Status, Stop, StopRequest
from proctor.storage import Store
from proctor.web.site.settings import WebSettings
from proctor.workflows.pace import PACE
from proctor.workflows.run_group import companion_at_play
from proctor.workflows.run_limits import is_limited


def start_child(settings: WebSettings, arguments: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """`proctor` with these arguments, on the same store; what it says goes into the log, its error beside it too."""
    left = Path(log.name).with_suffix(_ERROR)
    left.unlink(missing_ok=True)
    config = ["--config", str(settings.config)] if settings.config is not None else []
    environment = {name: value for name, value in os.environ.items() if name != "PROCTOR_TOKEN"}
    return subprocess.Popen(
        [sys.executable, "-m", "proctor", *arguments, *config],
        env={  # the store is no argument: it may hold a password
            **environment,
            "PROCTOR_STORE": settings.store,
            ERROR_FILE: str(left.absolute()),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,  # neither Ctrl-C nor the end of the server stops it
    )


def error_of_child(log: Path) -> tuple[str, str]:
    """The kind of the error with which a child ended, and its words without secrets; empty where it left none."""
    try:
        left = json.loads(log.with_suffix(_ERROR).read_text(encoding="utf-8"))
        return left["kind"], without_secrets(left["said"])
    except (OSError, ValueError):
        return "", ""


def forget_child(log: Path) -> None:
    """What it left behind."""
    for path in (log, log.with_suffix(_ERROR)):
        path.unlink(missing_ok=True)


_ERROR = ".error"
_LOOK_EVERY = 0.25
_PATIENCE = 5.0
"""Seconds that a run may take to stop."""
TURN = 600.0
"""Time slice in seconds: while others wait, a run is paused and queued again after it."""
_TRIES = 3
"""Maximum restarts of a run whose process was killed."""
_WRONG_USAGE = 2
_BUSY = RunBusy.__name__
"""Of a child that came too late: another server here plays the run, or has just stopped."""
_OVER: tuple[Status, ...] = ("completed", "failed", "cancelled")
_PAST: dict[StopRequest, tuple[Status, ...]] = {"pause": _OVER, "cancel": ("completed", "failed")}
"""Statuses in which a request to stop is an error; repeating the same request is not."""
_STOPPED: dict[StopRequest, Status] = {"pause": "paused", "cancel": "cancelled"}
_log = logging.getLogger("proctor.web")


class WrongState(UsageError):
    """The run's status does not allow the requested action."""


@dataclass(slots=True)
class _Job:
    """A run that this server has to play."""

    run: str
    process: subprocess.Popen[bytes] | None = None
    elsewhere: bool = False
    """Whether a process plays it that is not a child of this server, such as one started by an earlier server."""
    since: float = 0.0
    making_room: bool = False
    tries: int = 0
    pace: dict[str, Any] = field(default_factory=dict)
    """Timeout, concurrency and retries that override the run's own."""

    @property
    def playing(self) -> bool:
        return self.process is not None or self.elsewhere


class Jobs:
    """Scheduler of runs; `begin` starts it, `end` stops it and leaves running processes alone."""

    def __init__(self, settings: WebSettings, store: Callable[[], Store], *, turn: float = TURN) -> None:
        self._settings = settings
        self._store = store
        self._turn = turn
        name = hashlib.sha256(settings.store.encode()).hexdigest()[:12]
        self._folder = settings.folder / "web" / f"jobs-{name}"
        self._jobs: dict[str, _Job] = {}
        self._left: list[subprocess.Popen[bytes]] = []
        """Processes of runs that were asked to stop."""
        self._lock = threading.RLock()
        self._awake = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Take over the jobs of an earlier server and start scheduling."""
        for path in sorted(self._folder.glob("*.job")):
            job = _Job(run=unquote(path.stem), pace=_pace_in(path))
            run = self._current_run(job)
            if run is not None and run.status not in _OVER:
                self._jobs[job.run] = job
                self._stand_in_line(run)
            else:
                path.unlink(missing_ok=True)
        self._thread = threading.Thread(target=self._look_after, name="proctor-jobs", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop scheduling; processes continue."""
        self._over.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join()
        for process in self._left + [job.process for job in self._jobs.values() if job.process is not None]:
            process.returncode = process.poll() or 0  # avoids a ResourceWarning for a child that is still running

    def waiting(self) -> list[str]:
        """Return the ids of queued runs, the next one first."""
        with self._lock:
            return [run.id for run in self._line()]

    def play(self, run: str, **pace: Any) -> Run:
        """Queue a stored run to be played; a run that is already being played is left alone.

        `pace`: timeout, concurrency and retries that override the run's own.
        """
        found = self._store().archive.find(run)
        if found.status == "completed":
            raise WrongState(f"run {found.id} is already completed; there is nothing left to run")
        self.must_be_playable(found)
        with self._lock, suppress(RunBusy):  # busy: it is already being played
            if self._is_over(self._jobs.get(found.id), found):
                self._mark(found, "queued")
                private.make_folder(self._folder)
                private.write(self._mark_file(found.id), json.dumps(pace).encode() if pace else b"")
                self._jobs[found.id] = _Job(run=found.id, pace=pace)
        self._awake.set()
        return self._store().archive.find(found.id)

    @staticmethod
    def _is_over(job: _Job | None, run: Run) -> bool:
        """Whether a run is neither queued nor played, even if its process has ended unnoticed."""
        if job is None:
            return True
        return run.status != "queued" if job.process is None else job.process.poll() is not None

    @staticmethod
    def must_be_playable(run: Run) -> None:
        """Raise an error for a run that can only be played by the program that created it."""
        if run.rescored_from is None and "agent" not in run.settings.built:
            if run.imported is not None:
                raise UsageError(f"run {run.id} was run in {run.imported.tool} and only imported: rescore it")
            raise UsageError(f"the agent of run {run.id} was a Python object, which only the program has that ran it")

    def stop(self, run: str, asked: StopRequest) -> Run:
        """Pause or cancel a run wherever it is played, and wait until it has stopped."""
        found = self._store().archive.find(run)
        if found.status in _PAST[asked]:
            stands = "has already failed" if found.status == "failed" else f"is already {found.status}"
            raise WrongState(f"run {found.id} {stands}; there is nothing to {asked}")
        with self._lock:
            job = self._jobs.pop(found.id, None)
            self._mark_file(found.id).unlink(missing_ok=True)
            if job is not None and job.process is not None:
                self._left.append(job.process)
        until = time.monotonic() + _PATIENCE
        while not self._try_to_stop(found.id, asked, job):
            if time.monotonic() > until:
                raise RunBusy(f"run {found.id} was asked to {asked} and has not yet; look again in a moment")
            time.sleep(0.05)
        return self._store().archive.find(found.id)

    def _try_to_stop(self, run: str, asked: StopRequest, job: _Job | None) -> bool:
        """Request a stop; return whether it stopped. The request is repeated, since a starting process clears it."""
        store = self._store()
        store.journal.request_stop(run, asked)
        if job is not None and job.process is not None and job.process.poll() is None:
            if not store.archive.alive(run):
                job.process.terminate()  # it is still starting and does not check for requests yet
            return False
        try:
            with store.journal.writing(run):
                if store.archive.find(run).status not in ("completed", _STOPPED[asked]):
                    store.journal.mark(run, _STOPPED[asked], reason="on request", stop=Stop(kind="asked"))
        except RunBusy:
            return False
        return True

    def _look_after(self) -> None:
        while not self._over.is_set():
            try:
                with self._lock:
                    self._look()
            except StoreError as error:
                _log.warning("runs wait until the store can be read again: %s", error)
            except Exception:
                _log.exception("looking after runs failed")
            self._awake.wait(_LOOK_EVERY if self._jobs or self._left else None)
            self._awake.clear()

    def _look(self) -> None:
        self._left = [process for process in self._left if process.poll() is None]
        for job in [*self._jobs.values()]:
            self._look_at(job)
        line = self._line()
        playing = [job for job in self._jobs.values() if job.playing]
        free = max(0, self._settings.processes - len(playing))
        for run in line:
            if self._shared_budget_is_in_use(run):
                continue
            if not free:
                self._make_room(playing)
                break
            self._spawn(self._jobs[run.id], run)
            free -= 1

    def _shared_budget_is_in_use(self, run: Run) -> bool:
        """Whether another run with the same budget is being played: these are played one after the other."""
        if not is_limited(run.settings):
            return False
        others = [self._jobs[name] for name in run.together if name != run.id and name in self._jobs]
        return any(job.playing for job in others) or companion_at_play(self._store(), run) is not None

    def _line(self) -> list[Run]:
        """Return waiting runs, the one with the least playing time first."""
        found = [self._current_run(job) for job in [*self._jobs.values()] if not job.playing]
        waiting = [run for run in found if run is not None and run.status not in _OVER]
        return sorted(waiting, key=lambda run: (run.seconds, run.created, run.id))

    def _look_at(self, job: _Job) -> None:
        """Update a job: notice that its process has ended or that another process plays the run."""
        if job.process is not None:
            code = job.process.poll()
            if code is not None:
                job.process = None
                self._end_of(job, code)
            return
        run = self._current_run(job)
        if run is None:
            return
        was, job.elsewhere = job.elsewhere, self._store().archive.alive(job.run)
        if was and not job.elsewhere:
            self._end_of(job, None)
        elif run.status in _OVER and not job.elsewhere:  # played by another process in the meantime
            self._forget(job)

    def _end_of(self, job: _Job, code: int | None) -> None:
        """Handle the end of a process, with its exit code if it was a child: requeue, fail or forget the run."""
        run = self._current_run(job)
        if run is None:
            return
        job.elsewhere = self._store().archive.alive(run.id)  # another process was faster than the child
        killed = run.status in ("queued", "paused") if code is None else code < 0
        if job.elsewhere:
            return
        if job.making_room and run.status == "paused":
            job.making_room = False
            self._stand_in_line(run)
        elif (killed or self._came_too_late(run, code)) and job.tries < _TRIES:
            job.tries += 1
            self._stand_in_line(run)
        else:
            could_not = code is not None and code > 0 and (code == _WRONG_USAGE or run.status == "queued")
            if could_not and run.status not in _OVER:
                self._fail(run)
            else:
                forget_child(self._log_file(run.id))
            self._forget(job)

    def _came_too_late(self, run: Run, code: int | None) -> bool:
        return code == _WRONG_USAGE and run.status not in _OVER and error_of_child(self._log_file(run.id))[0] == _BUSY

    def _fail(self, run: Run) -> None:
        """Mark a run that could not start as failed, with the last line of its log as the reason."""
        reason = error_of_child(self._log_file(run.id))[1] or without_secrets(self._last_line(run))
        with suppress(StoreError):
            self._mark(run, "failed", reason=reason or "its process ended at once")

    def _last_line(self, run: Run) -> str:
        """Where Python itself could not begin."""
        try:
            said = self._log_file(run.id).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""
        return said.rpartition("\n")[2]

    def _stand_in_line(self, run: Run) -> None:
        """Mark a paused run as queued, since it will continue automatically."""
        if run.status == "paused":
            with suppress(RunBusy):
                self._mark(run, "queued")

    def _mark(self, run: Run, status: Status, *, reason: str = "") -> None:
        with self._store().journal.writing(run.id):
            self._store().journal.mark(run.id, status, reason=reason)

    def _make_room(self, playing: list[_Job]) -> None:
        """Pause the run that has used up its time slice, to make room for a waiting one."""
        ours = [job for job in playing if job.process is not None]
        if ours and not any(job.making_room for job in ours):
            longest = min(ours, key=lambda job: job.since)
            longest.making_room = time.monotonic() - longest.since > self._turn
        for job in ours:
            if job.making_room:
                self._store().journal.request_stop(job.run, "pause")

    def _spawn(self, job: _Job, run: Run) -> None:
        """Start a run's process. All pace options are passed, so that `[run]` of the configuration does not override
        them."""
        pace = [f"--{name}={job.pace.get(name, getattr(run.settings, name))}" for name in PACE]
        with open(self._log_file(job.run), "wb", opener=private.private_opener) as log:
            job.process = start_child(self._settings, ["resume", job.run, *pace], log)
        job.since = time.monotonic()

    def _current_run(self, job: _Job) -> Run | None:
        """Return the current run; forget the job if the run was deleted or stopped by another server."""
        try:
            run = self._store().archive.find(job.run)
        except NoSuchRun:
            self._forget(job)
            return None
        if job.process is None and not self._mark_file(job.run).exists():
            self._forget(job)
            return None
        return run

    def _forget(self, job: _Job) -> None:
        self._jobs.pop(job.run, None)
        self._mark_file(job.run).unlink(missing_ok=True)

    def _mark_file(self, run: str) -> Path:
        return self._folder / f"{quote(run, safe='')}.job"

    def _log_file(self, run: str) -> Path:
        return self._folder / f"{quote(run, safe='')}.log"


def _pace_in(path: Path) -> dict[str, Any]:
    """Read the pace stored for a job; empty if it cannot be read."""
    with suppress(OSError, ValueError):
        noted = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(noted, dict):
            return {name: noted[name] for name in PACE if name in noted}
    return {}
