"""Aggregate an orchestrator's attempts in one pass: OrchestrationTally."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import median

from proctor.benchmark import Exam
from proctor.findings.orchestration.findings import (
    CoordinationFindings,
    OrchestrationCase,
    OrchestrationFindings,
    ParallelismFindings,
    PerSuccess,
    PlanningFindings,
    RecoveryFindings,
    ResourceFindings,
    Times,
)
from proctor.findings.orchestration.outline import Outline, outline
from proctor.findings.orchestration.resources import ResourceUse, spent_by
from proctor.run import Attempt
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.statistics.pass_at_k import rate_over_cases
from proctor.statistics.ratios import FEWEST_FOR_PERCENTILE, per_success, percentile_95

OTHERS = "others"
"""Name for all sub-agents beyond the first `_MOST_AGENTS`."""
_MOST_AGENTS = 100  # bounds memory if an orchestrator invents a name for every task


@dataclass(slots=True)
class _Amount:
    """A sum that also counts the values that were not reported."""

    total: float = 0.0
    told: int = 0
    untold: int = 0

    def add(self, amount: float | None) -> None:
        if amount is None:
            self.untold += 1
        else:
            self.told += 1
            self.total += amount


@dataclass(slots=True)
class _Case:
    """Accumulates the attempts of one exam."""

    attempts: int = 0
    passed: int = 0
    undecided: int = 0
    tokens: _Amount = field(default_factory=_Amount)
    cost: _Amount = field(default_factory=_Amount)
    tool_calls: _Amount = field(default_factory=_Amount)
    seconds: _Amount = field(default_factory=_Amount)
    shares: dict[str, Sums] = field(default_factory=dict)
    by_agent: dict[str, dict[str, float]] = field(default_factory=lambda: {"tokens": {}, "cost": {}})
    """"tokens" or "cost" → sub-agent → sum of its shares."""
    shared: Counter[str] = field(default_factory=Counter)
    """"tokens" or "cost" → number of attempts with known shares."""

    @property
    def with_verdict(self) -> int:
        return self.attempts - self.undecided

    def add(self, passed: bool | None, spent: ResourceUse) -> None:
        self.attempts += 1
        self.passed += passed is True
        self.undecided += passed is None
        for name in ("tokens", "cost", "tool_calls", "seconds"):
            amount: _Amount = getattr(self, name)
            amount.add(getattr(spent, name))

    def add_outline(self, drawn: Outline, name_of: Callable[[str], str]) -> None:
        for metric, value in drawn.shares().items():
            self.shares.setdefault(metric, Sums()).add(value)
        for what, shares in (("tokens", drawn.resources.tokens), ("cost", drawn.resources.cost)):
            self.shared[what] += bool(shares)
            known = self.by_agent[what]
            for agent, value in shares.items():
                known[name_of(agent)] = known.get(name_of(agent), 0.0) + value


class OrchestrationTally:
    """Aggregates attempts in any order; memory grows with the number of cases, not attempts."""

    def __init__(self) -> None:
        self._cases: dict[str, _Case] = {}
        self._seconds: array[float] = array("d")
        self._outlined = 0
        self._at_once = 0
        self._counts: Counter[str] = Counter()
        self._oddities: Counter[str] = Counter()
        self._agents: set[str] = set()

    def add(self, exam: Exam, attempt: Attempt) -> None:
        """Count one attempt; unfinished attempts are ignored."""
        if not attempt.finished:
            return
        case = self._cases.setdefault(exam.id, _Case())
        drawn = outline(exam, attempt)
        spent = spent_by(attempt) if drawn is None else drawn.spent
        case.add(attempt.passed, spent)
        if spent.seconds is not None:
            self._seconds.append(spent.seconds)
        if drawn is not None:
            case.add_outline(drawn, self._name_of)
            self._count(drawn)

    def _count(self, drawn: Outline) -> None:
        self._outlined += 1
        self._counts["hand_offs"] += drawn.coordination.hand_offs
        self._counts["duplicated"] += drawn.coordination.repeats
        self._counts["errors"] += drawn.recovery.errors
        self._counts["re_plans"] += drawn.recovery.re_plans
        self._oddities.update(drawn.oddities)
        if drawn.parallelism is not None:
            self._at_once = max(self._at_once, drawn.parallelism.at_once)

    def _name_of(self, agent: str) -> str:
        if agent not in self._agents:
            if len(self._agents) >= _MOST_AGENTS:
                return OTHERS
            self._agents.add(agent)
        return agent

    def findings(self) -> OrchestrationFindings | None:
        """Return the findings, or None if no reply had steps."""
        if not self._outlined:
            return None
        return OrchestrationFindings(
            attempts=sum(case.attempts for case in self._cases.values()),
            outlined=self._outlined,
            success=rate_over_cases((each.attempts, each.with_verdict, each.passed) for each in self._cases.values()),
            seconds=_times(self._seconds),
            per_success=PerSuccess(**{name: self._per_success(name) for name in ("tokens", "cost", "tool_calls")}),
            planning=PlanningFindings(**{name: self._mean(name) for name in ("planned", "used", "done")}),
            coordination=CoordinationFindings(
                right=self._mean("right"),
                distinct=self._mean("distinct"),
                hand_offs=self._counts["hand_offs"],
                duplicated=self._counts["duplicated"],
            ),
            parallelism=ParallelismFindings(
                overlap=self._mean("overlap"),
                speed_up=_inverse(self._mean("time_needed")),
                critical=self._mean("critical"),
                at_once=self._at_once,
            ),
            recovery=RecoveryFindings(
                recovered=self._mean("recovered"), errors=self._counts["errors"], re_plans=self._counts["re_plans"]
            ),
            resources=ResourceFindings(
                kept=self._mean("kept"), tokens=self._by_agent("tokens"), cost=self._by_agent("cost")
            ),
            cases=tuple(_case(name, case) for name, case in sorted(self._cases.items())),
            oddities=dict(sorted(self._oddities.items())),
        )

    def _mean(self, metric: str) -> Estimate:
        """Return the mean over cases of each case's mean, for cases where the metric could be computed."""
        known = [case.shares[metric] for case in self._cases.values() if metric in case.shares]
        attempts = sum(sums.n for sums in known)
        return mean_over_cases(Sums.of(sums.mean for sums in known), attempts=attempts)

    def _per_success(self, what: str) -> Estimate:
        cases = self._cases.values()
        amounts: list[_Amount] = [getattr(case, what) for case in cases]
        attempts = sum(case.attempts for case in cases)
        untold = sum(amount.untold for amount in amounts)
        if untold == attempts:
            return Estimate(
                value=None,
                low=None,
                high=None,
                n=0,
                method="ratio",
                missing=untold,
                note="the agent does not report it",
            )
        ratio = per_success([amount.total for amount in amounts], [case.passed for case in cases], attempts=attempts)
        if not untold:
            return ratio
        return replace(ratio, missing=untold, note=_with_untold(ratio.note, untold, attempts))

    def _by_agent(self, what: str) -> dict[str, Estimate]:
        cases = [case for case in self._cases.values() if case.shared[what]]
        attempts = sum(case.shared[what] for case in cases)
        agents = {agent for case in cases for agent in case.by_agent[what]}
        means = {
            agent: mean_over_cases(
                Sums.of(case.by_agent[what].get(agent, 0.0) / case.shared[what] for case in cases), attempts=attempts
            )
            for agent in agents
        }
        return dict(sorted(means.items(), key=lambda item: (-(item[1].value or 0.0), item[0])))


def _with_untold(note: str, untold: int, attempts: int) -> str:
    lower = f"at least: not reported in {untold} of {attempts} attempts"
    return f"{note}; {lower}" if note else lower


def _times(seconds: array[float]) -> Times | None:
    if not seconds:
        return None
    p95 = percentile_95(seconds) if len(seconds) >= FEWEST_FOR_PERCENTILE else None
    return Times(n=len(seconds), median=median(seconds), maximum=max(seconds), p95=p95)


def _inverse(needed: Estimate) -> Estimate:
    """Convert relative time needed into a speed-up by inverting the value and swapping the interval's ends."""
    if needed.value is None:
        return needed
    low = None if needed.high is None else 1 / needed.high
    high = None if not needed.low else 1 / needed.low
    return replace(needed, value=1 / needed.value, low=low, high=high)


def _case(name: str, case: _Case) -> OrchestrationCase:
    needed = case.shares.get("time_needed")
    return OrchestrationCase(
        id=name,
        attempts=case.attempts,
        passed=case.passed,
        seconds=case.seconds.total / case.seconds.told if case.seconds.told else None,
        tokens=_each(case.tokens, case.passed),
        cost=_each(case.cost, case.passed),
        tool_calls=_each(case.tool_calls, case.passed),
        shares={metric: sums.mean for metric, sums in sorted(case.shares.items()) if metric != "time_needed"},
        speed_up=1 / needed.mean if needed is not None else None,
    )


def _each(amount: _Amount, passed: int) -> float | None:
    """Return the amount per success, or None without a success or if an attempt does not report it."""
    return amount.total / passed if passed and not amount.untold else None
