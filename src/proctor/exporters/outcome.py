"""Results of an export: DeliveryVerdict, ItemOutcome, Report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from proctor.run import Key

State = Literal["sent", "unchanged", "rejected", "unsent", "unknown"]
STATES: tuple[State, ...] = ("sent", "unchanged", "rejected", "unsent", "unknown")
Kind = Literal["attempt", "run score"]


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveryVerdict:
    """Whether something was delivered."""

    state: State
    """State of the delivery.

    sent: confirmed by the destination; unchanged: confirmed earlier with the same content; rejected: refused; unsent:
    the destination was not reached; unknown: it was reached but gave no clear answer.
    """
    reason: str = ""
    """Why it was not sent; empty if it was."""
    tried: bool = True
    """Whether sending was attempted; not after an error that affects all further items."""

    @property
    def arrived(self) -> bool:
        """Whether it has certainly arrived."""
        return self.state in ("sent", "unchanged")


SENT = DeliveryVerdict(state="sent")
UNCHANGED = DeliveryVerdict(state="unchanged")


def worst(verdicts: Iterable[DeliveryVerdict]) -> DeliveryVerdict:
    """Return the first verdict of something that did not arrive; otherwise that all was sent."""
    return next((verdict for verdict in verdicts if not verdict.arrived), SENT)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemOutcome:
    """Result of one item."""

    kind: Kind
    """An attempt with its spans and scores, or a score of the whole run."""
    name: str
    """Exam id, or name of the score."""
    verdict: DeliveryVerdict
    key: Key | None = None
    """Key of the attempt; None for a score of the run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Result of exporting a run to one destination."""

    destination: str
    """langfuse, otlp, phoenix or mlflow."""
    where: str
    """Address, without secrets."""
    run: str
    """Run id."""
    outcomes: tuple[ItemOutcome, ...]
    """Attempts in the order of the run, then scores of the run."""
    link: str = ""
    """URL of the run's page there; empty if there is none."""
    pending: int = 0
    """Number of attempts not played yet."""
    notes: tuple[str, ...] = ()
    """Further remarks for the user."""

    @property
    def complete(self) -> bool:
        """Whether every item has arrived."""
        return all(outcome.verdict.arrived for outcome in self.outcomes)

    def counts(self, kind: Kind) -> Counter[State]:
        """Count the items of a kind by state."""
        return Counter(outcome.verdict.state for outcome in self.outcomes if outcome.kind == kind)

    @property
    def troubles(self) -> list[tuple[State, str, int]]:
        """(state, reason, count) of everything that did not arrive, most frequent first."""
        verdicts = (outcome.verdict for outcome in self.outcomes if not outcome.verdict.arrived)
        found = Counter((verdict.state, verdict.reason) for verdict in verdicts)
        return [(state, reason, count) for (state, reason), count in found.most_common()]
