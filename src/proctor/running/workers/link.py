"""Interface between the crew and a worker, to be implemented by a transport."""

from __future__ import annotations

from typing import Protocol

from proctor.running.workers.messages import Brief, Hello, Order, WorkerReport


class WorkerLost(Exception):
    """The worker is dead or does not respond."""


class NoPlace(WorkerLost):
    """There is no room for the worker yet; others may play meanwhile, and `hello` can be called again."""


class TransportLost(WorkerLost):
    """No more workers can be started, and the existing ones are dead."""


class Link(Protocol):
    """Connection to one worker, as seen by the crew. Methods block, and raise WorkerLost."""

    @property
    def name(self) -> str:
        """Display name."""

    def hello(self) -> Hello:
        """Return the worker's hello once it has built its parts; raises NoPlace while it waits for room."""

    def exchange(self, order: Order) -> WorkerReport:
        """Send an order and wait for the report, for at most `messages.SILENCE` seconds."""

    def close(self, within: float) -> None:
        """Give the worker `within` seconds to end by itself, then kill it. Idempotent."""


class Transport(Protocol):
    """Starts workers."""

    kind: str
    """Kind of workers: `processes`, `ray`."""

    def start(self, brief: Brief) -> Link:
        """Start a worker with its brief; raises WorkerLost if it cannot be started."""

    def close(self) -> None:
        """Release the resources for starting workers; none can be started afterwards."""
