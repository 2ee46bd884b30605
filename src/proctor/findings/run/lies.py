"""Accumulate how agents react to falsified results: LieTally."""

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
    """Reactions to the lies of one condition."""

    condition: str
    kind: str
    """stale, swapped, empty, unit or truncated."""
    source: str
    """The tool or sub-agent whose result was falsified."""
    attempts: int
    """Attempts with a lie that were completed."""
    reactions: dict[Reaction, int]
    """Reaction → count: told the user, checked elsewhere, noticed, believed or, if the rules cannot tell, unclear."""
    believed: Estimate
    """Share of attempts that believed the lie, as a mean over cases."""
    examples: dict[Reaction, Key]
    """The first attempt with each reaction."""


@dataclass(slots=True)
class LieTally:
    """Accumulates the reactions under one condition."""

    kind: str = ""
    source: str = ""
    counts: dict[Reaction, int] = field(default_factory=dict)
    cases: dict[str, Sums] = field(default_factory=dict)
    examples: dict[Reaction, tuple[int, Key]] = field(default_factory=dict)

    def add(self, attempt: Attempt) -> None:
        """Count an attempt, if it contains a lie."""
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
        """Return the finding on this condition."""
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
    """Count an attempt under its condition, if it contains a lie and did not fail through the environment."""
    if attempt.lie is not None and attempt.outcome != "environment_failed":
        tallies.setdefault(attempt.key.condition, LieTally()).add(attempt)


def lie_findings(tallies: Mapping[str, LieTally]) -> tuple[LieFinding, ...]:
    """Return the findings of all conditions with any counts."""
    return tuple(tally.finding(name) for name, tally in sorted(tallies.items()) if tally.counts)
