"""Export of a stored run to a destination, now or while it is played. Failures of the export never change a result."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from proctor import threads
from proctor.benchmark import Benchmark, Exam
from proctor.errors import ProctorError, UsageError
from proctor.exporters.contract import Exporter, FinishedAttempt, Subject
from proctor.exporters.delivery_log import DeliveryMemory, digest
from proctor.exporters.destinations import build, check_destination
from proctor.exporters.destinations import configured_destinations as configured_destinations
from proctor.exporters.outcome import DeliveryVerdict
from proctor.exporters.outcome import Report as Report
from proctor.exporters.run_upload import RunUpload
from proctor.exporters.sender import NoAddress as NoAddress
from proctor.exporters.summary import sentences
from proctor.failures import short_message
from proctor.findings.run import Findings
from proctor.run import Attempt, Finished, Key, Record, Run
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store
from proctor.storage.address import parse
from proctor.telemetry.span import trace_id
from proctor.workflows.read import findings_of_run

_log = logging.getLogger("proctor")
_AT_ONCE = 50
"""Number of attempts held in memory together."""
_WAITING = 2_000
"""Maximum number of attempts queued for export while a run is played."""
_PATIENCE = 1.0
"""Seconds for which attempts are collected, to be sent in one batch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """Export target of a run, and what must be redacted."""

    to: str
    """Service: langfuse, otlp, phoenix or mlflow."""
    endpoint: str | None = None
    """URL, if not taken from the environment."""
    redact: tuple[str, ...] = ()
    """Regular expressions whose matches are redacted."""

    @property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """Compiled patterns; raise UsageError if one is invalid."""
        return tuple(_compile_pattern(text) for text in self.redact)


def _compile_pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"--redact {text!r} is not a valid regular expression: {error}") from error


async def sync_run(name: str, destination: Destination, *, store: str, again: bool = False) -> Report:
    """Send a stored run: only what is missing there or has changed, or everything with `again`."""
    check_destination(destination.to)
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        benchmark = opened.archive.benchmark_of(run.id)
        return await _ship(opened, run, benchmark, _exporter(run, benchmark, destination, store), again)


async def resume_sync(name: str, *, store: str, to: str | None = None, again: bool = False) -> list[Report]:
    """Send a run to its previous destinations, with the same endpoints and patterns."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        known = list(known_destinations(run, store, to))
        if not known:
            where = f"to {to} " if to else ""
            raise UsageError(f"run {run.id} has not been sent {where}yet; begin with `proctor sync DESTINATION {name}`")
        benchmark = opened.archive.benchmark_of(run.id)
        exporters = [_exporter(run, benchmark, destination, store) for destination in known]
        return [await _ship(opened, run, benchmark, exporter, again) for exporter in exporters]


async def _ship(opened: Store, run: Run, benchmark: Benchmark, exporter: Exporter, again: bool) -> Report:
    if again:
        exporter.memory.forget()
    upload = RunUpload(exporter, run.id)
    exams = {exam.id: exam for exam in exams_of(benchmark, run.settings)}
    sent = 0
    try:
        await upload.begin()
        for chunk in _chunks(opened.archive.full_attempts(run.id)):
            await upload.send([FinishedAttempt(exam=exams[attempt.key.exam], attempt=attempt) for attempt in chunk])
            sent += len(chunk)
        if exporter.keeps_run_marks and run.status != "running":
            await upload.conclude(findings_of_run(opened, run))
    finally:
        await exporter.close()
    report = upload.report(pending=max(0, run.planned - sent))
    _remember_page(opened, report)
    return report


def _remember_page(opened: Store, report: Report) -> None:
    """Store the URL of the run's page for its reports and pages."""
    if report.link and opened.archive.find(report.run).sent.get(report.destination) != report.link:
        opened.journal.note_sent(report.run, report.destination, report.link)


def remember_page(report: Report, *, store: str) -> None:
    """Store the URL of the run's page, opening the store."""
    with open_store(store, create=False) as opened:
        _remember_page(opened, report)


async def sync_configured(
    run: str, destinations: Iterable[str], *, store: str, tell: Callable[[str], None] = _log.warning
) -> None:
    """Send a finished run to the destinations of `[run] sync` and report the outcome; never fails."""
    for name in dict.fromkeys(destinations):
        try:
            tell(sync_sentence(await sync_run(run, Destination(to=name), store=store)))
        except ProctorError as error:
            tell(f"{name}: nothing was sent: {error.in_terminal}")


def sync_sentence(report: Report) -> str:
    """Describe the outcome of a sync in one line."""
    arrived = sum(outcome.verdict.arrived for outcome in report.outcomes if outcome.kind == "attempt")
    sentence = f"{report.destination}: {arrived} of {sum(report.counts('attempt').values())} attempts sent."
    return " ".join([sentence, *sentences(report)])


def _chunks(attempts: Iterable[Attempt]) -> Iterator[list[Attempt]]:
    finished = (attempt for attempt in attempts if attempt.finished)
    while chunk := list(islice(finished, _AT_ONCE)):
        yield chunk


def _exporter(run: Run, benchmark: Benchmark, destination: Destination, store: str) -> Exporter:
    """Return the exporter with its record of past exports, to which the destination is added."""
    subject = Subject(
        run=run,
        exams=exams_of(benchmark, run.settings),
        description=benchmark.description,
        redact=destination.patterns,
    )
    exporter = build(destination.to, subject, endpoint=destination.endpoint)
    exporter.memory = DeliveryMemory(
        _folder(store) / f"{run.id}.{destination.to}.{digest(exporter.identity)[:8]}.jsonl"
    )
    errand = {"to": destination.to, "endpoint": destination.endpoint, "redact": list(destination.redact)}
    if exporter.memory.fact("errand") != errand:  # the name under which stores have it
        exporter.memory.note(errand=errand)
    return exporter


def _folder(store: str) -> Path:
    """Return the folder beside the store, or `.proctor/` for a store that is not a file."""
    path = parse(store).path
    return (path.parent if path is not None else Path(".proctor")) / "sync"


def trace_of(key: Key) -> str:
    """Return the trace id of an attempt, which is the same in all destinations."""
    return trace_id(key)


def known_destinations(run: Run, store: str, to: str | None = None) -> Iterator[Destination]:
    """Yield each destination to which a run was sent before."""
    seen: list[Any] = []
    for path in sorted(_folder(store).glob(f"{run.id}.{to or '*'}.*.jsonl")):
        errand = DeliveryMemory(path).fact("errand")
        if isinstance(errand, dict) and errand not in seen:
            seen.append(errand)
            yield Destination(to=errand["to"], endpoint=errand["endpoint"], redact=tuple(errand["redact"]))


class Follower:
    """Background thread that sends attempts while a run is played. It never blocks and never raises.

    What cannot be sent in time, or does not fit into its queue, is left to `proctor sync`.
    """

    def __init__(self, exporter: Exporter, run: str, exams: Sequence[Exam], *, waiting: int = _WAITING) -> None:
        self._exporter = exporter
        self._run = run
        self._exams = {exam.id: exam for exam in exams}
        self._room = waiting
        self._upload = RunUpload(exporter, run)
        self._queue: deque[FinishedAttempt] = deque()
        self._left: list[Key] = []
        self._taken: list[FinishedAttempt] = []
        self._findings: Findings | None = None
        self._ending = threading.Event()
        self._abandoned = False
        self._trouble = ""
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="proctor-sync", daemon=True)
        self._thread.start()

    def feed(self, records: Iterable[Record]) -> None:
        """Queue stored records; finished attempts are sent in the background."""
        finished = [record.attempt for record in records if isinstance(record, Finished) and record.attempt.finished]
        if not finished:
            return
        with self._changed:
            for attempt in finished:
                if len(self._queue) < self._room and attempt.key.exam in self._exams and not self._trouble:
                    self._queue.append(FinishedAttempt(exam=self._exams[attempt.key.exam], attempt=attempt))
                else:
                    self._left.append(attempt.key)
            self._changed.notify()

    async def finish(self, timeout: float, findings: Findings | None = None) -> Report:  # noqa: ASYNC109
        """Send the rest and the run's scores within so many seconds, and report the outcome."""
        with self._changed:
            self._findings = findings
            self._ending.set()
            self._changed.notify()
        await threads.call(self._thread.join, timeout)
        with self._changed:
            self._abandoned = True
            under_way = [each.attempt.key for each in self._taken]
            waiting = [*self._left, *(each.attempt.key for each in self._queue)]
        go_on = f"; continue with: proctor sync {self._exporter.name} {self._run}"
        why = self._trouble or "there was no answer before the run was over"
        self._upload.skip(under_way, DeliveryVerdict(state="unknown", reason=why + go_on))
        why = self._trouble or "it did not get its turn before the run was over"
        self._upload.skip(waiting, DeliveryVerdict(state="unsent", reason=why + go_on))
        return self._upload.report()

    def _work(self) -> None:
        try:
            asyncio.run(self._ship())
        except BaseException as error:
            with self._changed:
                self._trouble = f"it broke ({type(error).__name__}: {short_message(error, 200)})"

    async def _ship(self) -> None:
        try:
            await self._upload.begin()
            while self._take():
                await self._upload.send(self._taken)
                with self._changed:
                    self._taken = []
            if self._findings is not None and not self._abandoned:
                await self._upload.conclude(self._findings)
        finally:
            with contextlib.suppress(Exception):
                await self._exporter.close()

    def _take(self) -> bool:
        """Wait for attempts and take them; return False at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._ending.is_set())
            self._changed.wait_for(lambda: len(self._queue) >= _AT_ONCE or self._ending.is_set(), _PATIENCE)
            if self._abandoned:
                return False
            self._taken = [self._queue.popleft() for _ in range(min(_AT_ONCE, len(self._queue)))]
            return bool(self._taken)


def follow(run: Run, benchmark: Benchmark, destination: Destination, *, store: str) -> Follower:
    """Create a follower for a run about to start; raise UsageError if the destination cannot be used."""
    return Follower(_exporter(run, benchmark, destination, store), run.id, exams_of(benchmark, run.settings))
