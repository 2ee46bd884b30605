"""Progress of an attempt dealt to a worker, so that another can continue it if the worker is lost: HeldAttempt."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from proctor.run import Attempt, Failure, Finished, Key, PendingAttempt, Record, Reviewed, Turned
from proctor.running.play import paid_for
from proctor.running.workers.messages import DealtAttempt
from proctor.score import Review
from proctor.transcript import Transcript, Turn

MOST_DEATHS = 3
"""Number of workers that an attempt may crash before it fails."""


@dataclass(slots=True)
class HeldAttempt:
    """One attempt, as far as the driver knows."""

    pending: PendingAttempt
    deaths: int = 0
    """Workers that died while holding it, since it last progressed."""
    _furthest: int = 0
    """Number of the last turn ever answered."""
    _turns: dict[int, Turn] = field(default_factory=dict)
    _reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """Key of the attempt."""
        return self.pending.attempt.key

    @property
    def is_suspect(self) -> bool:
        """Whether one more death would fail it: it is then played alone, so that no other attempt is blamed."""
        return self.deaths >= MOST_DEATHS - 1

    def lose(self) -> None:
        """Count the death of its worker; if it has progressed since the last one, the count restarts."""
        reached = max((number for number, turn in self._turns.items() if turn.reply is not None), default=0)
        self.deaths = 1 if reached > self._furthest else self.deaths + 1
        self._furthest = max(self._furthest, reached)

    def note(self, record: Record) -> bool:
        """Apply a record; return whether the attempt is over."""
        if isinstance(record, Turned):
            self._turns[record.turn.number] = record.turn
        elif isinstance(record, Reviewed):
            self._reviews[record.turn] = record.reviews
        elif record.attempt.finished:
            return True
        else:  # interrupted, or restarted from the beginning
            self._begin_at(record.attempt)
        return False

    def dealt(self) -> DealtAttempt:
        """Return what a worker needs to play it from its current state."""
        self.pending = self._as_it_stands()
        self._turns, self._reviews = {}, {}
        return DealtAttempt(
            exam=self.pending.exam.id, attempt=self.pending.attempt, reviews=self.pending.reviews
        )  # fmt: skip

    def fail_after_crashes(self, why: str) -> Finished:
        """Return the failure record of an attempt that crashed too many workers."""
        stands = self._as_it_stands()
        usage = paid_for(stands.attempt, stands.reviews)
        failure = Failure(
            stage="engine",
            owner="environment",
            kind="resources",
            tries=self.deaths,
            reason=f"{self.deaths} workers died while they ran this attempt, the last one alone with it: {why}",
        )
        ended = replace(stands.attempt, failure=failure, finished=True, usage=usage, ended=time.time())
        return Finished(attempt=ended)

    def _begin_at(self, attempt: Attempt) -> None:
        reviews = self.pending.reviews if attempt.transcript.turns else {}
        self._reviews = self._reviews if attempt.transcript.turns else {}
        self._turns = {}
        self.pending = replace(self.pending, attempt=attempt, reviews=reviews)

    def _as_it_stands(self) -> PendingAttempt:
        attempt, reviews = self.pending.attempt, self.pending.reviews
        if self._turns:
            known = {turn.number: turn for turn in attempt.transcript.turns} | self._turns
            turns = tuple(known[number] for number in sorted(known))
            started = attempt.started or turns[0].started or 0.0
            transcript = Transcript(turns=turns, ended=attempt.transcript.ended)
            attempt = replace(attempt, transcript=transcript, started=started)
        return replace(self.pending, attempt=attempt, reviews={**reviews, **self._reviews})
