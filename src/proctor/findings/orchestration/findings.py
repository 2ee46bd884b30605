"""Data model of an orchestrator's metrics over a run: OrchestrationFindings and its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """Durations of attempts in seconds."""

    n: int
    median: float
    maximum: float
    p95: Estimate | None
    """The 95th percentile, or None below 20 values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PerSuccess:
    """Cost per success: everything spent, failures included, divided by the number of successes."""

    tokens: Estimate
    cost: Estimate
    tool_calls: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanningFindings:
    """Planning metrics, as means over cases."""

    planned: Estimate
    """Share of the expected sub-agents and steps that a plan names."""
    used: Estimate
    """Share of the expected sub-agents and steps that were used."""
    done: Estimate
    """Share of the plan's entries that were done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CoordinationFindings:
    """Coordination metrics: means over cases, and counts over all attempts."""

    right: Estimate
    """Share of the delegations that went to an expected sub-agent."""
    distinct: Estimate
    """Share of the delegations that do not repeat an earlier one."""
    hand_offs: int
    duplicated: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelismFindings:
    """Parallelism metrics, as means over cases."""

    overlap: Estimate
    """Share of the time during which two or more steps were running."""
    speed_up: Estimate
    """Speed-up over sequential execution: the harmonic mean over cases."""
    critical: Estimate
    """Length of the critical path as a share of the wall time."""
    at_once: int
    """Maximum number of steps running at the same time in any attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecoveryFindings:
    """Error recovery: the mean over cases with errors, and counts over all attempts."""

    recovered: Estimate
    """Share of the errors that were followed by a success."""
    errors: int
    re_plans: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceFindings:
    """Resource metrics, as means over cases."""

    kept: Estimate
    """Share of the limits that were kept."""
    tokens: dict[str, Estimate]
    """Sub-agent → its share of the tokens, largest first."""
    cost: dict[str, Estimate]
    """Sub-agent → its share of the cost, largest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OrchestrationCase:
    """Metrics of one exam over all its attempts; None where a metric could not be computed."""

    id: str
    attempts: int
    passed: int
    seconds: float | None
    """Mean seconds per attempt."""
    tokens: float | None
    """Tokens per success, or None without a success or if an attempt does not report them."""
    cost: float | None
    """Cost per success; None as for `tokens`."""
    tool_calls: float | None
    """Tool calls per success; None as for `tokens`."""
    shares: dict[str, float]
    """Metric → its mean: planned, used, done, right, distinct, overlap, critical, recovered or kept."""
    speed_up: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OrchestrationFindings:
    """Metrics of an orchestrator over the attempts of a run."""

    attempts: int
    outlined: int
    """Number of attempts whose replies have steps."""
    success: Estimate
    seconds: Times | None
    """Durations, or None if no attempt was timed."""
    per_success: PerSuccess
    planning: PlanningFindings
    coordination: CoordinationFindings
    parallelism: ParallelismFindings
    recovery: RecoveryFindings
    resources: ResourceFindings
    cases: tuple[OrchestrationCase, ...]
    oddities: dict[str, int]
    """Anomaly in the reported steps → number of occurrences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """The share of items that meet a criterion, with the names of the items."""

    value: float | None
    """Share from 0 to 1, or None if there was nothing to judge."""
    met: tuple[str, ...]
    """Items that meet the criterion."""
    of: tuple[str, ...]
    """All items judged."""


def share(judged: Iterable[tuple[str, bool]]) -> Share:
    """Compute the share of named items whose value is true."""
    known = tuple(judged)
    met = tuple(name for name, meets in known if meets)
    return Share(value=len(met) / len(known) if known else None, met=met, of=tuple(name for name, _ in known))
