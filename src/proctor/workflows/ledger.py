"""Process the records of a run: store first, then count and report."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from proctor.errors import RunLost, StoreError
from proctor.findings.run import Accumulator
from proctor.findings.run.deciders import is_custom
from proctor.reports.numbers import plural
from proctor.run import Finished, Record, Reviewed, Run, Turned
from proctor.workflows.tally import RunTally

if TYPE_CHECKING:
    from proctor.findings.gates.interim import InterimLooks

Watch = Callable[[RunTally], None]
Listener = Callable[[Sequence[Record]], None]
_STORE_PATIENCE = 60.0
"""Seconds for which a failing store is retried; meanwhile hardly any new calls are made."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
_log = logging.getLogger("proctor")


class Writer(Protocol):
    """The part of a journal that a ledger needs."""

    def write(self, records: Sequence[Record]) -> None:
        """Store records in one transaction."""

    def amend(self, run: Run) -> None:
        """Store changes to a run."""


@dataclass(slots=True)
class RunLedger:
    """Processes every batch of records: stores it, then counts and reports it."""

    journal: Writer
    run: Run
    tally: RunTally
    watch: Watch | None
    heard: Listener | None
    gathering: Accumulator | None
    looks: InterimLooks | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the gates for which the run may stop early have their verdict."""
        return self.looks is not None and self.looks.verdict is not None

    def enter(self, batch: Sequence[Record]) -> None:
        """Store a batch, then count and report it."""
        self.save(batch)
        self.tally.add(batch)
        if self.run.kind == "standard" and _has_steps(batch):
            self._is_orchestrator()
        if self.run.judge_decides is None and _has_own_checks(batch):
            self._amend(judge_decides=True)
        if self.gathering is not None:
            for record in batch:
                if isinstance(record, Finished):
                    self.gathering.add(record.attempt)
        if self.looks is not None:
            self.looks.add(record.attempt for record in batch if isinstance(record, Finished))
            self.keep_looks()
        if self.heard is not None:
            self.heard(batch)
        if self.watch is not None:
            self.watch(self.tally)

    def cut(self, over: int, *, lost: int) -> None:
        """Reduce the plan to the attempts that are over, now that the gates are decided.

        Attempts lost to environment failures were counted as worst and best case without affecting the verdict; at the
        last look, which covers all attempts, they are played again first.
        """
        assert self.looks is not None
        verdict = self.looks.verdict
        assert verdict is not None
        if not lost or verdict.look < verdict.looks:
            self._amend(interim=verdict, cut=over < self.run.planned or lost > 0, planned=over)

    def say_who_decides(self) -> None:
        """Record that the custom judge does not decide verdicts, as it gave only scores in a run where scores do not
        decide."""
        if self.run.judge_decides is None and is_custom(self.run.settings):
            self._amend(judge_decides=False)

    def keep_looks(self) -> None:
        """Store each new look with the run, so that it is visible wherever the run is watched."""
        if self.looks is None:
            return
        self.tally.ahead = self.looks.ahead
        stored, so_far = self.run.interim, self.looks.so_far
        if not so_far.is_settled and (stored is None or stored.look != so_far.look):
            self._amend(interim=so_far)

    def save(self, batch: Sequence[Record]) -> None:
        """Store a batch; its answers have been paid for."""
        self._insist(lambda: self.journal.write(batch))

    def _amend(self, **changed: Any) -> None:
        self.run = replace(self.run, **changed)
        self._insist(lambda: self.journal.amend(self.run))

    def _insist(self, store: Callable[[], None]) -> None:
        """Retry storing until it succeeds or `_STORE_PATIENCE` ends."""
        until, pause = time.monotonic() + _STORE_PATIENCE, _FIRST_PAUSE
        while True:
            try:
                store()
                return
            except StoreError as error:
                if isinstance(error, RunLost) or time.monotonic() + pause > until:
                    raise
                _log.warning("%s; trying again in %g s", error, pause)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _is_orchestrator(self) -> None:
        """Record at once that the agent is an orchestrator; counts so far ignored steps, so findings are read from the
        store."""
        self.gathering = None
        self._amend(kind="orchestrator")


def describe_unsaved(batch: Sequence[Record]) -> str:
    """Describe the loss of records that cannot be stored: the answered calls and their cost."""
    turns = [record.turn for record in batch if isinstance(record, Turned) and record.turn.reply is not None]
    reviews = [review for record in batch if isinstance(record, Reviewed) for review in record.reviews]
    used = [turn.reply.usage for turn in turns if turn.reply is not None] + [review.usage for review in reviews]
    cost = sum(usage.known_cost for usage in used if usage is not None)
    answers = plural(len(turns) + len(reviews), "answered call")
    return f"{answers} could not be stored" + (f", which cost {cost:.4f}" if cost else "")


def _has_own_checks(batch: Sequence[Record]) -> bool:
    return any(isinstance(record, Finished) and record.attempt.judge_checked for record in batch)


def _has_steps(batch: Sequence[Record]) -> bool:
    """Whether replies contain steps, so that the agent is an orchestrator though not declared as one."""
    return any(
        turn.reply is not None and turn.reply.steps
        for record in batch
        if isinstance(record, Finished)
        for turn in record.attempt.transcript.turns
    )
