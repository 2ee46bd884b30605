"""What became of what was to be sent: DeliveryVerdict, ItemOutcome, Report."""

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
    """Whether something arrived."""

    state: State
    """sent: the destination said so. unchanged: it said so earlier, of the same content. rejected: it said no.
    unsent: it was not reached. unknown: it was reached and gave no clear answer."""
    reason: str = ""
    """Why it was not sent; empty: it was."""
    tried: bool = True
    """Whether it was tried at all: not after something that dooms all the rest."""

    @property
    def arrived(self) -> bool:
        """Whether it is there for sure."""
        return self.state in ("sent", "unchanged")


SENT = DeliveryVerdict(state="sent")
UNCHANGED = DeliveryVerdict(state="unchanged")


def worst(verdicts: Iterable[DeliveryVerdict]) -> DeliveryVerdict:
    """The first that says that something is not there; else that all was sent."""
    return next((verdict for verdict in verdicts if not verdict.arrived), SENT)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemOutcome:
    """What became of one item."""

    kind: Kind
    """An attempt with its spans and scores, or a score of the whole run."""
    name: str
    """The exam's id, or the score's name."""
    verdict: DeliveryVerdict
    """Whether it arrived."""
    key: Key | None = None
    """Which attempt; None: a run's score."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What became of a run at one destination."""

    destination: str
    """langfuse, otlp, phoenix or mlflow."""
    where: str
    """Its address, without secrets."""
    run: str
    """The run's id."""
    outcomes: tuple[ItemOutcome, ...]
    """Attempts in the order of the run, then the run's scores."""
    link: str = ""
    """The run's own page there; empty: none can be named."""
    pending: int = 0
    """Attempts that have not been played yet."""
    notes: tuple[str, ...] = ()
    """What a person should know besides."""

    @property
    def complete(self) -> bool:
        """Whether everything that there is has arrived."""
        return all(outcome.verdict.arrived for outcome in self.outcomes)

    def counts(self, kind: Kind) -> Counter[State]:
        """How many items of a kind ended in which state."""
        return Counter(outcome.verdict.state for outcome in self.outcomes if outcome.kind == kind)

    @property
    def troubles(self) -> list[tuple[State, str, int]]:
        """(state, reason, how many) of all that did not arrive, most frequent first."""
        verdicts = (outcome.verdict for outcome in self.outcomes if not outcome.verdict.arrived)
        found = Counter((verdict.state, verdict.reason) for verdict in verdicts)
        return [(state, reason, count) for (state, reason), count in found.most_common()]
