"""The core of every run: play, store, count. Evaluating and resuming differ only in what is left to play."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from proctor.benchmark import Exam
from proctor.errors import RunLost, StoreError
from proctor.findings.run import Accumulator, Findings
from proctor.plugins.exits import intercept_exits
from proctor.redaction import remember_secrets
from proctor.reports.numbers import plural
from proctor.roles import Executor, Journal
from proctor.run import (
    Attempt,
    Failure,
    Finished,
    PendingAttempt,
    Run,
    Settings,
    Status,
    Stop,
    StopRequest,
)
from proctor.running.garbage import seldom_collected
from proctor.running.schedule import LocalExecutor
from proctor.running.workers.crew import CrewExecutor
from proctor.spending.run_limits import current
from proctor.storage import Store
from proctor.threads import Interrupted, Stage, on_stage
from proctor.workflows.canaries import judge_canaries
from proctor.workflows.ledger import Listener, RunLedger, Watch, Writer, describe_unsaved
from proctor.workflows.pace import played_with
from proctor.workflows.parts import Cast
from proctor.workflows.people import with_people
from proctor.workflows.read import findings_of
from proctor.workflows.stored_counts import keep_played
from proctor.workflows.tally import RunTally
from proctor.workflows.workers import WorkerPlan

if TYPE_CHECKING:
    from proctor.findings.gates.interim import InterimLooks


SETBACKS = 3
"""Number of failed sessions (the first and two resumes) after which the agent is blamed."""
OTHERS = 0.9
"""Minimum share of other attempts without environment failure for a failure to count as a setback."""


def reclassify(store: Store, run: str, tally: RunTally) -> None:
    """Blame the agent for repeated setbacks: excluding them would make missing scores depend on the outcome."""
    others = tally.done - 1
    if not tally.lost or others < 1 or (tally.done - tally.lost) / others < OTHERS:
        return
    judged = [
        _reclassify_attempt(attempt, failure)
        for attempt, _ in store.archive.pending_attempts(run)
        if (failure := _setback(attempt))
    ]
    store.journal.write([Finished(attempt=attempt) for attempt in judged])
    tally.lost -= sum(attempt.passed is False for attempt in judged)


def _setback(attempt: Attempt) -> Failure | None:
    failure = attempt.failure
    if failure is None or failure.stage != "agent":
        return None
    return replace(failure, setbacks=failure.setbacks + 1)


def _reclassify_attempt(attempt: Attempt, failure: Failure) -> Attempt:
    """Return the attempt with one more setback or, after the last, as the agent's failure."""
    if failure.setbacks < SETBACKS:
        return replace(attempt, failure=failure, finished=True)
    reason = (
        f"{failure.reason} (reclassified: it failed in {failure.setbacks} sessions, "
        f"each of which served at least {OTHERS:.0%} of the others)"
    )
    return replace(attempt, failure=replace(failure, owner="agent", reason=reason), passed=False, finished=True)


_HEED_EVERY = 0.4
"""Seconds between checks for a request to pause or cancel."""


async def conduct(
    store: Store,
    run: Run,
    exams: tuple[Exam, ...],
    *,
    cast: Cast,
    pending_attempts: Iterable[PendingAttempt],
    tally: RunTally,
    changed: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
    heard: Listener | None = None,
    gathering: Accumulator | None = None,
    workers: WorkerPlan | None = None,
    looks: InterimLooks | None = None,
) -> Findings:
    """Play what is left of a run, store every record before counting it, and return the findings.

    The caller holds the run's lock (`Journal.writing`), so that what is left was read under the same lock. `heard` is
    called with each batch after it is stored. A `gathering` that sees every attempt of the run saves reading them back.
    `changed` settings apply to what is played here, and are stored with it. With `workers`, other processes play. With
    `looks`, the run ends when they have a verdict.
    """
    remember_secrets()  # again: an agent's module may have loaded secrets from a file on import
    ledger = RunLedger(
        journal=store.journal, run=run, tally=tally, watch=watch, heard=heard, gathering=gathering, looks=looks
    )
    settings = replace(run.settings, **(changed or {}))
    left = played_with(() if ledger.is_decided else pending_attempts, changed or {})
    await on_stage(lambda stage: _drive(store, ledger, cast, settings, left, stage, workers))
    if ledger.gathering is not None:
        ended = store.archive.find(run.id)
        keep_played(store, ended, ledger.gathering)
        return with_people(store, ended, ledger.gathering.findings(ended))
    return findings_of(store, run.id, exams)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgingSession:
    """Stored replies to be judged by another judge; the records go to a separate journal."""

    judge: str
    cast: Cast
    settings: Settings
    pending_attempts: Iterable[PendingAttempt]
    journal: Writer
    tally: RunTally


async def play_beside(
    store: Store, run: Run, sessions: Sequence[JudgingSession], *, watch: Watch | None = None
) -> dict[str, str]:
    """Run judging sessions one after the other without changing the run. The caller holds the run's lock.

    Return the judges that ended early, with the reason; their further sessions are skipped.
    """
    ended: dict[str, str] = {}

    def drive(stage: Stage) -> None:
        for session in sessions:
            if session.judge not in ended and (reason := _judge(store, run, session, stage, watch)):
                ended[session.judge] = reason

    await on_stage(drive)
    return ended


def _judge(store: Store, run: Run, session: JudgingSession, stage: Stage, watch: Watch | None) -> str:
    executor = _local(session.cast, session.settings, stage)
    ledger = RunLedger(
        journal=session.journal, run=run, tally=session.tally, watch=watch, heard=None, gathering=None
    )  # fmt: skip
    if watch is not None:
        watch(session.tally)
    with seldom_collected():
        requests = _play(store, executor, ledger, session.pending_attempts)
    return "on request" if requests else executor.reason


def _drive(
    store: Store,
    ledger: RunLedger,
    cast: Cast,
    settings: Settings,
    pending_attempts: Iterable[PendingAttempt],
    stage: Stage,
    workers: WorkerPlan | None,
) -> None:
    """Play in the thread that stores the records, and mark how the run ended."""
    settings = replace(settings, concurrency=min(settings.concurrency, max(1, ledger.run.planned)))
    executor = _local(cast, settings, stage) if workers is None else workers.executor(settings, stage)
    run, from_start = ledger.run.id, not ledger.tally.done
    with seldom_collected(), _mark_running(store.journal, run) as end:
        ledger.keep_looks()
        if ledger.watch is not None:
            ledger.watch(ledger.tally)
        try:
            requests = _play(store, executor, ledger, pending_attempts)
            if executor.halt in (None, "decided"):
                judge_canaries(store, ledger.run, cast, settings, stage)
        finally:
            stage.close_all((cast.agent, cast.examiner))
            _keep_counts(store, run, executor)
        reclassify(store, run, ledger.tally)
        over = store.archive.over(run)
        ledger.run = store.archive.find(run)  # canaries and worker counts are stored with it
        if from_start and over == ledger.run.planned:
            ledger.say_who_decides()
        if ledger.is_decided and executor.halt in (None, "decided"):
            ledger.cut(over, lost=store.archive.standing(run).verdicts.get("environment", 0))
        end(_outcome(executor, requests, ledger, over=over))


def _keep_counts(store: Store, run: str, executor: Executor) -> None:
    """Store the worker counts; errors of the store are reported elsewhere."""
    if not isinstance(executor, CrewExecutor):
        return
    with contextlib.suppress(StoreError):
        stored = store.archive.find(run)
        counts = executor.counts if stored.workers is None else stored.workers + executor.counts
        store.journal.amend(replace(stored, workers=counts))


def _local(cast: Cast, settings: Settings, stage: Stage) -> LocalExecutor:
    return LocalExecutor(
        agent=cast.agent,
        reviewers=cast.reviewers,
        settings=settings,
        stage=stage,
        examiner=cast.examiner,
        faults=cast.faults,
    )


def _play(
    store: Store, executor: Executor, ledger: RunLedger, pending_attempts: Iterable[PendingAttempt]
) -> list[StopRequest]:
    """Enter records batch by batch and obey stop requests; return those received."""
    requests = _StopRequests(store, ledger.run.id)
    batches = executor.execute(pending_attempts)
    try:
        with intercept_exits(lambda told: executor.end("exited", told)):
            for batch in batches:
                if batch:
                    ledger.enter(batch)
                    if ledger.is_decided:
                        executor.end("decided")
                elif ledger.watch is not None:  # with rare redraws, the last batch may not have been shown
                    ledger.watch(ledger.tally)
                if requests.are_new():
                    executor.stop()
    except Interrupted:
        batches.close()
        ledger.save(executor.leftover())
        raise
    except StoreError as error:
        batches.close()
        raise type(error)(f"{error}; {describe_unsaved(executor.leftover())}") from error
    finally:
        batches.close()
    return requests.heard


class _Ending(NamedTuple):
    """How a run ended."""

    status: Status
    reason: str
    stop: Stop | None


@contextlib.contextmanager
def _mark_running(journal: Journal, run: str) -> Iterator[Callable[[_Ending], None]]:
    """Mark the run as running and, at the end, with its final status and duration."""
    started = time.monotonic()
    journal.mark(run, "running")
    ending = _Ending("failed", "Proctor stopped unexpectedly", Stop(kind="unexpected"))

    def end(how: _Ending) -> None:
        nonlocal ending
        ending = how

    def mark() -> None:
        seconds = time.monotonic() - started
        journal.mark(run, ending.status, reason=ending.reason, stop=ending.stop, seconds=seconds)

    try:
        yield end
    except StoreError as error:
        error.exit_code = 4
        end(_Ending("failed", str(error), Stop(kind="store")))
        with contextlib.suppress(StoreError):
            mark()
        raise
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, Interrupted)):
            end(_Ending("paused", "interrupted", Stop(kind="interrupted")))
        mark()
        raise
    mark()


class _StopRequests:
    """Polls for requests to pause or cancel the run."""

    def __init__(self, store: Store, run: str) -> None:
        self.heard: list[StopRequest] = []
        self._store = store
        self._run = run
        self._due = time.monotonic() + _HEED_EVERY

    def are_new(self) -> bool:
        """Whether a request has arrived since the last call."""
        if self.heard or time.monotonic() < self._due:
            return False
        try:
            request = self._store.journal.take_stop_request(self._run)
        except RunLost:
            raise
        except StoreError:  # a transient store error must not stop polling
            request = None
        if request is not None:
            self.heard.append(request)
        self._due = time.monotonic() + _HEED_EVERY
        return bool(self.heard)


def _outcome(executor: Executor, requests: list[StopRequest], ledger: RunLedger, *, over: int) -> _Ending:
    """Return how the run ended; it is completed only if nothing is left to play."""
    unplayed, lost = ledger.run.planned - over, 0 if ledger.run.cut else ledger.tally.lost
    if executor.halt == "stopped":
        return _Ending("paused" if "pause" in requests else "cancelled", "on request", Stop(kind="asked"))
    if executor.halt == "spent":
        return _Ending("paused", executor.reason, _out_of_budget())
    if executor.halt is not None and executor.halt != "decided":
        return _Ending("paused" if executor.halt == "storm" else "failed", executor.reason, Stop(kind=executor.halt))
    if unplayed > 0 and executor.halt is None:
        return _Ending("paused", _why_unplayed(ledger.run, plural(unplayed, "attempt")), Stop(kind="unplayed"))
    if lost:
        reason = f"{plural(lost, 'attempt')} failed for reasons outside the agent"
        return _Ending("failed", reason, Stop(kind="lost"))
    return _Ending("completed", "", None)


def _out_of_budget() -> Stop:
    """Return the stop reason with the budget that the next call would need."""
    limits = current()
    if limits is None or limits.budget is None:
        return Stop(kind="budget")
    cost, tokens = limits.budget.enough_for_the_next()
    return Stop(kind="budget", cost=cost, tokens=tokens)


def _why_unplayed(run: Run, attempts: str) -> str:
    if run.rescored_from is not None:
        return f"{attempts} of run {run.rescored_from} have not been run: resume that one first"
    return f"{attempts} were left unplayed, although nothing had stopped the run"
