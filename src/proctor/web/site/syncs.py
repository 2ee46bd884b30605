"""Sync of runs to other services: each in a thread, with its outcome.

What was delivered is recorded beside the store, so that after a restart only the rest is sent.
"""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, replace
from typing import Literal

from proctor.errors import ProctorError
from proctor.redaction import without_secrets
from proctor.workflows.destination import Destination, Report, sync_run

SyncState = Literal["sending", "sent", "trouble"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """The delivery of a run to a service."""

    to: str
    state: SyncState
    attempts: int = 0
    """Number of attempts delivered."""
    said: str = ""
    """Message about the outcome."""
    link: str = ""
    """URL of the run's page there, or empty if unknown."""
    at: float = 0.0
    """Time of the current state in seconds since the epoch."""


class Syncs:
    """Sends runs, with at most one delivery of a run to a service at a time."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._known: dict[tuple[str, str], Delivery] = {}
        self._lock = threading.Lock()

    def start(self, run: str, to: str) -> Delivery:
        """Send what is missing or has changed; a delivery in progress is left alone."""
        with self._lock:
            known = self._known.get((run, to))
            if known is not None and known.state == "sending":
                return known
            begun = self._known[run, to] = Delivery(to=to, state="sending", at=time.time())
        threading.Thread(target=self._deliver, args=(run, to), name=f"proctor-sync-{to}", daemon=True).start()
        return begun

    def of(self, run: str) -> dict[str, Delivery]:
        """Return the state of each service's delivery since this server started."""
        with self._lock:
            return {to: delivery for (name, to), delivery in self._known.items() if name == run}

    def _deliver(self, run: str, to: str) -> None:
        try:
            ended = _delivery_of(asyncio.run(sync_run(run, Destination(to=to), store=self._store)))
        except ProctorError as error:
            ended = Delivery(to=to, state="trouble", said=error.on_page)
        except Exception as error:
            ended = Delivery(to=to, state="trouble", said=f"it broke ({type(error).__name__}: {error})")
        with self._lock:
            self._known[run, to] = replace(ended, said=without_secrets(ended.said), at=time.time())


def _delivery_of(report: Report) -> Delivery:
    arrived = sum(outcome.verdict.arrived for outcome in report.outcomes if outcome.kind == "attempt")
    remarks = [*(f"{count} {state}: {reason}" for state, reason, count in report.troubles), *report.notes]
    return Delivery(
        to=report.destination,
        state="sent" if report.complete else "trouble",
        attempts=arrived,
        said="; ".join(remarks),
        link=report.link,
    )
