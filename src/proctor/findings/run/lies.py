"""What agents made of wrong results while attempts stream by: LieTally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from proctor.run import Attempt, Key
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.transcript import Reaction

REACTIONS: tuple[Reaction, ...] = get_args(Reaction)


@dataclass(frozen=True, kw_only=True, slots=True)
class LieFinding:
    """What came of the lies of one condition."""

    condition: str
    kind: str
    """stale, swapped, empty, unit or truncated."""
    source: str
    """The tool or sub-agent that lied."""
    attempts: int
    """Attempts that were lied to and came to an end."""
    reactions: dict[Reaction, int]
    """How many told the user, checked elsewhere, noticed, believed; of the rest the rules cannot say."""
    believed: Estimate
    """The share of attempts that believed the lie, over cases."""
    examples: dict[Reaction, Key]
    """The first attempt of each."""


@dataclass(slots=True)
class LieTally:
    """The same of one condition while attempts stream by."""

    kind: str = ""
    source: str = ""
    counts: dict[Reaction, int] = field(default_factory=dict)
    cases: dict[str, Sums] = field(default_factory=dict)
    examples: dict[Reaction, tuple[int, Key]] = field(default_factory=dict)

    def add(self, attempt: Attempt) -> None:
        """Count an attempt that was lied to."""
        lie = attempt.lie
        if lie is None or lie.reaction is None:
            return
        self.kind, self.source = lie.kind, lie.source
        self.counts[lie.reaction] = self.counts.get(lie.reaction, 0) + 1
        self.cases.setdefault(attempt.key.exam, Sums()).add(float(lie.reaction == "believed"))
        first = self.examples.get(lie.reaction)
        if first is None or attempt.place < first[0]:
            self.examples[lie.reaction] = attempt.place, attempt.key

    def finding(self, condition: str) -> LieFinding:
        """What was counted."""
        attempts = sum(self.counts.values())
        return LieFinding(
            condition=condition,
            kind=self.kind,
            source=self.source,
            attempts=attempts,
            reactions={reaction: self.counts.get(reaction, 0) for reaction in REACTIONS},
            believed=mean_over_cases(Sums.of(sums.mean for sums in self.cases.values()), attempts=attempts),
            examples={reaction: self.examples[reaction][1] for reaction in REACTIONS if reaction in self.examples},
        )


def add_lie(tallies: dict[str, LieTally], attempt: Attempt) -> None:
    """Count an attempt under its condition, if it was lied to and came to an end."""
    if attempt.lie is not None and attempt.outcome != "environment_failed":
        tallies.setdefault(attempt.key.condition, LieTally()).add(attempt)


def lie_findings(tallies: Mapping[str, LieTally]) -> tuple[LieFinding, ...]:
    """Condition by condition, where anything was counted."""
    return tuple(tally.finding(name) for name, tally in sorted(tallies.items()) if tally.counts)
