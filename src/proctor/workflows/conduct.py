"""The middle of every run: play, write, count. Evaluating and resuming differ only in what is left to play."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from proctor import threads
from proctor.benchmark import Exam
from proctor.errors import StoreError
from proctor.findings import Findings, Gathering, gather
from proctor.roles import Journal
from proctor.run import Finished, Record, Run, Sitting, Status, Wish
from proctor.running.garbage import seldom_collected
from proctor.running.schedule import LocalExecutor
from proctor.storage import Store
from proctor.workflows.parts import Cast
from proctor.workflows.reclassify import reclassify
from proctor.workflows.tally import Tally

Watch = Callable[[Tally], None]
Listener = Callable[[Sequence[Record]], None]
_FAREWELL = 5.0
"""Seconds that an agent may take to let go."""
_HEED_EVERY = 0.4
"""Seconds between two looks for a wish to pause or cancel."""


async def conduct(
    store: Store,
    run: Run,
    exams: tuple[Exam, ...],
    *,
    cast: Cast,
    sittings: Iterable[Sitting],
    tally: Tally,
    watch: Watch | None = None,
    heard: Listener | None = None,
    gathering: Gathering | None = None,
) -> Findings:
    """Play what is left of a run, store every record before it counts, and say what was found.

    The caller holds the run (`Journal.writing`), so that what is left was read under the same lock. `heard` is told of
    each batch once it is stored. A `gathering` that sees every attempt of the run from here on saves reading them back.
    """
    ledger = _Ledger(journal=store.journal, run=run, tally=tally, watch=watch, heard=heard, gathering=gathering)
    executor = LocalExecutor(
        agent=cast.agent,
        reviewers=cast.reviewers,
        settings=run.settings,
        examiner=cast.examiner,
        faults=cast.faults,
    )
    with seldom_collected(), _clocked(store.journal, run.id) as end:
        if watch is not None:
            watch(tally)
        try:
            async with (
                _closing(cast),
                _heeding(store, run.id, executor) as wishes,
                contextlib.aclosing(executor.execute(sittings)) as batches,
            ):
                async for batch in batches:
                    await ledger.enter(batch)
        except asyncio.CancelledError:
            store.journal.write(executor.leftover())
            raise
        reclassify(store, run.id, tally)
        end(*_outcome(executor, wishes, tally))
    if ledger.gathering is not None:
        return ledger.gathering.findings(store.archive.find(run.id))
    return findings_of(store, run.id, exams)


@dataclass(slots=True)
class _Ledger:
    """What is done with every batch of records: stored first, then counted and told."""

    journal: Journal
    run: Run
    tally: Tally
    watch: Watch | None
    heard: Listener | None
    gathering: Gathering | None

    async def enter(self, batch: Sequence[Record]) -> None:
        await _write(self.journal, batch)
        self.tally.add(batch)
        if self.run.kind == "standard" and _has_steps(batch):
            await self._is_orchestrator()
        if self.gathering is not None:
            for record in batch:
                if isinstance(record, Finished):
                    self.gathering.add(record.attempt)
        if self.heard is not None:
            self.heard(batch)
        if self.watch is not None:
            self.watch(self.tally)

    async def _is_orchestrator(self) -> None:
        """Store what was seen at once; what was gathered did not look at steps, so the findings are read back."""
        self.run = replace(self.run, kind="orchestrator")
        self.gathering = None
        await threads.call(self.journal.amend, self.run)


def _has_steps(batch: Sequence[Record]) -> bool:
    """Whether an agent that was not declared an orchestrator is one: its replies tell their steps."""
    return any(
        turn.reply is not None and turn.reply.steps
        for record in batch
        if isinstance(record, Finished)
        for turn in record.attempt.transcript.turns
    )


async def _write(journal: Journal, batch: Sequence[Record]) -> None:
    """Store a batch; an interruption waits until it is stored."""
    writing = asyncio.ensure_future(threads.call(journal.write, batch))
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await writing
        raise


def findings_of(store: Store, run_id: str, exams: tuple[Exam, ...]) -> Findings:
    """What the stored attempts of a run show; those of battles and of orchestrators are read with transcripts."""
    run = store.archive.find(run_id)
    plain = run.settings.type == "standard" and run.kind == "standard"
    read = store.archive.attempts if plain else store.archive.full_attempts
    return gather(run, exams, read(run_id))


@contextlib.contextmanager
def _clocked(journal: Journal, run: str) -> Iterator[Callable[[Status, str], None]]:
    """Mark the run as running, and afterwards as whatever it came to, with the time it took."""
    started = time.monotonic()
    journal.mark(run, "running")
    outcome: tuple[Status, str] = ("failed", "Proctor stopped unexpectedly")

    def end(status: Status, reason: str) -> None:
        nonlocal outcome
        outcome = (status, reason)

    try:
        yield end
    except StoreError as error:
        error.exit_code = 4
        with contextlib.suppress(StoreError):
            journal.mark(run, "failed", reason=str(error), seconds=time.monotonic() - started)
        raise
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
            outcome = ("paused", "interrupted")
        journal.mark(run, outcome[0], reason=outcome[1], seconds=time.monotonic() - started)
        raise
    journal.mark(run, outcome[0], reason=outcome[1], seconds=time.monotonic() - started)


@asynccontextmanager
async def _heeding(store: Store, run: str, executor: LocalExecutor) -> AsyncIterator[list[Wish]]:
    """Look for a wish to pause or cancel every so often, and stop the executor when there is one."""
    wishes: list[Wish] = []

    async def look() -> None:
        while not wishes:
            await asyncio.sleep(_HEED_EVERY)
            wish = None
            with contextlib.suppress(StoreError):  # a hiccup of the store must not make the run deaf
                wish = await threads.call(store.archive.wish, run)
            if wish is not None:
                wishes.append(wish)
                executor.stop()

    looking = asyncio.create_task(look())
    try:
        yield wishes
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking


@asynccontextmanager
async def _closing(cast: Cast) -> AsyncIterator[None]:
    """Let go of everybody's connections at the end, whatever happened; what they say then changes no result."""
    try:
        yield
    finally:
        for part in (cast.agent, cast.examiner):
            close = getattr(part, "close", None)  # an examiner need not have one
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_FAREWELL):
                    if close is not None:
                        await close()


def _outcome(executor: LocalExecutor, wishes: list[Wish], tally: Tally) -> tuple[Status, str]:
    if executor.halt == "stopped":
        return ("paused", "on request") if "pause" in wishes else ("cancelled", "on request")
    if executor.halt in ("storm", "spent"):
        return "paused", executor.reason
    if executor.halt == "misconfigured":
        return "failed", executor.reason
    if tally.lost:
        attempts = "1 attempt" if tally.lost == 1 else f"{tally.lost} attempts"
        return "failed", f"{attempts} failed for reasons outside the agent"
    return "completed", ""
