"""An attempt that keeps failing "for reasons outside the agent" while all others succeed is the agent's after all."""

from __future__ import annotations

from dataclasses import replace

from proctor.run import Attempt, Finished
from proctor.storage import Store
from proctor.workflows.tally import Tally

SETBACKS = 3
"""The first try and two resumes."""
OTHERS = 0.9
"""Share of the other attempts that the environment must have served."""


def reclassify(store: Store, run: str, tally: Tally) -> None:
    """Give such failures to the agent: leaving them out would make missing marks depend on the outcome."""
    others = tally.done - 1
    if not tally.lost or others < 1 or (tally.done - tally.lost) / others < OTHERS:
        return
    blamed = [_blamed(attempt) for attempt, _ in store.archive.sittings(run) if _stubborn(attempt)]
    store.journal.write([Finished(attempt=attempt) for attempt in blamed])
    tally.lost -= len(blamed)


def _stubborn(attempt: Attempt) -> bool:
    failure = attempt.failure
    return failure is not None and failure.stage == "agent" and failure.setbacks >= SETBACKS


def _blamed(attempt: Attempt) -> Attempt:
    assert attempt.failure is not None
    reason = (
        f"{attempt.failure.reason} (reclassified: it failed {attempt.failure.setbacks} times, "
        f"while {OTHERS:.0%} of the others or more were served)"
    )
    return replace(attempt, failure=replace(attempt.failure, owner="agent", reason=reason), passed=False, finished=True)
