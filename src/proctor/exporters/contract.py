"""Interface of exporters: Subject, FinishedAttempt, Exporter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from proctor.benchmark import Exam
from proctor.exporters.delivery_log import DeliveryMemory
from proctor.exporters.marks import Mark
from proctor.exporters.outcome import DeliveryVerdict
from proctor.run import Attempt, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The run to export."""

    run: Run
    exams: tuple[Exam, ...]
    """All exams of the run."""
    description: str = ""
    """Description of the benchmark."""
    redact: tuple[re.Pattern[str], ...] = ()
    """Patterns to redact."""

    @property
    def title(self) -> str:
        """Display name of the run, unique through its id."""
        return f"{self.run.name} {self.run.id}"

    @property
    def dataset(self) -> str:
        """Name of the dataset. Splitting a script into conversations differently makes it another dataset."""
        settings = self.run.settings
        cut = f"/script-{settings.max_turns}" if settings.type == "abm-static" else ""
        return f"{self.run.benchmark}{cut}"


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedAttempt:
    """A finished attempt and its exam."""

    exam: Exam
    attempt: Attempt


class Exporter(Protocol):
    """Sends results to a destination. Created for one run, used from one event loop."""

    name: str
    """langfuse, otlp, phoenix or mlflow."""
    where: str
    """Address, without secrets."""
    identity: str
    """Identifies the destination uniquely; never shown."""
    keeps_run_marks: bool
    """Whether it can store scores of a whole run."""
    link: str
    """URL of the run's page there; empty if there is none, or not before `begin`."""
    memory: DeliveryMemory
    """What was sent to it before; empty until replaced."""

    async def begin(self) -> DeliveryVerdict:
        """Prepare for sending. Any verdict other than sent says why nothing can be sent."""

    @property
    def fingerprint(self) -> str:
        """Digest of everything besides the attempt that affects what is sent; available after `begin`."""

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send attempts with their spans and scores; return a verdict for each."""

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Send the current scores of the whole run; return a verdict for each."""

    async def close(self) -> None:
        """Close all connections."""
