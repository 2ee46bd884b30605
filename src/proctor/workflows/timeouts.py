"""Attempts that the agent did not answer in time, taken up again on request."""

from __future__ import annotations

from proctor.run import Attempt, Finished
from proctor.storage import Store
from proctor.workflows.pace import RETRIED


def timed_out(attempt: Attempt) -> bool:
    """Whether an attempt is over because the agent took too long."""
    failure = attempt.failure
    return attempt.finished and failure is not None and failure.owner == "agent" and failure.kind == "timeout"


def reopen_timeouts(store: Store, run: str) -> None:
    """Have them played from their beginning. The caller holds the run, which is no longer completed before any is."""
    again = [Finished(attempt=_afresh(attempt)) for attempt in store.archive.attempts(run) if timed_out(attempt)]
    if again:
        store.journal.mark(run, "paused", reason="attempts that had timed out are to be played again")
        store.journal.write(again)


def _afresh(attempt: Attempt) -> Attempt:
    """Nothing said yet; what was paid stays paid."""
    times = attempt.changed.get(RETRIED, 0) + 1
    return Attempt(
        key=attempt.key,
        place=attempt.place,
        resumed="replayed",
        usage=attempt.usage,
        lost=attempt.usage,
        changed={**attempt.changed, RETRIED: times},
    )
