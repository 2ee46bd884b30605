"""The way to one worker: what a transport has to offer."""

from __future__ import annotations

from typing import Protocol

from proctor.running.workers.messages import Brief, Hello, Order, WorkerReport


class WorkerLost(Exception):
    """The worker is dead, or does not answer."""


class NoPlace(WorkerLost):
    """There is no room for it yet; others may play meanwhile, and its hello may be waited for again."""


class TransportLost(WorkerLost):
    """No worker can be had any more, and those that there were are dead."""


class Link(Protocol):
    """One worker, as the crew sees it. Methods block, and raise WorkerLost."""

    @property
    def name(self) -> str:
        """What people call it."""

    def hello(self) -> Hello:
        """Its first word, when it has built its parts; raises NoPlace where it waits for room."""

    def exchange(self, order: Order) -> WorkerReport:
        """Give an order and wait for the report, at most `messages.SILENCE` seconds."""

    def close(self, within: float) -> None:
        """Let it end by itself in so many seconds, and end it then. May be called again."""


class Transport(Protocol):
    """Where workers come from."""

    kind: str
    """What sort of workers they are: `processes`, `ray`."""

    def start(self, brief: Brief) -> Link:
        """A new worker, which has been given its brief; raises WorkerLost where it cannot be started."""

    def close(self) -> None:
        """Let go of what workers were started with; nobody is started any more."""
