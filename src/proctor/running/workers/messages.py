"""Messages between a crew and its workers: data only, independent of the transport."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from proctor.benchmark import Exam
from proctor.roles import Agent, Examiner, Halt, Reviewer
from proctor.run import Attempt, Record, Settings
from proctor.score import Review
from proctor.spending.budget import Budget
from proctor.usage import Usage

HOLD = 0.25
"""Maximum seconds that a worker waits for something to report before it responds: the heartbeat."""
START = 600.0
"""Timeout in seconds for a worker to import an agent and build its parts: it may have to load a local model."""
LEASE = 3.0
"""Seconds without an order after which a worker considers its driver dead and stops spending."""
SILENCE = 5.0
"""Seconds without a report after which the driver gives a worker up; a worker out of touch stops by itself earlier."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """All components that a worker plays with."""

    agent: Agent
    reviewers: Sequence[Reviewer]
    settings: Settings
    exams: Mapping[str, Exam]
    """Exams by id; dealt attempts contain only the id."""
    examiner: Examiner | None = None
    faults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Condition → its fault."""


Build = Callable[[Any, Budget | None], AbstractContextManager[Parts]]
"""Builds the parts from data, as a context manager that also applies limits while they play; pickled by name, so it
must be a module-level function."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """What a worker needs to begin."""

    recipe: bytes
    """Pickled pair: the function that builds the parts, and its data. Unpickled after the environment is set up."""
    places: int
    """Maximum number of concurrent attempts."""
    number: int = 1
    """Number of the worker."""
    folder: str | None = None
    """The driver's working directory, or None to keep the worker's own."""
    path: tuple[str, ...] = ()
    """The driver's module search path."""
    environment: dict[str, str] = field(default_factory=dict)
    """Environment variables, including secrets, which are passed only here."""
    cost: float | None = None
    """The run's cost limit, which the driver enforces."""
    tokens: int | None = None
    """The run's token limit."""
    lease: float = LEASE
    """Seconds without an order after which the worker stops."""
    is_remote: bool = False
    """Whether the worker may be on another machine, without a folder shared with the driver."""

    @property
    def is_limited(self) -> bool:
        """Whether there is a budget."""
        return self.cost is not None or self.tokens is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hello:
    """A worker's first message."""

    versions: dict[str, str]
    process: int
    """Process id."""
    refusal: str = ""
    """Why the worker cannot play; empty if it can."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DealtAttempt:
    """An attempt to be played by the worker that receives it."""

    exam: str
    """Id of the exam."""
    attempt: Attempt
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Turn → reviews already given and paid for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetRequest:
    """Request to begin a call."""

    number: int
    """Number of the request, unique per worker."""
    estimate: Usage
    whose: str = ""
    """Spender, if usage is known only from what it reports."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetAnswer:
    """Answer to a budget request."""

    number: int
    estimate: Usage
    """Reserved usage."""
    refusal: str = ""
    """Why the budget does not suffice; empty if the call may begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spending:
    """Usage of a finished call."""

    usage: Usage
    number: int | None = None
    """Request that it settles, or None if nothing was reserved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """The driver's message to a worker."""

    attempts: tuple[DealtAttempt, ...] = ()
    """Attempts to be played."""
    stored: int = 0
    """Number of the worker's last batch that is on disk."""
    answers: tuple[BudgetAnswer, ...] = ()
    hold: float = HOLD
    """Maximum seconds to wait for something to report."""
    workers: int = 1
    """Number of active workers, among which rate limits are divided."""
    end: tuple[Halt | None, str] | None = None
    """End early for this reason; with None as reason, finish: no more attempts will come."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerReport:
    """A worker's response to an order."""

    records: tuple[Record, ...] = ()
    """Records since the last report."""
    batch: int = 0
    """Number of the last batch reported."""
    requests: tuple[BudgetRequest, ...] = ()
    spendings: tuple[Spending, ...] = ()
    halt: Halt | None = None
    """Why it ended early, or None."""
    reason: str = ""
    error: str = ""
    """Error in the worker itself, if any."""
    out_of_touch: bool = False
    """Whether it stopped because the driver was silent."""
    over: bool = False
    """Whether no more reports will come."""


def versions() -> dict[str, str]:
    """Return the versions that driver and worker must have in common."""
    return {"proctor": version("proctor"), "python": platform.python_version(), "msgspec": version("msgspec")}
