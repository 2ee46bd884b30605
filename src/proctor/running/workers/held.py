"""What has come back of an attempt that a worker plays, so that another can go on where it was lost: HeldAttempt."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from proctor.run import Attempt, Failure, Finished, Key, PendingAttempt, Record, Reviewed, Turned
from proctor.running.play import paid_for
from proctor.running.workers.messages import DealtAttempt
from proctor.score import Review
from proctor.transcript import Transcript, Turn

MOST_DEATHS = 3
"""Workers that one attempt may take down before it is blamed."""


@dataclass(slots=True)
class HeldAttempt:
    """One attempt, as far as the driver knows."""

    pending: PendingAttempt
    deaths: int = 0
    """Workers that have died while they held it, since it last got further than before."""
    _furthest: int = 0
    """The last turn that was ever answered."""
    _turns: dict[int, Turn] = field(default_factory=dict)
    _reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """Which one."""
        return self.pending.attempt.key

    @property
    def is_suspect(self) -> bool:
        """Whether one more death would condemn it: it is played alone then, so that nobody else is blamed."""
        return self.deaths >= MOST_DEATHS - 1

    def lose(self) -> None:
        """Its worker has died. Who gets further each time is not what kills them: then the count begins again."""
        reached = max((number for number, turn in self._turns.items() if turn.reply is not None), default=0)
        self.deaths = 1 if reached > self._furthest else self.deaths + 1
        self._furthest = max(self._furthest, reached)

    def note(self, record: Record) -> bool:
        """Take a record down; whether the attempt is over."""
        if isinstance(record, Turned):
            self._turns[record.turn.number] = record.turn
        elif isinstance(record, Reviewed):
            self._reviews[record.turn] = record.reviews
        elif record.attempt.finished:
            return True
        else:  # cut off, or begun again from the start
            self._begin_at(record.attempt)
        return False

    def dealt(self) -> DealtAttempt:
        """What a worker needs to play it, from where it stands."""
        self.pending = self._as_it_stands()
        self._turns, self._reviews = {}, {}
        return DealtAttempt(
            exam=self.pending.exam.id, attempt=self.pending.attempt, reviews=self.pending.reviews
        )  # fmt: skip

    def fail_after_crashes(self, why: str) -> Finished:
        """Its end, where it has taken too many workers down."""
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
