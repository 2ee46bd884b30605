"""Data model of a run's results: Findings and its parts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from statistics import median
from typing import Any

from proctor.findings.battle.findings import BattleFindings
from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.run.circumstances import Circumstances
from proctor.findings.run.lies import LieFinding
from proctor.findings.run.noise import NoiseFinding
from proctor.findings.run.panel import JudgeFinding
from proctor.findings.run.people import PeopleFinding
from proctor.findings.run.trials import Trials
from proctor.findings.run.unsure import UnsureMarks
from proctor.run import Key, Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The planned attempts by status: planned = scored + unscored + failed + pending."""

    planned: int = 0
    scored: int = 0
    """Attempts with a verdict."""
    unscored: int = 0
    """Answered, but no verdict could be given."""
    failed_by_agent: int = 0
    """Attempts the agent itself failed, which count as not passed."""
    failed_by_environment: int = 0
    """Attempts lost to the environment, which do not count; `resume` tries them again."""
    pending: int = 0
    """Attempts not played yet."""

    @property
    def played(self) -> int:
        """Number of finished attempts, whatever their outcome."""
        return self.planned - self.pending

    @property
    def failed(self) -> int:
        """Attempts failed by the agent or by the environment."""
        return self.failed_by_agent + self.failed_by_environment


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseFinding:
    """Results of one exam over all its trials; if the plain run is one of several conditions, over its trials only."""

    id: str
    question: str
    categories: tuple[str, ...]
    planned: int
    counted: int
    """Attempts with a verdict, including failures of the agent itself."""
    passed: int
    failed_by_agent: int
    unscored: int
    """Answered, but no verdict could be given."""
    failed_by_environment: int
    score: float | None
    """Mean score, or None if there are no scores."""
    seconds: float | None
    """Mean response time of the agent in seconds, or None."""
    share: float | None = None
    """In a battle, the mean share of replies that passed; None otherwise or if nothing was counted."""
    conditions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Condition → (attempts with a verdict, attempts that passed), including the plain run; empty for only one."""
    failed_checks: dict[str, str] = field(default_factory=dict)
    """Check that failed in any attempt → evidence of its first failure."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Other metadata of the case from its benchmark."""
    trials: Trials | None = field(default=None, repr=False, compare=False)
    """Verdicts and scores per trial, or None if the case was planned once."""

    @property
    def missing(self) -> int:
        """Planned attempts that do not count: unscored, failed by the environment or never played."""
        return self.planned - self.counted

    @property
    def verdict(self) -> str:
        """pass, fail, flaky (some trials passed) or missing (nothing counted); the worst of pooled conditions."""
        return self.worst_verdict if self.is_pooled else _verdict(self.counted, self.passed)

    @property
    def worst_verdict(self) -> str:
        """The worst verdict over all conditions, including the plain run."""
        under = self.conditions.values() or [(self.counted, self.passed)]
        return min((_verdict(*counts) for counts in under), key=_WORST_FIRST.index)

    @property
    def is_pooled(self) -> bool:
        """Whether several conditions are combined because none of them is the plain run."""
        return bool(self.conditions) and "" not in self.conditions

    @property
    def under_all(self) -> tuple[int, int]:
        """(attempts with a verdict, attempts that passed) over all conditions."""
        under = self.conditions.values() or [(self.counted, self.passed)]
        return sum(counted for counted, _ in under), sum(passed for _, passed in under)

    @property
    def attempts(self) -> int:
        """Planned attempts over all conditions."""
        return self.planned if self.is_pooled else self.planned * max(1, len(self.conditions))


_WORST_FIRST = ("fail", "flaky", "missing", "pass")


def _verdict(counted: int, passed: int) -> str:
    if not counted:
        return "missing"
    if passed == counted:
        return "pass"
    return "flaky" if passed else "fail"


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryFinding:
    """Results of one category of cases."""

    cases: int
    counted: int
    """Number of those cases that have a verdict."""
    passed: int
    """Cases that passed in every counted trial; with several conditions, in the plain run."""
    pass_rate: Estimate
    mean_score: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFinding:
    """Results of one check over all replies it was applied to."""

    name: str
    passed: int
    failed: int
    not_checkable: int
    rate: Estimate
    """Share of checkable replies that passed, as a mean over cases."""
    example: Key | None
    """The first attempt that failed the check, or None."""
    evidence: str
    """The check's evidence in that attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemGroup:
    """Attempts that failed or stayed without a verdict for the same reason."""

    stage: str
    owner: str
    """agent, environment, unscored, or undecided."""
    reason: str
    count: int
    example: Key
    conditions: dict[str, int] = field(default_factory=dict)
    """Condition → number of these attempts, with "" for the plain run; empty for a single condition."""

    @property
    def is_under_faults(self) -> bool:
        """Whether the problem occurred only under injected faults, in a run that also has a plain run."""
        return bool(self.conditions) and "" not in self.conditions


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Response times in seconds."""

    n: int
    median: float
    maximum: float
    p95: float | None
    """The 95th percentile, or None below 20 values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionFinding:
    """Results of the run under one condition."""

    name: str
    """Name of the condition; empty for the plain run."""
    counts: Counts
    pass_rate: Estimate
    mean_score: Estimate
    difference: Estimate | None
    """Its pass rate minus that of the plain run, paired by case; None for the plain run itself or without one."""
    p_value: float | None
    """p-value of no difference, corrected for the number of conditions (Holm)."""
    latency: Latency | None
    usage: Usage
    met: int | None = None
    """Attempts that encountered the fault, or None if not recorded, as in the plain run."""
    orchestration: OrchestrationFindings | None = None
    checks: tuple[CheckFinding, ...] = ()
    """Checks, most failures first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """Results of a run.

    With several conditions that include the plain run, rates, scores, parts, checks, times, categories, cases and
    battle results are those of the plain run; counts, problems, usage and orchestration always cover all conditions.
    """

    run: Run
    counts: Counts
    pass_rate: Estimate
    mean_score: Estimate
    median_score: float | None
    """Median score of attempts; for cases, see `median_case_score`."""
    pass_at_k: dict[int, Estimate]
    pass_hat_k: dict[int, Estimate]
    categories: dict[str, CategoryFinding]
    parts: dict[str, Estimate]
    cases: tuple[CaseFinding, ...]
    troubles: tuple[ProblemGroup, ...]
    """Problems, most frequent first."""
    usage: Usage
    latency: Latency | None
    first_token: Latency | None = None
    """Times to the first token over attempts with streaming, or None if not measured."""
    checks: tuple[CheckFinding, ...] = ()
    """Checks, most failures first."""
    battle: BattleFindings | None = None
    """Results of the conversations, or None if the run is no battle."""
    rows: tuple[CaseFinding, ...] = ()
    """In a static battle, the results row by row, on which two such runs are compared."""
    orchestration: OrchestrationFindings | None = None
    """Metrics of an orchestrator's steps, or None if there were no steps."""
    conditions: tuple[ConditionFinding, ...] = ()
    """Results per condition, the plain run first; empty for a single condition."""
    lies: tuple[LieFinding, ...] = ()
    """How the agent reacted to results falsified by conditions; empty if there were none."""
    circumstances: Circumstances = Circumstances()
    """Circumstances of the attempts: changed settings, timeouts, truncated replies."""
    unsure: UnsureMarks = UnsureMarks()
    """Scores the reviewer itself is unsure of, and the use of a second judge."""
    judges: tuple[JudgeFinding, ...] = ()
    """The judges of a panel; empty without a panel."""
    length_preference: Estimate | None = None
    """Partial correlation of the judge's score with the reply's length, given the human label; None without labels."""
    notes: tuple[str, ...] = ()
    """Notes that must be shown with the numbers."""
    people: PeopleFinding | None = None
    """Results by human labels, or None if there are none."""
    carried: PeopleFinding | None = None
    """Results by labels on another run with the same judge and rubric; None without them or with labels of its own."""
    noise: tuple[NoiseFinding, ...] = ()
    """Noise of judges that judged the same replies repeatedly; empty if none did."""
    replies_of: str = ""
    """Id of the run that produced the replies, traced through rescored runs; empty if not traced."""

    @property
    def median_case_score(self) -> float | None:
        """Median of the cases' mean scores, or None if no case has a score."""
        known = [case.score for case in self.cases if case.score is not None]
        return median(known) if known else None

    @property
    def compared_on(self) -> tuple[CaseFinding, ...]:
        """Units compared with another run: the rows of a script, or else the cases."""
        return self.rows or self.cases

    @property
    def compared_counts(self) -> Counts:
        """Counts of the attempts that are compared with another run: those of the plain run, or else all."""
        return self.conditions[0].counts if self.run.settings.has_plain_run and self.conditions else self.counts

    @property
    def faulted_counts(self) -> Counts | None:
        """Counts of the attempts under injected faults, or None if there is no plain run beside them."""
        if not (self.run.settings.has_plain_run and self.conditions):
            return None
        fault_counts = [each.counts for each in self.conditions if each.name]
        names = [each.name for each in fields(Counts)]
        return Counts(**{name: sum(getattr(counts, name) for counts in fault_counts) for name in names})

    @property
    def untested(self) -> bool:
        """Whether nothing was judged; in a battle, nothing beyond the seed questions."""
        if self.battle is not None:
            return 0 < self.battle.conversations == self.battle.no_test
        return bool(self.counts.unscored) and not (self.counts.scored or self.counts.failed_by_agent)

    @property
    def complete(self) -> bool:
        """Whether every attempt was played and none was lost to the environment."""
        return not self.counts.pending and not self.counts.failed_by_environment
