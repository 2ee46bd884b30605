"""What every exporter is handed and does: Subject, FinishedAttempt, Exporter."""

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
    """The run that is told of."""

    run: Run
    """Which one."""
    exams: tuple[Exam, ...]
    """All that it plays."""
    description: str = ""
    """What the benchmark is for."""
    redact: tuple[re.Pattern[str], ...] = ()
    """What must not leave."""

    @property
    def title(self) -> str:
        """What people call the run, and what no other run is called."""
        return f"{self.run.name} {self.run.id}"

    @property
    def dataset(self) -> str:
        """What people call what was asked. How a script is cut into conversations makes other items of it."""
        settings = self.run.settings
        cut = f"/script-{settings.max_turns}" if settings.type == "abm-static" else ""
        return f"{self.run.benchmark}{cut}"


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedAttempt:
    """A finished attempt, and what it was asked."""

    exam: Exam
    attempt: Attempt


class Exporter(Protocol):
    """Somewhere that results can go. Made for one run, used from one event loop."""

    name: str
    """langfuse, otlp, phoenix, mlflow."""
    where: str
    """Its address, without secrets."""
    identity: str
    """What tells it from every other destination; never shown."""
    keeps_run_marks: bool
    """Whether it has a place for the scores of a whole run."""
    link: str
    """The run's own page there; empty: none can be named, or not before `begin`."""
    memory: DeliveryMemory
    """What it was sent before; empty until one is put here."""

    async def begin(self) -> DeliveryVerdict:
        """Make ready. Anything but sent: nothing can be sent, for this reason."""

    @property
    def fingerprint(self) -> str:
        """Everything but the attempt that decides what is sent of it; known after `begin`."""

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send attempts with their spans and scores; a verdict on each."""

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Send the scores of the whole run, as it stands now; a verdict on each."""

    async def close(self) -> None:
        """Let go of all connections."""
