"""An attempt that keeps failing "for reasons outside the agent" while all others succeed is the agent's after all."""

from __future__ import annotations

from dataclasses import replace

from proctor.run import Attempt, Failure, Finished
from proctor.storage import Store
from proctor.workflows.tally import RunTally

SETBACKS = 3
"""The first session and two resumes."""
OTHERS = 0.9
"""Share of the other attempts that the environment must have served for a failure to count as a setback."""


def reclassify(store: Store, run: str, tally: RunTally) -> None:
    """Give such failures to the agent: leaving them out would make missing marks depend on the outcome."""
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
    """The attempt with one setback more, or, after the last, with the agent to blame."""
    if failure.setbacks < SETBACKS:
        return replace(attempt, failure=failure, finished=True)
    reason = (
        f"{failure.reason} (reclassified: it failed in {failure.setbacks} sessions, "
        f"each of which served at least {OTHERS:.0%} of the others)"
    )
    return replace(attempt, failure=replace(failure, owner="agent", reason=reason), passed=False, finished=True)
