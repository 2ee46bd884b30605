"""Live progress of runs: one poll of the store, at most twice a second, serves all watchers of a run.

Progress is read from the store, so a run is live wherever it was started.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi.concurrency import run_in_threadpool

from proctor.errors import NoSuchRun, StoreError
from proctor.reports.progress import TimeLeft, say_time_left
from proctor.run import Attempt, Run
from proctor.storage import Store
from proctor.storage.rows import verdict_of
from proctor.workflows.read import stored_exams
from proctor.workflows.stored_counts import verdict_counts
from proctor.workflows.tally import RunTally

EVERY = 0.5
"""Polling interval in seconds for a run that is being played."""
_QUIET = 2.0
"""Polling interval in seconds for a run that is not being played but may be resumed."""
_HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, to detect closed connections."""
_RECOUNT = 20.0
"""Seconds between full recounts, since a retried attempt replaces its row."""
_PACE_OVER = 10.0
"""Time window in seconds for measuring the pace."""
_NEWEST = 20
"""Maximum number of new attempts reported one by one."""
MOVING = ("running", "queued")
MOST_WATCHERS = 500
"""Maximum number of watchers of all runs; each holds a connection."""


class RunProgress:
    """Progress of one run: counted by the store at first, then updated with new attempts."""

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._id = run
        self._counted_at = float("-inf")
        self._status = ""
        self._last = 0
        self._verdicts: dict[str, int] = {}
        self._tally = RunTally(0)
        self._time_left: TimeLeft | None = None
        self._paces: deque[tuple[float, int]] = deque()
        self._newest: deque[dict[str, Any]] = deque(maxlen=_NEWEST)

    def look(self) -> dict[str, Any]:
        """Read new attempts and return the run's progress."""
        self._newest.clear()
        if time.monotonic() - self._counted_at > _RECOUNT:
            self._count()
        run = self._catch_up()
        if run.status != self._status:  # just started or ended: the last report must be exact
            self._status = run.status
            self._count()
        if self._tally.is_battle:
            self._tally.under_way = self._store.archive.turns_under_way(self._id)
        return self._progress_record(run)

    def _count(self) -> None:
        """Recount everything; a battle's pass rate of replies is only in its attempts."""
        archive, newest = self._store.archive, [*self._newest]
        run = archive.find(self._id)
        self._verdicts, self._last = {}, 0
        if run.settings.type != "standard":
            self._tally = RunTally.of(run, stored_exams(self._store, run))
            self._catch_up()
        else:
            self._tally = RunTally.of(run, ())
            plain = verdict_counts(self._store, run) if run.settings.has_plain_run else None
            counted = archive.standing(self._id)
            self._verdicts, self._last = dict(counted.verdicts), counted.last
            for exam, (verdicts, passed) in (counted.exams if plain is None else plain).items():
                self._tally.count_case(exam, verdicts, passed)
        self._newest = deque(newest, maxlen=_NEWEST)  # recounted attempts have been reported before
        self._counted_at = time.monotonic()

    def _catch_up(self) -> Run:
        while True:
            run, self._last, attempts = self._store.archive.since(self._id, self._last)
            for attempt in attempts:
                self._add(attempt)
            if not attempts:
                return run

    def _add(self, attempt: Attempt) -> None:
        verdict = verdict_of(attempt)
        self._verdicts[verdict] = self._verdicts.get(verdict, 0) + 1
        self._tally.count(attempt)
        self._newest.append(
            {
                "exam": attempt.key.exam, "condition": attempt.key.condition, "trial": attempt.key.trial,
                "verdict": verdict, "score": attempt.value, "seconds": attempt.seconds,
            }
        )  # fmt: skip

    def _progress_record(self, run: Run) -> dict[str, Any]:
        tally = self._tally
        done = sum(count for verdict, count in self._verdicts.items() if verdict != "open")
        low, high = tally.interval() or (None, None)
        steps = tally.steps if tally.is_battle else (done, run.planned)
        seconds_left = self._seconds_left(run, *steps)
        return {
            "run": run.id,
            "status": run.status,
            "reason": run.reason,
            "planned": run.planned,
            "done": done,
            "steps": {"done": steps[0], "planned": steps[1]},
            "turns": tally.asked + sum(tally.under_way.values()) if tally.is_battle else None,
            "verdicts": self._verdicts,
            "pass_rate": {"value": tally.pass_rate(), "low": low, "high": high},
            "cases": tally.units,
            "replies": {"asked": tally.asked, "judged": tally.judged} if tally.is_battle else None,
            "no_test": tally.no_test,
            "per_second": self._pace(done),
            "seconds_left": seconds_left,
            "time_left": say_time_left(seconds_left),
            "next_look": _next_look(run),
            "newest": [*self._newest],
        }

    def _seconds_left(self, run: Run, done: int, planned: int) -> float | None:
        if run.status != "running":
            self._time_left = None
            return None
        now = time.time()
        if self._time_left is None:
            first_play = run.started is not None and not run.seconds
            began = run.started if first_play and run.started is not None else now
            self._time_left = TimeLeft(began, done=0 if first_play else done, planned=planned)
        self._time_left.count(now, done, planned)
        return self._time_left.seconds(now)

    def _pace(self, done: int) -> float:
        now = time.monotonic()
        self._paces.append((now, done))
        while now - self._paces[0][0] > _PACE_OVER:
            self._paces.popleft()
        since, before = self._paces[0]
        return max(0, done - before) / (now - since) if now > since else 0.0


def _next_look(run: Run) -> dict[str, Any] | None:
    """Return the next interim look, at which the run may stop early; the time left is then an upper bound."""
    if run.interim is None or run.interim.is_settled:
        return None
    ahead = next((point for point in run.interim.path if point.value is None), None)
    return None if ahead is None else {"look": run.interim.look + 1, "of": run.interim.looks, "at": ahead.attempts}


class _Watched:
    """A watched run: its latest event and the number of watchers."""

    def __init__(self) -> None:
        self.watchers = 0
        self.number = 0
        self.said = b""
        self.goes_on = True
        self.over = False
        self.moved = asyncio.Condition()
        self.task: asyncio.Task[None] | None = None


class Live:
    """Polls watched runs and sends each event to all watchers."""

    def __init__(self) -> None:
        self._watched: dict[str, _Watched] = {}

    @property
    def full(self) -> bool:
        """Whether the maximum number of watchers is reached."""
        return sum(watched.watchers for watched in self._watched.values()) >= MOST_WATCHERS

    @asynccontextmanager
    async def watching(
        self, store: Store, run: str, *, to_its_end: bool = False
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Provide the events of a run as server-sent events; polling ends with the last watcher.

        `to_its_end`: end the stream once the run is not being played; otherwise keep watching in case it is resumed.
        """
        watched = self._watched.get(run)
        if watched is None:
            watched = self._watched[run] = _Watched()
            watched.task = asyncio.create_task(self._look(watched, RunProgress(store, run)))
        watched.watchers += 1
        try:
            yield _events(watched, to_its_end=to_its_end)
        finally:
            watched.watchers -= 1
            if not watched.watchers and self._watched.get(run) is watched:
                del self._watched[run]
                assert watched.task is not None
                watched.task.cancel()

    async def end(self) -> None:
        """Disconnect all watchers."""
        for watched in [*self._watched.values()]:
            async with watched.moved:
                watched.over = True
                watched.moved.notify_all()

    async def _look(self, watched: _Watched, progress: RunProgress) -> None:
        last: dict[str, Any] | None = None
        while True:
            started, moving, ended = time.monotonic(), False, False
            try:
                record = await run_in_threadpool(progress.look)
                moving, ended = record["status"] in MOVING, record["status"] not in MOVING
                event = _event("progress", record) if _differ(record, last) else b""
                last = record
            except StoreError as error:
                ended = isinstance(error, NoSuchRun)
                event = _event("trouble", {"message": error.on_page})
            if event:
                await _publish(watched, event, goes_on=not ended)
            await asyncio.sleep(max(0.05, (EVERY if moving else _QUIET) - (time.monotonic() - started)))


async def _publish(watched: _Watched, event: bytes, *, goes_on: bool) -> None:
    async with watched.moved:
        watched.goes_on = goes_on
        watched.number += 1
        watched.said = event
        watched.moved.notify_all()


async def _events(watched: _Watched, *, to_its_end: bool) -> AsyncIterator[bytes]:
    """Yield the latest event at once, then each new one; a slow watcher misses events in between."""
    last_number = 0
    while not watched.over:
        if watched.number == last_number:
            with suppress(TimeoutError):
                async with asyncio.timeout(_HEARTBEAT), watched.moved:
                    await watched.moved.wait()
        if watched.number == last_number:
            yield b": still here\n\n"
        else:
            last_number = watched.number
            yield watched.said
        if to_its_end and not watched.goes_on and watched.number == last_number:
            return


def _differ(record: dict[str, Any], last: dict[str, Any] | None) -> bool:
    kept = ("status", "done", "steps", "turns", "verdicts", "planned", "reason")
    return last is None or bool(record["newest"]) or any(record[name] != last[name] for name in kept)


def _event(kind: str, data: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
