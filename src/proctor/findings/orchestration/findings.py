"""What the attempts of a run show of an orchestrator, as data: OrchestrationFindings and its pieces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """Seconds that attempts took."""

    n: int
    median: float
    maximum: float
    p95: Estimate | None
    """None: fewer than 20 values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PerSuccess:
    """What a success costs: all that was spent, failures included, over the number of successes."""

    tokens: Estimate
    cost: Estimate
    tool_calls: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanningFindings:
    """Means over cases."""

    planned: Estimate
    """Of the expected sub-agents and steps, the share that a plan names."""
    used: Estimate
    """Likewise the share that was used."""
    done: Estimate
    """Of the plan's entries, the share that was done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CoordinationFindings:
    """Means over cases, and counts over all attempts."""

    right: Estimate
    """Of the delegations, the share that went to the right sub-agent."""
    distinct: Estimate
    """Likewise the share that repeats none."""
    hand_offs: int
    duplicated: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelismFindings:
    """Means over cases."""

    overlap: Estimate
    """The share of the time in which two or more steps were at work."""
    speed_up: Estimate
    """Against one after another: the harmonic mean over cases."""
    critical: Estimate
    """The critical path as a share of the time."""
    at_once: int
    """Most steps at work at the same time in any attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecoveryFindings:
    """Mean over the cases that had errors, and counts over all attempts."""

    recovered: Estimate
    """Of the errors, the share that was followed by success."""
    errors: int
    re_plans: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceFindings:
    """Means over cases."""

    kept: Estimate
    """Of the limits, the share that was kept."""
    tokens: dict[str, Estimate]
    """Sub-agent → its share of the tokens; most first."""
    cost: dict[str, Estimate]
    """Likewise of the cost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OrchestrationCase:
    """One exam over all its attempts; None: could not be judged."""

    id: str
    attempts: int
    passed: int
    seconds: float | None
    """Mean time an attempt took."""
    tokens: float | None
    """Per success; None without one, and where an attempt does not tell."""
    cost: float | None
    """Likewise."""
    tool_calls: float | None
    """Likewise."""
    shares: dict[str, float]
    """Metric → its mean: planned, used, done, right, distinct, overlap, critical, recovered, kept."""
    speed_up: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OrchestrationFindings:
    """What the attempts of a run show of an orchestrator."""

    attempts: int
    outlined: int
    """Attempts whose replies have steps."""
    success: Estimate
    seconds: Times | None
    """None: no attempt was timed."""
    per_success: PerSuccess
    planning: PlanningFindings
    coordination: CoordinationFindings
    parallelism: ParallelismFindings
    recovery: RecoveryFindings
    resources: ResourceFindings
    cases: tuple[OrchestrationCase, ...]
    oddities: dict[str, int]
    """What could not be taken as it was told → how often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How many of some things meet what is asked of them."""

    value: float | None
    """0 to 1; None: there was nothing to judge."""
    met: tuple[str, ...]
    """Those that do."""
    of: tuple[str, ...]
    """All that were judged."""


def share(judged: Iterable[tuple[str, bool]]) -> Share:
    """The share of these that are true, each with its name."""
    known = tuple(judged)
    met = tuple(name for name, meets in known if meets)
    return Share(value=len(met) / len(known) if known else None, met=met, of=tuple(name for name, _ in known))
