"""What a crew and its workers say to each other: data only, whichever way it travels."""

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
"""Seconds that a worker may wait for something to report before it answers: the heartbeat."""
START = 600.0
"""Seconds that a worker may take to import an agent and build its parts: a model of one's own has to be loaded."""
LEASE = 3.0
"""Seconds without an order after which a worker takes its driver for dead and stops spending."""
SILENCE = 5.0
"""Seconds without a report after which the driver gives a worker up, which has stopped by itself before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Everything that a worker plays with."""

    agent: Agent
    reviewers: Sequence[Reviewer]
    settings: Settings
    exams: Mapping[str, Exam]
    """By id: attempts are dealt out without what they ask."""
    examiner: Examiner | None = None
    faults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Condition → the fault it stands for."""


Build = Callable[[Any, Budget | None], AbstractContextManager[Parts]]
"""From data to parts, in whatever limits hold while they play; a function of a module, which is sent by its name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """What a worker needs to begin."""

    recipe: bytes
    """A pickled pair: how to build the parts, and from what. Read once the rest is in place."""
    places: int
    """Attempts that it may have under way at once."""
    number: int = 1
    """Which worker it is."""
    folder: str | None = None
    """Where the driver stands; None: stay."""
    path: tuple[str, ...] = ()
    """Where the driver finds its modules."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables, secrets among them: they travel in here alone."""
    cost: float | None = None
    """The run's budget of money, which the driver keeps."""
    tokens: int | None = None
    """The run's budget of tokens."""
    lease: float = LEASE
    """Seconds without an order after which it stops."""
    is_remote: bool = False
    """Whether it may be on another machine, which shares no folder with the driver."""

    @property
    def is_limited(self) -> bool:
        """Whether there is a budget."""
        return self.cost is not None or self.tokens is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hello:
    """A worker's first word."""

    versions: dict[str, str]
    process: int
    """Its process id."""
    refusal: str = ""
    """Why it cannot play; empty: it can."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DealtAttempt:
    """One attempt to be played by the worker that gets it."""

    exam: str
    """The exam's id."""
    attempt: Attempt
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Turn → reviews already given and paid for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetRequest:
    """A call that wants to begin."""

    number: int
    """Which one, of this worker's."""
    estimate: Usage
    whose: str = ""
    """Whose spending it is, where only they can tell how much it comes to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetAnswer:
    """Whether it may begin."""

    number: int
    estimate: Usage
    """What is reserved for it."""
    refusal: str = ""
    """Why there is not enough for it; empty: it may."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spending:
    """What a call came to."""

    usage: Usage
    number: int | None = None
    """The request that it settles; None: nothing was reserved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What the driver says each time."""

    attempts: tuple[DealtAttempt, ...] = ()
    """To be played."""
    stored: int = 0
    """The last of its batches that is on disk."""
    answers: tuple[BudgetAnswer, ...] = ()
    hold: float = HOLD
    """Seconds to wait for something to report."""
    workers: int = 1
    """How many play just now: rate limits are divided among them."""
    end: tuple[Halt | None, str] | None = None
    """End early for this reason; without one: nothing more will come."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerReport:
    """What a worker says each time."""

    records: tuple[Record, ...] = ()
    """What happened since the last report."""
    batch: int = 0
    """The last batch that is in a report."""
    requests: tuple[BudgetRequest, ...] = ()
    spendings: tuple[Spending, ...] = ()
    halt: Halt | None = None
    """Why it ended early; None: it did not."""
    reason: str = ""
    error: str = ""
    """What broke in the worker itself; empty: nothing."""
    out_of_touch: bool = False
    """Whether it has stopped because the driver was silent."""
    over: bool = False
    """Whether nothing more will come."""


def versions() -> dict[str, str]:
    """What must be the same on both sides."""
    return {"proctor": version("proctor"), "python": platform.python_version(), "msgspec": version("msgspec")}
